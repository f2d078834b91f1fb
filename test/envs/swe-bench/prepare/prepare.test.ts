import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import {
  CONTENT,
  commit,
  freshFolder,
  git,
  namesIn,
  reachable,
  richRepository,
  textIn,
} from "./repositories.ts";

describe("of what came after the base nothing can be read", () => {
  test.each(["a folder", "a bare folder", "an address", "an address with a cache"])(
    "from %s",
    async (kind) => {
      const parent = freshFolder();
      const { folder, base, past, future } = richRepository(parent);
      expect(future.length).toBeGreaterThan(20);
      const isBare = kind === "a bare folder";
      if (isBare) git(parent, "clone", "-q", "--mirror", folder, "bare.git");
      const path = isBare ? join(parent, "bare.git") : folder;
      const out = join(parent, "out");
      await prepareWorkspace({
        repo: kind.startsWith("an address") ? `file://${path}` : path,
        baseCommit: base,
        out,
        ...(kind.endsWith("cache") && { cache: join(parent, "cache") }),
      });

      expect(git(out, "log", "--all", "--format=%H").split("\n")).toEqual([base, past]);
      expect(git(out, "rev-list", "--all", "--reflog", "--not", "HEAD")).toBe("");
      expect(git(out, "fsck", "--unreachable", "--no-reflogs", "--full")).toBe("");
      expect(git(out, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
      for (const list of [["remote"], ["tag"], ["stash", "list"], ["notes", "list"], ["reflog", "--all"]]) {
        expect(git(out, ...list), list.join(" ")).toBe("");
      }
      expect(git(out, "worktree", "list").split("\n")).toHaveLength(1);
      const objects = git(out, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
      expect(new Set(objects)).toEqual(reachable(folder, base));
      expect(objects.filter((id) => future.includes(id))).toEqual([]);
      for (const id of future) expect(() => git(out, "cat-file", "-e", id)).toThrow();

      const inside = (await namesIn(join(out, ".git"))).map((name) => name.replace(/[0-9a-f]{38,}/, "*"));
      expect(inside).toEqual([
        "HEAD",
        "config",
        "index",
        "objects/pack/pack-*.idx",
        "objects/pack/pack-*.pack",
        "refs/heads/main",
      ]);
      expect(await textIn(out, ".git/config")).not.toMatch(/remote|url|promisor|source/);
    },
  );

  test("not even its parents with `singleCommit`, and the commit keeps its id", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const out = join(parent, "out");
    await prepareWorkspace({ repo: folder, baseCommit: base, out, singleCommit: true });
    expect(git(out, "log", "--all", "--format=%H")).toBe(base);
    expect(() => git(out, "cat-file", "-e", past)).toThrow();
    expect(git(out, "fsck", "--unreachable", "--no-reflogs", "--full")).toBe("");
    expect(git(out, "status", "--porcelain")).toBe("");
  });

  test.each([false, true])("from a shallow clone, with a cache: %s", async (isCached) => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    git(folder, "branch", "-f", "trunk", base);
    git(parent, "clone", "-q", "--depth=1", "--branch=trunk", `file://${folder}`, "shallow");
    const out = join(parent, "out");
    const repo = join(parent, "shallow");
    await prepareWorkspace({
      repo,
      baseCommit: base,
      out,
      ...(isCached && { cache: join(parent, "cache") }),
    });
    expect(git(out, "log", "--all", "--format=%H")).toBe(base);
    expect(git(out, "status", "--porcelain")).toBe("");
  });

  test("a server that sends more than it was asked for is cut back", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    // Whatever it is asked for, this server sends all.
    const greedy = join(parent, "greedy");
    const script = "#!/bin/sh\ncat >/dev/null\nexec git pack-objects --all --stdout -q </dev/null\n";
    writeFileSync(greedy, script, { mode: 0o755 });
    mkdirSync(join(parent, "git"));
    writeFileSync(join(parent, "git/config"), `[uploadpack]\n\tpackObjectsHook = ${greedy}\n`);
    vi.stubEnv("HOME", parent);
    vi.stubEnv("XDG_CONFIG_HOME", parent);
    try {
      const out = join(parent, "out");
      await prepareWorkspace({ repo: folder, baseCommit: base, out });
      const objects = git(out, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
      expect(new Set(objects)).toEqual(reachable(folder, base));
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("the working tree", () => {
  test("is the commit's, byte for byte, with modes, links and empty submodules", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "out");
    expect(await prepareWorkspace({ repo: folder, baseCommit: base, out })).toEqual({
      folder: out,
      made: true,
    });
    for (const [name, content] of Object.entries(CONTENT)) {
      expect(readFileSync(join(out, name)), name).toEqual(Buffer.from(content));
    }
    expect(lstatSync(join(out, "bin/run")).mode & 0o111).toBe(0o111);
    expect(lstatSync(join(out, "src/app.py")).mode & 0o111).toBe(0);
    expect(readlinkSync(join(out, "app link"))).toBe("src/app.py");
    expect(readlinkSync(join(out, "out link"))).toBe("/etc/hostname");
    expect(await readdir(join(out, "vendor/module"))).toEqual([]);
    expect(git(out, "status", "--porcelain", "--ignored")).toBe("");
    expect(existsSync(join(out, "tests/test_new.py"))).toBe(false);
  });

  test("ignores the user's own settings: line ends, filters, hooks, template", async () => {
    const parent = freshFolder();
    const { folder, base, marker } = richRepository(parent);
    const evil = join(parent, "evil");
    const hooks = join(folder, ".git/hooks");
    mkdirSync(join(parent, "git"));
    mkdirSync(join(parent, "template"));
    writeFileSync(join(parent, "template/secret"), "x");
    writeFileSync(
      join(parent, "git/config"),
      `[core]\n\tautocrlf = true\n\thooksPath = ${hooks}\n\tfsmonitor = ${evil}\n[filter "evil"]\n\tsmudge = ${evil}\n` +
        `\tclean = ${evil}\n[filter "lfs"]\n\tprocess = ${evil}\n\trequired = true\n[init]\n\ttemplateDir = ${parent}/template\n`,
    );
    vi.stubEnv("XDG_CONFIG_HOME", parent);
    vi.stubEnv("HOME", join(parent, "nobody"));
    vi.stubEnv("GIT_DIR", join(parent, "wrong"));
    vi.stubEnv("EDITOR", evil);
    try {
      const out = join(parent, "out");
      await prepareWorkspace({ repo: folder, baseCommit: base, out, cache: join(parent, "cache") });
      expect(await textIn(out, "src/app.py")).toBe(CONTENT["src/app.py"]);
      expect(await textIn(out, "dos.txt")).toBe(CONTENT["dos.txt"]);
      expect(existsSync(join(out, ".git/secret"))).toBe(false);
      expect(existsSync(marker)).toBe(false);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("runs nothing that the repository's settings name", async () => {
    const parent = freshFolder();
    const { folder, base, marker } = richRepository(parent);
    await prepareWorkspace({ repo: folder, baseCommit: base, out: join(parent, "a"), hide: ["src"] });
    await prepareWorkspace({
      repo: `file://${folder}`,
      baseCommit: base,
      out: join(parent, "b"),
      cache: parent,
    });
    expect(existsSync(marker)).toBe(false);
    // So that the silence means something: git itself does run them.
    git(folder, "status");
    expect(existsSync(marker)).toBe(true);
  });

  test("lacks hidden files and folders, and git sees no change", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "out");
    const hide = ["tests/test_app.py", "with spaces", "tests/test_new.py", "out link", "*"];
    await prepareWorkspace({ repo: folder, baseCommit: base, out, hide });
    for (const name of ["tests/test_app.py", "with spaces/größe 东京.py"]) {
      expect(existsSync(join(out, name)), name).toBe(false);
    }
    expect(await readdir(out)).not.toContain("out link");
    expect(existsSync(join(out, "src/app.py"))).toBe(true);
    expect(git(out, "status", "--porcelain")).toBe("");
    git(out, "add", "-A");
    expect(git(out, "diff", "--cached")).toBe("");
    git(out, "checkout", base, "--", "tests/test_app.py");
    expect(await textIn(out, "tests/test_app.py")).toBe("old test\n");
  });
});

describe("the same call again", () => {
  test("finds the workspace there and does not start git", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const options = { repo: folder, baseCommit: base, out: join(parent, "out"), hide: ["main", "src"] };
    await prepareWorkspace(options);
    vi.stubEnv("PATH", parent);
    try {
      expect(await prepareWorkspace(options)).toEqual({ folder: options.out, made: false });
      expect(await prepareWorkspace({ ...options, hide: ["src", "main"] })).toMatchObject({ made: false });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(JSON.parse(await textIn(parent, "out.json"))).toEqual({
      format: 1,
      repo: folder,
      baseCommit: base,
      singleCommit: false,
      hide: ["main", "src"],
    });
  });

  test("refuses a folder that was made otherwise, that changed, or that is somebody else's", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const options = { repo: folder, baseCommit: base, out: join(parent, "out") };
    await prepareWorkspace(options);
    const end = "; remove it, or choose another `out`";
    await expect(prepareWorkspace({ ...options, baseCommit: past })).rejects.toThrow(
      new InputError(`prepare: ${options.out} holds a workspace made with other options${end}`),
    );
    commit(options.out, { new: "new" });
    await expect(prepareWorkspace(options)).rejects.toThrow(
      new InputError(`prepare: the repository in ${options.out} was changed since${end}`),
    );
    await expect(prepareWorkspace({ ...options, out: folder })).rejects.toThrow(
      new InputError(`prepare: ${folder} is not empty${end}`),
    );
    writeFileSync(join(parent, "file"), "");
    await expect(prepareWorkspace({ ...options, out: join(parent, "file") })).rejects.toThrow(
      new InputError(`prepare: ${join(parent, "file")} is a file; choose another \`out\``),
    );
  });

  test("starts afresh where a killed process left a part, a stamp or an empty folder", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "to/out");
    await mkdir(join(parent, "to/.out.part/.git"), { recursive: true });
    await mkdir(out);
    writeFileSync(join(parent, "to/.out.part/rest"), "x");
    writeFileSync(join(parent, "to/.out.lock"), "999999999 1\n");
    writeFileSync(`${out}.json`, "stale");
    expect(await prepareWorkspace({ repo: folder, baseCommit: base, out })).toMatchObject({ made: true });
    expect((await readdir(join(parent, "to"))).sort()).toEqual(["out", "out.json"]);
    expect(await readdir(out)).not.toContain("rest");
  });
});

describe("several at once", () => {
  test("the same workspace is made once", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const options = { repo: folder, baseCommit: base, out: join(parent, "out") };
    const all = await Promise.all([1, 2, 3].map(() => prepareWorkspace(options)));
    expect(all.filter(({ made }) => made)).toHaveLength(1);
  });

  test("commits of one address are fetched once, by a cache", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const notes: string[] = [];
    const cache = join(parent, "cache");
    const prepared = [base, past, base, past].map((baseCommit, at) =>
      prepareWorkspace({
        repo: `file://${folder}`,
        baseCommit,
        out: join(parent, `out${at}`),
        cache,
        onNote: (text) => notes.push(text),
      }),
    );
    await Promise.all(prepared);
    expect(notes).toEqual([`prepare: fetching the branches of file://${folder}`]);
    expect(git(join(parent, "out3"), "rev-parse", "HEAD")).toBe(past);
    // Nothing is shared with the cache.
    await rm(cache, { recursive: true });
    await rm(folder, { recursive: true });
    expect(git(join(parent, "out0"), "fsck", "--full")).toBe("");
  });

  test("a cache fetches again what it has not, also a commit on no branch", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const repo = `file://${folder}`;
    const cache = join(parent, "cache");
    await prepareWorkspace({ repo, baseCommit: base, out: join(parent, "a"), cache });
    git(folder, "config", "--unset", "core.fsmonitor");
    const later = commit(folder, { later: "on a detached head\n" });
    await prepareWorkspace({ repo, baseCommit: later, out: join(parent, "b"), cache });
    expect(git(join(parent, "b"), "rev-parse", "HEAD")).toBe(later);
    const [mirror, ...others] = (await readdir(cache)).filter((name) => !name.startsWith("."));
    expect(others).toEqual([]);
    expect(mirror).toMatch(/^forkgym-prepare-\w+__source-[0-9a-f]{12}\.git$/);

    git(folder, "checkout", "-q", "trunk");
    const newest = commit(folder, { newest: "on a branch\n" });
    await prepareWorkspace({ repo, baseCommit: newest, out: join(parent, "c"), cache });
    const refs = git(join(cache, mirror!), "for-each-ref", "--format=%(refname) %(objectname)").split("\n");
    expect(refs).toContain(`refs/heads/trunk ${newest}`);
    expect(refs.filter((ref) => ref.startsWith("refs/forkgym/"))).toEqual([`refs/forkgym/${later} ${later}`]);
  });
});

