import { type GitTree, objectId, treeId } from "./objects.ts";

export interface Person {
  readonly name: string;
  readonly email: string;
  /** Since 1970. */
  readonly seconds: number;
  /** East of Greenwich, in minutes. */
  readonly zone: number;
}

export interface Commit {
  readonly id: string;
  readonly tree: GitTree;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  /** With the line end at its end. */
  readonly message: string;
}

/** A commit as git writes it, and so with git's id. */
export function makeCommit(parts: Omit<Commit, "id">): Commit & { readonly raw: Buffer } {
  const { tree, parents, author, committer, message } = parts;
  const lines = [
    `tree ${treeId(tree)}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature(author)}`,
    `committer ${signature(committer)}`,
  ];
  const raw = Buffer.from(`${lines.join("\n")}\n\n${message}`);
  return { ...parts, id: objectId("commit", raw), raw };
}

export function subjectOf({ message }: Commit): string {
  return message.split("\n\n")[0]!.trimEnd().replaceAll("\n", " ");
}

function signature({ name, email, seconds, zone }: Person): string {
  return `${name} <${email}> ${seconds} ${zoneText(zone)}`;
}

/** 120 is `+0200`. */
export function zoneText(zone: number): string {
  const size = Math.abs(zone);
  const digits = Math.floor(size / 60) * 100 + (size % 60);
  return `${zone < 0 ? "-" : "+"}${String(digits).padStart(4, "0")}`;
}
