import { STAGES, type Stage } from "./stages.ts";

/** A rating as it was read. */
export interface Rating {
  /** From 0 to 1. */
  readonly value: number;
  /** Where its digit stands in the text, if it is written as one digit and nothing else. */
  readonly digitAt?: number;
}

const NAMES = STAGES.join("|");
const GAP = String.raw`[^\p{L}\p{N}\n:=]{0,20}`;
/** `diagnosis: ...`, whatever list, quote and emphasis marks stand around the name. */
const LINE = new RegExp(
  String.raw`^${GAP}(?:\d{1,2}[.)])?${GAP}(${NAMES})${GAP}(?:(?:stage|score|rating)${GAP})?` +
    String.raw`(?:\([^)\n]{0,30}\))?${GAP}[:=](.*\d.*)$`,
  "gimu",
);
/** A number, perhaps as a share of another, and what follows it. */
const NUMBER =
  /^[\s*_`"'([<]{0,10}(?<number>\d{1,4}(?:\.\d{1,6})?)(?:\s{0,3}(?:\/|out of|of)\s{0,3}(?<whole>\d{1,4}))?(?<after>.*)$/dsu;
/** Stages on one line count as lines of their own. */
const SEPARATOR = new RegExp(String.raw`[,;](?=[\s"'*_]{0,10}(?:${NAMES})\b)`, "giu");

/**
 * The ratings in a judge's reply, by stage: of each stage the last line of the form `stage: number`. A stage is missing
 * whose last line holds no number from 0 to `scale`, several numbers, or a percentage; a share such as 7/10 counts as
 * what it is. Never throws.
 */
export function readRatings(text: string, scale: number): Readonly<Partial<Record<Stage, Rating>>> {
  const ratings: Partial<Record<Stage, Rating>> = {};
  for (const match of text.replace(SEPARATOR, "\n").matchAll(LINE)) {
    const stage = match[1]!.toLowerCase() as Stage;
    const rest = match[2]!;
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
  const { number, whole, after } = groups as { number: string; whole?: string; after: string };
  if (/\d/.test(after) || /^(?:[\p{L}_]|\s*(?:[%\u2030\uFF05/]|per\s?cent))/iu.test(after)) return undefined;
  const most = whole === undefined ? scale : Number(whole);
  const value = Number(number) / most;
  if (!(value >= 0 && value <= 1)) return undefined;
  if (whole !== undefined || number.length > 1) return { value };
  return { value, digitAt: text.indexOf(number) };
}
