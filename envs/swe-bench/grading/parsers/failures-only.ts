import type { LogParser, StatusMap } from "./log-parser.ts";
import { pattern, strip, stripEnd, stripStart } from "./python-text.ts";

/** Runners whose logs name failures alone: what is not named passed, so `eval_type` is fail_only. */
function failures(found: (log: string) => Iterable<string>): LogParser {
  return (log) => new Map([...found(log)].map((name) => [name, "FAILED"]));
}

function* groups(log: string, expressions: readonly RegExp[]): Generator<string> {
  for (const expression of expressions) for (const match of log.matchAll(expression)) yield match.at(-1)!;
}

const SPACES = pattern("\\s+", "g");

function oneSpaced(name: string): string {
  return strip(name.replace(SPACES, " "));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins what is taken out
const ANSI = /\x1b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])/g;

const CHART_JS = [pattern("Chrome\\s[\\d.]+[^\\S\\r\\n]\\(.+?\\)[^\\S\\r\\n](.*)FAILED$", "gm")];

export const chartJs: LogParser = failures((log) => groups(log.replace(ANSI, ""), CHART_JS));

const BPMN_JS = [
  pattern("2KPhantomJS\\s[\\d.]+\\s\\(Linux\\s[\\d.]+\\)\\s(.*)FAILED\\n", "g"),
  pattern("2KPhantomJS\\s[\\d.]+\\s\\(Linux\\sx86_64\\)\\s(.*)FAILED\\n", "g"),
  pattern("Chrome\\sHeadless\\s.*\\s\\(Linux\\sx86_64\\)\\s(.*)FAILED\\n", "g"),
  pattern("HeadlessChrome\\s[\\d.]+\\s\\(Linux\\s[\\d.]+\\)\\s(.*)FAILED\\n", "g"),
];

export const bpmnJs: LogParser = failures((log) => groups(log, BPMN_JS));

const OPENLAYERS = [
  pattern("Chrome\\sHeadless\\s[\\d.]+\\s\\(Linux\\s\\S+\\)\\s(.*)\\sFAILED\\n", "gm"),
  pattern("Chrome\\s[\\d.]+\\s\\(Linux\\s\\S+\\)\\s(.*)FAILED\\n", "gm"),
  pattern("^\\s{2}\\d+\\)([\\s\\S]*?)Error:", "gm"),
  pattern("^case\\s(.*):\\smismatch", "gm"),
];

export const openlayers: LogParser = failures((log) => [...groups(log, OPENLAYERS)].map(oneSpaced));

const ESLINT = [pattern("\\s{2}\\d+\\)([\\s\\S]*?)\\s+(?:.*Error)", "g")];

export const eslint: LogParser = failures((log) => [...groups(log, ESLINT)].map(oneSpaced));

const MARKED = [pattern("^\\d+\\)[^\\S\\n](.*)", "gm")];

export const marked: LogParser = failures((log) => [...groups(log, MARKED)].map(strip));

const P5JS = pattern("^\\s*(\\d+)\\)([\\s\\S]{0,1000}?):", "gm");

/** p5.js: mocha's numbered failures, their suites one deeper than the other, in a log full of JSON and XML. */
export const p5js: LogParser = (log) => {
  const statuses: StatusMap = new Map();
  const text = withoutElements(withoutBlocks(log.replace(ANSI, "")));
  for (const [, , title] of text.matchAll(P5JS)) {
    const lines = title!.split("\n");
    const indents = lines.map((line) => line.length - stripStart(line).length);
    if (indents.every((indent, at) => indent > (indents[at - 1] ?? 0))) {
      statuses.set(lines.map(strip).join(":"), "FAILED");
    }
  }
  return statuses;
};

/** Without JSON, by how its lines begin and end. */
function withoutBlocks(log: string): string {
  const kept: string[] = [];
  let [inObject, inList] = [false, false];
  for (const line of log.split("\n")) {
    const text = stripEnd(line);
    if (text.endsWith("{")) inObject = true;
    else if (text.endsWith("[")) inList = true;
    else if (text === "}" && inObject) inObject = false;
    else if (text === "]" && inList) inList = false;
    else if (inObject || inList) continue;
    else if (text.startsWith("{") && text.endsWith("}")) continue;
    else if (text.startsWith("[") && text.endsWith("]")) continue;
    else kept.push(line);
  }
  return kept.join("\n");
}

const XML = pattern("<(\\w+)>[\\s\\S]*?<\\/\\1>");

/** Without XML elements, inner ones first: a start that is left over goes on to the next end. */
function withoutElements(log: string): string {
  let text = log;
  for (let match = XML.exec(text); match !== null; match = XML.exec(text)) {
    const start = `<${match[1]}>`;
    const left = start.repeat(Math.max(match[0].split(start).length - 2, 0));
    text = text.slice(0, match.index) + left + text.slice(match.index + match[0].length);
  }
  return text;
}
