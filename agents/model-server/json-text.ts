/**
 * The value of a JSON text in which Python's `NaN`, `Infinity` and `-Infinity` may stand for numbers: the infinities
 * come out as such, `NaN` as null, since whoever reads the value must refuse both. Takes time linear in the text.
 * @throws {SyntaxError} if the text is not JSON otherwise.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const plain = withoutPythonNumbers(text);
    if (plain === text) throw error;
    return JSON.parse(plain);
  }
}

/** `Infinity` becomes a number that is too large, which `JSON.parse` reads as Infinity. Strings stay as they are. */
function withoutPythonNumbers(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const bare = quote < 0 ? text.slice(at) : text.slice(at, quote);
    pieces.push(bare.replace(/\bNaN\b/g, "null").replace(/\bInfinity\b/g, "1e999"));
    if (quote < 0) break;
    const end = endOfString(text, quote);
    pieces.push(text.slice(quote, end));
    at = end;
  }
  return pieces.join("");
}

/** Index after the quote that closes the string opened at `from`, or the text's end. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
