import { STAGES, type Stage } from "./stages.ts";

/** A rating as it was read. */
export interface Rating {
  /** From 0 to 1. */
  readonly value: number;
  /** Where its digit stands in the text, if it is written as one digit and nothing else. */
  readonly digitAt?: number;
}

const NAMES = STAGES.join("|");
const WORDS = "score|rating|value";
const GAP = String.raw`[^\p{L}\p{N}\n:=]{0,20}`;
const OPENING = String.raw`[\s*_\x60"'([<]{0,10}`;
const CLOSING = String.raw`[*_\x60"')\]>]{0,10}`;
/**
 * `diagnosis: ...`, whatever list, quote and emphasis marks stand around the name. A dash and a table's bar tell less
 * than a colon does, so that a number must follow them.
 */
const LINE = new RegExp(
  String.raw`^${GAP}(?:\d{1,2}[.)]${GAP})?(${NAMES})${GAP}(?:(?:stage|score|rating)${GAP})?` +
    String.raw`(?:\([^)\n]{0,30}\)${GAP})?(?:[:=](.*\d.*)|(?:\||\s[-\u2013\u2014]\s)(${OPENING}\d.*))$`,
  "gimu",
);
/** A number, perhaps as a share of another, and what follows it. `field`: it is one of an object's. */
const NUMBER = new RegExp(
  String.raw`^(?<field>\s{0,3}\{\s{0,40}["']?(?:${WORDS})["']?\s{0,3}[:=])?${OPENING}(?<number>\d{1,4}(?:\.\d{1,6})?)` +
    String.raw`(?:${CLOSING}\s{0,3}\(?\s{0,3}(?:\/|out of|of)\s{0,3}[*_]{0,4}(?<whole>\d{1,4}))?${CLOSING}(?<after>.*)$`,
  "dsiu",
);
/** What may hold numbers of its own: `(it ran 2 tests)`, the next cell of a table; other fields of an object. */
const REMARK = /[(|]\s{0,5}(?!(?:or|to|and|perhaps|maybe)\b)\p{L}[^()|]*/giu;
const TEXT_FIELD = /[:=]\s{0,5}"[^"]*"/gu;
/** Stages on one line count as lines of their own. */
const SEPARATOR = new RegExp(String.raw`[,;](?=[\s"'*_]{0,10}(?:${NAMES})\b)`, "giu");
/** An object's number counts as being on the line of the object's name. */
const BROKEN = new RegExp(String.raw`[:=]\s{0,10}\{\s{0,40}(?=["']?(?:${WORDS})\b)`, "giu");

/**
 * The ratings in a judge's reply, by stage: of each stage the last line of the form `stage: number`. `stage - number`,
 * a table's row and JSON are of that form too; a line without a digit is not, it is words about the stage. A stage is
 * missing whose last line holds no whole number from 0 to `scale`, several numbers, or a percentage; a share such as
 * 7/10 counts as what it is, and a remark in brackets may hold numbers. Never throws.
 */
export function readRatings(text: string, scale: number): Readonly<Partial<Record<Stage, Rating>>> {
  const ratings: Partial<Record<Stage, Rating>> = {};
  const lines = text.replace(SEPARATOR, "\n").replace(BROKEN, (open) => open.replaceAll(/[\n\r]/g, " "));
  for (const match of lines.matchAll(LINE)) {
    const stage = match[1]!.toLowerCase() as Stage;
    const rest = match[2] ?? match[3]!;
    const rating = readNumber(rest, scale);
    delete ratings[stage];
    if (rating === undefined) continue;
    const { value, digitAt } = rating;
    const from = match.index + match[0].length - rest.length;
    ratings[stage] = digitAt === undefined ? { value } : { value, digitAt: from + digitAt };
  }
  return ratings;
}

/** The one rating in what follows `stage:`; undefined if there is none, or more than one. */
export function readNumber(text: string, scale: number): Rating | undefined {
  const groups = NUMBER.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { field, number, whole, after } = groups as Record<"number" | "after", string> &
    Partial<Record<"field" | "whole", string>>;
  if (/^(?:[\p{L}_]|\s*(?:[%\u2030\uFF05/]|per\s?cent))/iu.test(after)) return undefined;
  if (/\d/.test(after.replace(field === undefined ? REMARK : TEXT_FIELD, ""))) return undefined;
  // 0.8 is of a scale from 0 to 1, whatever was asked for.
  if (whole === undefined && number.includes(".")) return undefined;
  const most = whole === undefined ? scale : Number(whole);
  const value = Number(number) / most;
  if (!(value >= 0 && value <= 1)) return undefined;
  if (whole !== undefined || number.length > 1) return { value };
  return { value, digitAt: text.indexOf(number) };
}
