import { CHECKER } from "./checker/checker.ts";
import { reproductionOf } from "./issue.ts";
import type { Attempt } from "./search.ts";

/** Where the agent keeps its own files: outside of the repository, so that they are in no patch. */
const HOME = "/tmp/repair";
const STATE = `${HOME}/state.json`;
/** The last edit's file, and what the checker knew, as they were before it. */
const KEEP = { file: `${HOME}/keep.py`, state: `${HOME}/keep.json` };

/** Writes the reproduction and the checker, and runs them for the first time. */
export function lookCommand(issue: string, python: string): string {
  const files = { "reproduce.py": reproductionOf(issue), "issue.txt": issue, "check.py": CHECKER };
  const writes = Object.entries(files).map(([name, text]) => hereDocument(`${HOME}/${name}`, text));
  return [`mkdir -p ${HOME} && rm -f ${STATE}`, ...writes, run(python)].join("\n");
}

/** Makes one edit, runs the checks, and takes the edit back unless they are better for it. */
export function tryCommand({ path, line, after }: Attempt, python: string): string {
  const file = quoted(path);
  const edit = `sed -i ${quoted(`${line}s/.*/${replacement(after)}/`)} ${file}`;
  const keep = `cat ${STATE} > ${KEEP.state} && cat ${file} > ${KEEP.file}`;
  return `${keep} && ${edit} && ${run(python)} || { ${restoreCommand(path)}; false; }`;
}

/** Puts back what the last edit changed. */
export function restoreCommand(path: string): string {
  return `cat ${KEEP.file} > ${quoted(path)}; cat ${KEEP.state} > ${STATE}`;
}

function run(python: string): string {
  return `PYTHONHASHSEED=0 ${python} ${HOME}/check.py ${HOME}/reproduce.py`;
}

/** A replacement of sed's `s`. */
function replacement(text: string): string {
  return text.replace(/[\\/&]/g, "\\$&").replaceAll("\n", "\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function hereDocument(path: string, text: string): string {
  let end = "END_OF_FILE";
  while (text.split("\n").includes(end)) end += "_";
  return `cat > ${path} <<'${end}'\n${text.replace(/\n$/, "")}\n${end}`;
}