test.each([0, 20])("an abort after %i ms ends it with the signal's reason and leaves nothing", async (ms) => {
  const parent = freshFolder();
  const { folder, base } = richRepository(parent);
  const controller = new AbortController();
  const options = {
    repo: `file://${folder}`,
    baseCommit: base,
    out: join(parent, "to/out"),
    cache: join(parent, "cache"),
    signal: controller.signal,
    onNote: () => setTimeout(() => controller.abort(new Error("enough")), ms),
  };
  await expect(prepareWorkspace(options)).rejects.toThrow("enough");
  expect(await readdir(join(parent, "to"))).toEqual([]);
  expect((await readdir(join(parent, "cache"))).filter((name) => name.startsWith("."))).toEqual([]);
  await expect(prepareWorkspace(options)).rejects.toThrow("enough");
});

describe("what cannot be prepared is told in one line", () => {
  const commitId = "0123456789012345678901234567890123456789";
  const fails = (options: Parameters<typeof prepareWorkspace>[0], message: string) =>
    expect(prepareWorkspace(options)).rejects.toThrow(new InputError(message));

  test("a commit that is none", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "to/out");
    await fails(
      { repo: folder, baseCommit: "HEAD", out },
      'prepare: expected 40 hexadecimal digits as `baseCommit`, got "HEAD"',
    );
    for (const cache of [undefined, join(parent, "cache")]) {
      const repo = cache === undefined ? folder : `file://${folder}`;
      await fails(
        { repo, baseCommit: commitId, out, ...(cache && { cache }) },
        `prepare: ${repo} has no commit ${commitId}; check \`baseCommit\` and that the repository is the right one`,
      );
    }
    const tree = git(folder, "rev-parse", `${base}^{tree}`);
    await fails(
      { repo: folder, baseCommit: tree, out },
      `prepare: expected a commit as \`baseCommit\`, got the tree ${tree}`,
    );
    expect(await readdir(join(parent, "to"))).toEqual([]);
  });

  test("a repository that is not there, or that no safe transport reaches", async () => {
    const parent = freshFolder();
    const out = join(parent, "out");
    await fails(
      { repo: join(parent, "none"), baseCommit: commitId, out },
      `prepare: no repository at ${join(parent, "none")}: there is no such folder; give a folder or an address`,
    );
    for (const repo of ["ext::sh -c true", "-u", "--upload-pack=x"]) {
      await fails(
        { repo, baseCommit: commitId, out },
        `prepare: no repository at ${repo}: there is no such folder; give a folder or an address`,
      );
    }
    await fails(
      { repo: "ftp://example.com/x", baseCommit: commitId, out },
      'prepare: expected an address with https, http, ssh, git or file, got "ftp://"',
    );
    await mkdir(join(parent, "empty"));
    await expect(
      prepareWorkspace({ repo: join(parent, "empty"), baseCommit: commitId, out }),
    ).rejects.toThrow(
      /^prepare: cannot read from .*empty: fatal: '.*empty' does not appear to be a git repository; .*; check the address and the network$/,
    );
  });

  test("credentials in an address are not shown and not kept", async () => {
    const parent = freshFolder();
    const options = { baseCommit: commitId, out: join(parent, "out"), cache: join(parent, "cache") };
    const failure = await prepareWorkspace({
      ...options,
      repo: "http://me:secret@127.0.0.1:9/a/b.git",
    }).catch((error: Error) => error.message);
    expect(failure).toContain("prepare: cannot read from http://127.0.0.1:9/a/b.git: fatal: ");
    expect(failure).not.toContain("secret");
  });

  test("a history with holes", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const blob = git(folder, "--no-replace-objects", "rev-parse", `${past}^{tree}:src/app.py`);
    await rm(join(folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    await expect(
      prepareWorkspace({ repo: folder, baseCommit: base, out: join(parent, "out") }),
    ).rejects.toThrow(InputError);
    expect((await readdir(parent)).filter((name) => name.includes("out"))).toEqual([]);
  });

  test("hidden files outside", async () => {
    const parent = freshFolder();
    for (const name of ["../x", "/etc/passwd", ".git/config", "a/../../b", ""]) {
      await fails(
        { repo: parent, baseCommit: commitId, out: join(parent, "out"), hide: [name] },
        `prepare: expected paths inside the repository in \`hide\`, got ${JSON.stringify(name)}`,
      );
    }
  });

  test("git that is not installed, or too old", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const bin = join(parent, "bin");
    mkdirSync(bin);
    vi.stubEnv("PATH", bin);
    try {
      const options = { repo: folder, baseCommit: base, out: join(parent, "out") };
      await fails(options, "prepare: git is not installed; install git 2.32 or newer");
      writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.25.1\n", { mode: 0o755 });
      await fails(options, "prepare: expected git 2.32 or newer, got 2.25; install a newer one");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
