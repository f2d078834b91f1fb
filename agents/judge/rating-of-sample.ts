import type { Sample } from "../model-server/model-server.ts";
import { expectedDigit, type SampledToken, tokenAt } from "./expectation.ts";
import { UnreadableError } from "./meter.ts";
import { type Rating, readRatings } from "./read-ratings.ts";
import { STAGES, type Stage } from "./stages.ts";

/** How a reply is read. */
export interface ReadingOptions {
  readonly scale: number;
  readonly weights: Readonly<Record<Stage, number>>;
  readonly tokens?: ((sample: Sample) => readonly SampledToken[] | undefined) | undefined;
}

/**
 * The weighted mean of a reply's three ratings, from 0 to 1: each the mean over the digits' probabilities where these
 * are known, else the number that was written.
 * @throws {UnreadableError} if a stage has no rating.
 */
export function ratingOfSample(sample: Sample, options: ReadingOptions): number {
  if (sample.finishReason === "abort")
    throw new UnreadableError("judge: the reply was aborted by the server");
  const { scale, weights } = options;
  const cut = sample.finishReason === "length";
  const tokens = options.tokens?.(sample);
  const spelling = tokens?.map(({ text }) => text).join("") ?? "";
  // Servers that give tokens and nothing else leave the text empty.
  const text = sample.text === "" ? spelling : sample.text;
  const written = ratingsIn(text, scale, cut);
  const spelled = scale <= 9 ? ratingsIn(spelling, scale, cut) : undefined;
  let sum = 0;
  let total = 0;
  for (const stage of STAGES) {
    const rating = written[stage];
    if (rating === undefined) {
      throw new UnreadableError(`judge: no rating of ${stage} in ${JSON.stringify(text.slice(-200))}`);
    }
    sum += weights[stage] * (expected(rating, spelled?.[stage], tokens, scale) ?? rating.value);
    total += weights[stage];
  }
  return Math.min(1, sum / total);
}

function expected(
  written: Rating,
  spelled: Rating | undefined,
  tokens: readonly SampledToken[] | undefined,
  scale: number,
): number | undefined {
  if (tokens === undefined || spelled?.digitAt === undefined || spelled.value !== written.value)
    return undefined;
  const token = tokenAt(tokens, spelled.digitAt);
  const digit = token && expectedDigit(token, scale);
  return digit === undefined ? undefined : digit / scale;
}

/** The ratings after the thinking; of a text that was cut by its length, not those in its unfinished last line. */
function ratingsIn(text: string, scale: number, cut: boolean): Readonly<Partial<Record<Stage, Rating>>> {
  const thought = text.lastIndexOf("</think>");
  if (thought === -1 && text.includes("<think>")) return {};
  const from = thought === -1 ? 0 : thought + "</think>".length;
  // Blanks keep the offsets.
  const said = " ".repeat(from) + text.slice(from, cut ? Math.max(from, text.lastIndexOf("\n")) : undefined);
  return readRatings(said, scale);
}
