import { type LogParser, type StatusMap, UnreadableLog } from "./log-parser.ts";

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

/** C++ doctest with `-s -r=xml`: a subcase passes where all expressions under it do. */
export const doctest: LogParser = (log) => {
  const statuses: StatusMap = new Map();
  const from = log.indexOf("<doctest");
  if (from < 0) return statuses;
  const end = log.indexOf("</doctest>", from);
  if (end < 0) throw new UnreadableLog("grading: <doctest> does not end");
  const root = readXml(log.slice(from, end + "</doctest>".length));
  for (const test of under(root, "TestCase")) {
    for (const subcase of under(test, "SubCase")) {
      const passed = under(subcase, "Expression").every(({ attributes }) => attributes.success === "true");
      const name = `${test.attributes.name ?? "None"} > ${subcase.attributes.name ?? "None"}`;
      statuses.set(name, passed ? "PASSED" : "FAILED");
    }
  }
  return statuses;
};

function under(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...under(child, name),
  ]);
}

const PIECE =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_:][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/gy;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows them nowhere
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Elements and attributes, no more; not well-formed is an error, as it is for the official parser. */
function readXml(text: string): Element {
  if (FORBIDDEN.test(text)) throw malformed();
  const top: Element = { name: "", attributes: {}, children: [] };
  const open = [top];
  let read = 0;
  for (const [piece, closing, name, attributes, empty] of text.matchAll(PIECE)) {
    read += piece.length;
    if (name === undefined) continue;
    if (closing === "/") {
      if (open.length < 2 || open.pop()!.name !== name) throw malformed();
      continue;
    }
    const element: Element = { name, attributes: readAttributes(attributes ?? ""), children: [] };
    open.at(-1)!.children.push(element);
    if (empty !== "/") open.push(element);
  }
  if (read !== text.length || open.length !== 1 || top.children.length !== 1) throw malformed();
  return top.children[0]!;
}

function malformed(): UnreadableLog {
  return new UnreadableLog("grading: the log's <doctest> is not well-formed XML");
}

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) {
    attributes[name!] = plain((double ?? single)!.replace(/[\t\n\r]/g, " "));
  }
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]+|#[0-9]+|\w+);?/g, (whole, name: string) => {
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const char = name.startsWith("#") ? fromCode(code) : ENTITIES[name];
    if (char === undefined || !whole.endsWith(";")) {
      throw new UnreadableLog(`grading: the log's <doctest> has an unknown entity ${whole}`);
    }
    return char;
  });
}

function fromCode(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
