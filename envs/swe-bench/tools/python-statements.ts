/** A logical line of Python: a statement, or the header of one. Lines count from 0, both included. */
export interface Statement {
  readonly first: number;
  readonly last: number;
  /** Columns, tabs to multiples of 8. */
  readonly indent: number;
  /** Its first line, without the indentation. */
  readonly head: string;
}

/** The logical lines of Python source, comments and blank lines left out. Linear in the size of the source. */
export function statementsOf(lines: readonly string[]): Statement[] {
  const statements: Statement[] = [];
  const state: Open = { quote: "", depth: 0 };
  let first = -1;
  lines.forEach((line, number) => {
    const head = line.trimStart();
    if (first < 0 && (head === "" || head.startsWith("#"))) return;
    if (first < 0) first = number;
    const isContinued = scan(line, state);
    if (state.quote !== "" || state.depth > 0 || isContinued) return;
    statements.push({ first, last: number, ...headOf(lines[first]!) });
    first = -1;
  });
  if (first >= 0) statements.push({ first, last: lines.length - 1, ...headOf(lines[first]!) });
  return statements;
}

/** What is open at the end of a line. */
interface Open {
  /** The quotes that end the string, or none. */
  quote: string;
  /** Brackets. */
  depth: number;
}

/** Follows a line's quotes and brackets; says whether it ends in a backslash that joins it to the next. */
function scan(line: string, state: Open): boolean {
  let at = 0;
  while (at < line.length) {
    const char = line[at]!;
    if (char === "\\") {
      if (at === line.length - 1) return true;
      at += 2;
    } else if (state.quote !== "") {
      const isEnd = line.startsWith(state.quote, at);
      at += isEnd ? state.quote.length : 1;
      if (isEnd) state.quote = "";
    } else if (char === "#") {
      return false;
    } else {
      if (char === '"' || char === "'")
        state.quote = line.startsWith(char.repeat(3), at) ? char.repeat(3) : char;
      else if ("([{".includes(char)) state.depth++;
      else if (")]}".includes(char)) state.depth = Math.max(0, state.depth - 1);
      at += state.quote === "" ? 1 : state.quote.length;
    }
  }
  // A string of one quote ends with its line.
  if (state.quote.length === 1) state.quote = "";
  return false;
}

function headOf(line: string): { readonly indent: number; readonly head: string } {
  const head = line.trimStart();
  let indent = 0;
  for (const char of line.slice(0, line.length - head.length))
    indent = char === "\t" ? (indent | 7) + 1 : indent + 1;
  return { indent, head };
}
