import fc from "fast-check";

/** One change of a JSON value: where, by the turns taken from the root, and what. */
interface Edit {
  readonly turns: readonly number[];
  readonly kind: "drop" | "replace" | "retype" | "nudge" | "python" | "repeat" | "wrap" | "rename";
  readonly value: unknown;
}

/** What becomes of a valid body. */
export interface Mutation {
  readonly edits: readonly Edit[];
  /** Of the text, from 0 to 1; undefined leaves it. */
  readonly cut: number | undefined;
  readonly bytes: readonly { readonly at: number; readonly byte: number }[] | undefined;
  /** Stands for the whole body. */
  readonly instead: Uint8Array | undefined;
}

/** Written without quotes, as Python does. */
const BARE = ["NaN", "Infinity", "-Infinity"];
const bare = fc.constantFrom(...BARE.map((name) => `@${name}@`));

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -1,
    1,
    0.5,
    -0.25,
    5e-4,
    1e308,
    2 ** 53,
    -9999,
    "",
    "0",
    "97",
    "stop",
    "length",
    [],
    {},
  ),
  bare,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
  fc.array(fc.nat(300), { maxLength: 5 }),
  fc.jsonValue({ maxDepth: 2 }),
);

const edit: fc.Arbitrary<Edit> = fc.record({
  turns: fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
  kind: fc.constantFrom("drop", "replace", "retype", "nudge", "python", "repeat", "wrap", "rename"),
  value,
});

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 15 }, { arbitrary, weight: 1 });

/** Mostly the JSON's fields, now and then the text or the bytes; a few bodies stay as they are. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  edits: fc.array(edit, { maxLength: 3 }),
  cut: seldom(fc.double({ min: 0, max: 1, noNaN: true })),
  bytes: seldom(fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { minLength: 1, maxLength: 4 })),
  instead: seldom(
    fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    ),
  ),
});

export function mutated(body: string, { edits, cut, bytes, instead }: Mutation): Uint8Array {
  if (instead !== undefined) return instead;
  const root = { body: JSON.parse(body) as unknown };
  for (const one of edits) apply(root, one);
  let text = JSON.stringify(root.body) ?? "";
  for (const name of BARE) text = text.replaceAll(`"@${name}@"`, name);
  const all = Buffer.from(text);
  const kept = cut === undefined ? all : all.subarray(0, Math.floor(all.length * cut));
  for (const { at, byte } of bytes ?? []) if (kept.length > 0) kept[at % kept.length] = byte;
  return kept;
}

type Holder = Record<string, unknown>;

function apply(root: Holder, { turns, kind, value: fresh }: Edit): void {
  let holder = root;
  let key = "body";
  for (const turn of turns) {
    const inner = holder[key];
    if (typeof inner !== "object" || inner === null || Object.keys(inner).length === 0) break;
    const keys = Object.keys(inner);
    holder = inner as Holder;
    key = keys[turn % keys.length]!;
  }
  const old = holder[key];
  switch (kind) {
    case "drop":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case "replace":
      holder[key] = fresh;
      break;
    case "retype":
      holder[key] = retyped(old);
      break;
    case "nudge":
      if (typeof old === "number") holder[key] = old + 1;
      if (typeof old === "string") holder[key] = `${old}x`;
      break;
    case "python":
      if (typeof old === "number") holder[key] = `@${BARE[turns.length % BARE.length]}@`;
      break;
    case "repeat":
      if (Array.isArray(holder)) holder.splice(Number(key), 0, old);
      else if (Array.isArray(old)) holder[key] = [...old, ...old];
      break;
    case "wrap":
      holder[key] = [old];
      break;
    case "rename":
      if (Array.isArray(holder)) holder.reverse();
      else {
        delete holder[key];
        holder[`${key}s`] = old;
      }
  }
}

/** The same, as another type would hold it. */
function retyped(old: unknown): unknown {
  if (typeof old === "number") return String(old);
  if (typeof old === "string") return old.length;
  if (Array.isArray(old)) return { ...old, length: old.length };
  if (typeof old === "object" && old !== null) return Object.entries(old);
  return old === null ? "null" : Number(old);
}
