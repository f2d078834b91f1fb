/** What one command of a shell script is to somebody who only reads it. */
export type ScriptStep =
  /** Changes files; `lines` is a guess of how many lines. */
  | { readonly kind: "edit"; readonly paths: readonly string[]; readonly lines: number }
  /** Takes changes back. */
  | { readonly kind: "undo"; readonly paths: readonly string[] }
  /** Runs tests or a program; `name` tells runs of different things apart. */
  | { readonly kind: "run"; readonly name: string }
  | { readonly kind: "look"; readonly paths: readonly string[] };

const LOOKS = /^(cat|ls|grep|egrep|rg|ag|find|head|tail|nl|less|more|wc|tree|awk|sed|diff|file|stat)$/;
const RUNNERS = /(^|\/)(pytest|py\.test|tox|nosetests|unittest|runtests\.py|test)$/;
const WRITES = /\.write(_text|lines)?\(|open\([^)]*,\s*['"][wa]/;

/** The commands of a script, in order, as far as they say something. Quotes and here-documents are followed, no variables. */
export function stepsOf(script: string): ScriptStep[] {
  const { text, bodies } = withoutHereDocuments(script);
  return commandsOf(text).flatMap((command) => {
    const body = /<<(\d+)>>/.exec(command);
    return stepOf(command.replace(/<<\d+>>/g, ""), body === null ? "" : bodies[Number(body[1])]!);
  });
}

function stepOf(command: string, body: string): ScriptStep[] {
  const words = (command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? []).map(unquoted);
  while (words.length > 0 && /^(\w+=.*|[{(!]|time|env|sudo|then|do|else|exec)$/.test(words[0]!))
    words.shift();
  if (words[0] === "timeout") words.splice(0, /^-/.test(words[1] ?? "") ? 3 : 2);
  const [program = "", ...args] = words;
  const name = program.replace(/^.*\/(?=python|sed|cat|grep|git)/, "");
  const steps: ScriptStep[] = [];
  const files = args.filter(
    (word) => !/^(-|\/dev\/)/.test(word) && /^[\w./-]+$/.test(word) && /[./]/.test(word),
  );
  const lines = body === "" ? 1 : body.split("\n").length;
  if (/^python[\d.]*$/.test(name)) steps.push(...pythonStep(args, body, lines));
  else if (RUNNERS.test(program) && (program !== "test" || args.length === 0)) {
    steps.push({ kind: "run", name: words.join(" ") });
  } else if (/^(sed|perl)$/.test(name) && args.some((word) => /^-[a-zA-Z]*i/.test(word))) {
    steps.push({ kind: "edit", paths: files, lines });
  } else if (name === "patch" || (name === "git" && /^(apply|am)$/.test(args[0] ?? ""))) {
    steps.push({
      kind: "edit",
      paths: [...body.matchAll(/^\+\+\+ b\/(\S+)/gm)].map(([, path]) => path!),
      lines,
    });
  } else if (name === "git" && /^(checkout|restore|stash|reset)$/.test(args[0] ?? "")) {
    steps.push({ kind: "undo", paths: files.filter((path) => path !== ".") });
  } else if (LOOKS.test(name) || name === "git") steps.push({ kind: "look", paths: files });
  const targets = [...command.matchAll(/(?:^|[^>&\d])>>?\s*(['"]?)([\w./-]+)\1/g)].map(([, , path]) => path!);
  if (name === "tee") targets.push(...files);
  const written = targets.filter((path) => !path.startsWith("/dev/"));
  if (written.length === 0) return steps;
  const others = steps.filter(({ kind }) => kind !== "look");
  return [...others, { kind: "edit", paths: written, lines }];
}

function pythonStep(args: readonly string[], body: string, lines: number): ScriptStep[] {
  const at = args.findIndex((word) => !/^-[A-Zbdqsuv]+$/.test(word));
  const first = args[at] ?? "-";
  if (first === "-m")
    return /^pip|^venv/.test(args[at + 1] ?? "") ? [] : [{ kind: "run", name: args.join(" ") }];
  const code = first === "-c" ? (args[at + 1] ?? "") : first === "-" ? body : undefined;
  if (code === undefined) return [{ kind: "run", name: args.join(" ") }];
  const paths = [...code.matchAll(/['"]([\w./-]+\.\w+)['"]/g)].map(([, path]) => path!);
  return WRITES.test(code) ? [{ kind: "edit", paths, lines }] : [{ kind: "run", name: code }];
}

/** The script with a number in the place of each here-document's mark. */
function withoutHereDocuments(script: string): { text: string; bodies: string[] } {
  const bodies: string[] = [];
  const out: string[] = [];
  const lines = script.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const mark = /<<-?\s*(['"]?)(\w+)\1/.exec(lines[at]!);
    if (mark === null) {
      out.push(lines[at]!);
      continue;
    }
    out.push(lines[at]!.replace(mark[0], `<<${bodies.length}>>`));
    const body: string[] = [];
    while (at + 1 < lines.length && lines[at + 1]!.trim() !== mark[2]) body.push(lines[++at]!);
    at++;
    bodies.push(body.join("\n"));
  }
  return { text: out.join("\n"), bodies };
}

/**
 * Splits at `;`, `&&`, `||`, `|` and new lines outside of quotes. What stands behind `||` is for when something went
 * wrong, and is left out: one command, or a group in braces.
 */
function commandsOf(text: string): string[] {
  const parts =
    text.match(
      /(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|&>|>&|<<\d+>>|[^'"\\;&|\n]|['"])+|\|\||[;&|\n]/g,
    ) ?? [];
  const commands: string[] = [];
  let skip: "no" | "one" | "group" = "no";
  for (const part of parts.map((all) => all.trim())) {
    if (part === "||") skip = "one";
    else if (part === "" || /^[;&|]$/.test(part)) continue;
    else if (skip === "no") commands.push(part);
    else if (skip === "one") skip = part.startsWith("{") ? "group" : "no";
    else if (part.startsWith("}")) skip = "no";
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
    (_all, one, two, three) => one ?? two ?? three ?? "",
  );
}
