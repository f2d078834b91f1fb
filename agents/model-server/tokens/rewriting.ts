import type { Message } from "../../../core/dialogue.ts";
import { InputError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";

/** Replies whose form a template might change once another turn follows, and what it then does to them. */
const PROBES: readonly { readonly replies: readonly [string, string]; readonly does: string }[] = [
  { replies: ["Alpha", "Beta"], does: "it renders earlier turns otherwise than the last one" },
  {
    replies: ["<think>\nFirst thought\n</think>\n\nAlpha", "<think>\nSecond thought\n</think>\n\nBeta"],
    does: "it drops or changes the thinking of earlier replies",
  },
  { replies: ["  Alpha \n\n", "\n\tBeta  "], does: "it trims the white space around earlier replies" },
];

/** What has to be rendered: a conversation up to where its reply begins, or what stands between a reply and the next. */
export type Question = { readonly messages: readonly Message[] } | { readonly after: Message };

type Questions<T> = Generator<Question, T, string>;

/**
 * How a template rewrites earlier turns, in words; undefined if it does not. Conversations of three user turns, with
 * and without a system message, are rendered whole, and must be what grew by appending. Yields what it needs rendered.
 * @throws {InputError} if the template can render neither.
 */
export function* rewriting(): Questions<string | undefined> {
  let usable = 0;
  let refused: unknown;
  for (const opening of [[], [SYSTEM]]) {
    try {
      yield { messages: [...opening, user(1)] };
      usable++;
    } catch (error) {
      refused = error;
      continue;
    }
    for (const { replies, does } of PROBES) {
      const changed = yield* change(opening, replies);
      if (changed !== undefined) return `${does}: ${changed}`;
    }
  }
  if (usable === 0) throw refused;
  return undefined;
}

function* change(
  opening: readonly Message[],
  [first, second]: readonly [string, string],
): Questions<string | undefined> {
  const messages = [...opening, user(1)];
  let grown = yield { messages: [...messages] };
  for (const [at, content] of [first, second].entries()) {
    messages.push({ role: "assistant", content }, user(at + 2));
    grown += content + (yield { after: user(at + 2) });
    const whole = yield { messages: [...messages] };
    if (whole !== grown) return difference(grown, whole);
  }
  return undefined;
}

/** Runs it with one who renders at once. */
export function answered<T>(questions: Questions<T>, render: (question: Question) => string): T {
  let step = questions.next();
  while (step.done !== true) {
    let text: string;
    try {
      text = render(step.value);
    } catch (error) {
      step = questions.throw(error);
      continue;
    }
    step = questions.next(text);
  }
  return step.value;
}

/** As `answered`, with one who takes time. */
export async function answeredLater<T>(
  questions: Questions<T>,
  render: (question: Question) => Promise<string>,
): Promise<T> {
  let step = questions.next();
  while (step.done !== true) {
    const { value } = step;
    step = await render(value).then(
      (text) => questions.next(text),
      (error) => questions.throw(error),
    );
  }
  return step.value;
}

function difference(grown: string, whole: string): string {
  let at = 0;
  while (at < grown.length && grown[at] === whole[at]) at++;
  const from = Math.max(0, at - 20);
  const piece = (text: string) => JSON.stringify(text.slice(from, at + 40));
  return `${piece(grown)} became ${piece(whole)}`;
}

/** Switches by which known templates can be told to leave earlier turns alone. */
const SWITCHES: readonly JsonObject[] = [
  { preserve_thinking: true },
  { keep_thinking: true },
  { keep_past_thinking: true },
  { clear_thinking: false },
  { drop_thinking: false },
  { truncate_history_thinking: false },
  { enable_thinking: true },
  { enable_thinking: false },
];

/** The switch that the template knows and that makes it safe, if there is one. */
export function saferKwargs(
  template: string,
  rewritingWith: (kwargs: JsonObject) => string | undefined,
): JsonObject | undefined {
  return SWITCHES.find((kwargs) => {
    if (!Object.keys(kwargs).every((name) => template.includes(name))) return false;
    try {
      return rewritingWith(kwargs) === undefined;
    } catch (error) {
      if (error instanceof InputError) return false;
      throw error;
    }
  });
}

const SYSTEM: Message = { role: "system", content: "Rules" };

function user(turn: number): Message {
  return { role: "user", content: `Question ${turn}` };
}
