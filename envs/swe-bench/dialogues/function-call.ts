import type { SweAction } from "../types.ts";

const EXAMPLE = "<function=NAME>\n<parameter=KEY>VALUE</parameter>\n</function>";

/** Parameters whose white space counts: pieces of files. Of the others it is taken off around the value. */
const TEXTS: ReadonlySet<string> = new Set(["file_text", "old_str", "new_str"]);

const [OPEN, CLOSE] = ["<function=", "</function>"];
const [OPEN_PARAMETER, CLOSE_PARAMETER] = ["<parameter", "</parameter>"];

/**
 * The first function call in a reply, as rLLM and R2E-Gym read it: from `<function=` to the next `</function>`, each
 * value to the next `</parameter>`, all else ignored; of a parameter that comes twice the last counts. So a value can
 * hold any text but these two closing tags. rLLM takes the white space off around every value; here `file_text`,
 * `old_str` and `new_str` lose one line break at either end and keep their indentation. Linear in the reply's length.
 */
export function parseFunctionCall(reply: string): SweAction {
  const start = reply.indexOf(OPEN);
  if (start < 0) return wrong("Your reply held no function call");
  const end = reply.indexOf(CLOSE, start);
  if (end < 0) return wrong(`The function call in your reply was not closed with ${CLOSE}`);
  const call = reply.slice(start + OPEN.length, end);
  const nameEnd = call.indexOf(">");
  const tool = call.slice(0, Math.max(0, nameEnd)).trim();
  if (!/^[^\s<]+$/.test(tool)) return wrong("The function call in your reply had no proper name");
  const values: [string, string][] = [];
  for (let at = call.indexOf(OPEN_PARAMETER, nameEnd); at >= 0; at = call.indexOf(OPEN_PARAMETER, at)) {
    at += OPEN_PARAMETER.length;
    while (at < call.length && call[at]!.trim() === "") at++;
    if (call[at] !== "=") continue;
    const keyEnd = call.indexOf(">", at);
    const valueEnd = keyEnd < 0 ? -1 : call.indexOf(CLOSE_PARAMETER, keyEnd);
    if (valueEnd < 0)
      return wrong(`A parameter of your function call was not closed with ${CLOSE_PARAMETER}`);
    const key = call.slice(at + 1, keyEnd).trim();
    if (key === "") return wrong("A parameter of your function call had no name");
    values.push([key, cleaned(key, call.slice(keyEnd + 1, valueEnd))]);
    at = valueEnd + CLOSE_PARAMETER.length;
  }
  return { tool, arguments: Object.fromEntries(values) };
}

function cleaned(key: string, text: string): string {
  return TEXTS.has(key) ? text.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : text.trim();
}

function wrong(what: string): SweAction {
  return { invalid: `${what}, so nothing was done. Write exactly one call, in this form:\n${EXAMPLE}` };
}
