/** Ends an operand, so that a slash behind it divides. */
const OPERAND = /[\w)\]$"]$/;

/** An awk program with `length($0)` for a `length` without parentheses, which the shell's awk takes for a variable. */
export function withLength(program: string): string {
  if (!program.includes("length")) return program;
  let text = "";
  for (let at = 0; at < program.length; ) {
    const rest = program.slice(at);
    const token =
      /^"(?:\\.|[^"\\])*"/s.exec(rest)?.[0] ??
      (rest[0] === "#" ? /^#.*/.exec(rest)?.[0] : undefined) ??
      (rest[0] === "/" && !OPERAND.test(text.trimEnd())
        ? /^\/(?:\\.|\[[^\]\n]*\]|[^/\\\n])*\//.exec(rest)?.[0]
        : undefined) ??
      /^[A-Za-z_]\w*/.exec(rest)?.[0] ??
      rest[0]!;
    at += token.length;
    text += token === "length" && !/^[ \t]*[(=]/.test(program.slice(at)) ? "length($0)" : token;
  }
  return text;
}
