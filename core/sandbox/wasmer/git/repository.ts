import { deflateSync } from "node:zlib";
import type { FileTree } from "../tree/file-tree.ts";
import type { FolderNode } from "../tree/node.ts";
import { joined } from "../tree/path.ts";
import { type Commit, makeCommit } from "./commit.ts";
import { ConfigFile } from "./config.ts";
import { EMPTY_TREE, type GitTree } from "./objects.ts";
import { nodeAt, readText, writeText } from "./text-files.ts";

/**
 * What stands behind a file of `.git`: its tree of files, by the very bytes of the file. So it goes where the file
 * goes, through snapshots, forks, `cp` and `mv`, shares every content with the files of the sandbox, and is freed
 * with the last of them. Bytes that a program copied are other bytes, and nothing stands behind them.
 */
const commits = new WeakMap<Uint8Array, Commit>();
const indexes = new WeakMap<Uint8Array, GitTree>();

const ID = /^[0-9a-f]{40}$/;

/** A repository in the tree of a sandbox: refs and settings are git's own files, see above for the rest. */
export class Repository {
  readonly tree: FileTree;
  /** The folder that holds `.git`, without links. */
  readonly root: string;
  readonly config: ConfigFile;

  private constructor(tree: FileTree, root: string) {
    this.tree = tree;
    this.root = root;
    this.config = new ConfigFile(tree, this.path("config"));
  }

  /** The repository that a folder is in. */
  static find(tree: FileTree, folder: string): Repository | undefined {
    let at = tree.realPath(folder);
    for (;;) {
      if (readText(tree, `${at}/.git/HEAD`) !== undefined) return new Repository(tree, at);
      if (at === "/") return undefined;
      at = joined(at, "..");
    }
  }

  static make(tree: FileTree, folder: string, branch: string): Repository {
    tree.mkdirs(folder);
    const repository = new Repository(tree, tree.realPath(folder));
    for (const name of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"]) {
      tree.mkdirs(repository.path(name));
    }
    writeText(tree, repository.path("HEAD"), `ref: refs/heads/${branch}\n`);
    writeText(
      tree,
      repository.path("config"),
      "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
    );
    return repository;
  }

  static configAt(tree: FileTree, path: string): ConfigFile {
    return new ConfigFile(tree, path);
  }

  /** Of something in `.git`. */
  path(name: string): string {
    return joined(this.root, `.git/${name}`);
  }

  /** The files as they are: from here on no folder of it changes, since whoever writes copies it first. */
  folder(): FolderNode {
    this.tree.state();
    return this.tree.stat(this.root) as FolderNode;
  }

  get index(): GitTree {
    const node = nodeAt(this.tree, this.path("index"));
    const known = node?.kind === "file" ? indexes.get(node.content) : undefined;
    return known ?? (node ? this.headTree : EMPTY_TREE);
  }

  set index(tree: GitTree) {
    const content = new Uint8Array(Buffer.from("kept by the sandbox\n"));
    indexes.set(content, tree);
    this.tree.write(this.path("index"), content);
  }

  /** `refs/heads/main`, or undefined if a commit itself is checked out. */
  get branch(): string | undefined {
    return /^ref: (\S+)/.exec(readText(this.tree, this.path("HEAD"))!)?.[1];
  }

  /** The id of the commit that is checked out; undefined as long as there is none. */
  get headId(): string | undefined {
    const { branch } = this;
    return branch === undefined ? readText(this.tree, this.path("HEAD"))!.trim() : this.ref(branch);
  }

  get headTree(): GitTree {
    const id = this.headId;
    return (id === undefined ? undefined : this.commit(id)?.tree) ?? EMPTY_TREE;
  }

  /** What was checked out before: `git checkout -`. */
  get previous(): string | undefined {
    return readText(this.tree, this.path("PREVIOUS_HEAD"))?.trim();
  }

  /** Checks out a branch, by its full name, or a commit. */
  setHead(to: string): void {
    const { branch, headId } = this;
    const from = branch?.replace("refs/heads/", "") ?? headId;
    if (from !== undefined && to !== branch) writeText(this.tree, this.path("PREVIOUS_HEAD"), `${from}\n`);
    writeText(this.tree, this.path("HEAD"), ID.test(to) ? `${to}\n` : `ref: ${to}\n`);
  }

  /** Moves the branch that is checked out, or the checked out commit. */
  moveHead(id: string): void {
    const { branch } = this;
    if (branch === undefined) writeText(this.tree, this.path("HEAD"), `${id}\n`);
    else this.setRef(branch, id);
  }

  ref(name: string): string | undefined {
    const text = readText(this.tree, this.path(name))?.trim();
    const to = text === undefined ? undefined : /^ref: (\S+)/.exec(text)?.[1];
    return to === undefined ? text : this.ref(to);
  }

  setRef(name: string, id: string): void {
    writeText(this.tree, this.path(name), `${id}\n`);
  }

  deleteRef(name: string): void {
    this.tree.remove(this.path(name));
  }

  /** Full name to id, in order of their names. */
  refs(prefix = "refs/"): [string, string][] {
    const found: [string, string][] = [];
    const visit = (name: string): void => {
      const node = nodeAt(this.tree, this.path(name));
      if (node?.kind === "folder") for (const child of node.entries.keys()) visit(`${name}/${child}`);
      else if (node?.kind === "file" && name.startsWith(prefix)) found.push([name, this.ref(name)!]);
    };
    visit("refs");
    return found.sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** The commit of that id, or the one that stands for it by `refs/replace/`. */
  commit(id: string): Commit | undefined {
    const node = nodeAt(this.tree, this.path(`objects/${this.#place(this.ref(`refs/replace/${id}`) ?? id)}`));
    return node?.kind === "file" ? commits.get(node.content) : undefined;
  }

  addCommit(parts: Omit<Commit, "id">): Commit {
    const { raw, ...commit } = makeCommit(parts);
    const content = new Uint8Array(deflateSync(Buffer.concat([Buffer.from(`commit ${raw.length}\0`), raw])));
    const path = this.path(`objects/${this.#place(commit.id)}`);
    commits.set(content, commit);
    if (!this.commit(commit.id)) {
      this.tree.mkdirs(joined(path, ".."));
      this.tree.write(path, content);
    }
    return commit;
  }

  /** Ids of all commits that there are, also of those that nothing leads to. */
  commitIds(): string[] {
    const ids: string[] = [];
    for (const [folder, node] of this.tree.list(this.path("objects"))) {
      if (node.kind !== "folder" || folder.length !== 2) continue;
      for (const name of node.entries.keys()) ids.push(folder + name);
    }
    return ids;
  }

  removeCommit(id: string): void {
    this.tree.remove(this.path(`objects/${this.#place(id)}`));
  }

  #place(id: string): string {
    return `${id.slice(0, 2)}/${id.slice(2)}`;
  }
}
