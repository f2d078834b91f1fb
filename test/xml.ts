/** An element as it stands in the text: no tree, that is all the tests need. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text, without that of the elements in it, entities resolved. */
  readonly text: string;
}

/** Either a tag or the text up to the next one. */
const TOKEN = /<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const ENTITY = /&(?:#(\d+)|(lt|gt|amp|quot|apos));/g;
const NAMED = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * The elements of an XML document without declaration, comments or CDATA, in the order of their closing.
 * @throws {Error} if it is not well-formed.
 */
export function parseXml(document: string): XmlElement[] {
  const done: XmlElement[] = [];
  const open: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const source = document.trimEnd();
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source);
    if (token === null) throw new Error(`not XML at ${at}: ${source.slice(at, at + 40)}`);
    const [, closing, name = "", attributes = "", selfClosing, text] = token;
    if (open.length === 0 && (at > 0 || closing || text)) throw new Error(`more than one element at ${at}`);
    if (text !== undefined) open.at(-1)!.text += resolve(text);
    else if (closing) {
      const element = open.pop()!;
      if (element.name !== name) throw new Error(`<${element.name}> closed by </${name}> at ${at}`);
      done.push(element);
    } else {
      const element = { name, attributes: attributesOf(attributes), text: "" };
      if (selfClosing) done.push(element);
      else open.push(element);
    }
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)!.name}> is not closed`);
  return done;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name, value] of text.matchAll(/([\w:-]+)="([^"]*)"/g)) {
    if (name! in attributes) throw new Error(`attribute ${name} twice`);
    attributes[name!] = resolve(value!);
  }
  return attributes;
}

function resolve(text: string): string {
  if (/&/.test(text.replace(ENTITY, ""))) throw new Error(`a bare & in "${text}"`);
  if (/[^\P{Cc}\t\n\r]|\p{Cs}/u.test(text)) throw new Error(`a sign that XML cannot hold in "${text}"`);
  return text.replace(ENTITY, (_, code: string | undefined, name: keyof typeof NAMED) =>
    code === undefined ? NAMED[name] : String.fromCodePoint(Number(code)),
  );
}
