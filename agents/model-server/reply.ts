import { ServerError, type ServerFault } from "./errors.ts";

/**
 * How far above 0 a log-probability may lie, for rounding in half precision; it then counts as 0.
 * More is a reply that makes no sense.
 */
export const LOGPROB_SLACK = 1e-3;

/** What vLLM writes in place of a log-probability that is NaN or minus infinity, since JSON has no word for them. */
export const NO_LOGPROB = -9999;

/** A place in a server's reply. What is not as it should be is a `malformed` reply that names the place. */
export class Field {
  readonly value: unknown;
  readonly #server: string;
  readonly #path: string;

  constructor(server: string, value: unknown, path = "") {
    this.#server = server;
    this.#path = path;
    this.value = value;
  }

  /** @throws {ServerError} always. */
  fail(expected: string, got: string = described(this.value)): never {
    const field = this.#path === "" ? "the reply" : `\`${this.#path}\``;
    throw this.error("malformed", `expected ${field} to be ${expected}, got ${got}`);
  }

  error(fault: ServerFault, what: string): ServerError {
    return new ServerError(fault, `${this.#server}: ${what}`);
  }

  /** Whether there is anything but null. */
  get given(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  get(key: string): Field {
    const fields = this.#fields();
    const path = this.#path === "" ? key : `${this.#path}.${key}`;
    return new Field(this.#server, Object.hasOwn(fields, key) ? fields[key] : undefined, path);
  }

  keys(): readonly string[] {
    return Object.keys(this.#fields());
  }

  #fields(): Readonly<Record<string, unknown>> {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.fail("an object");
    return value as Readonly<Record<string, unknown>>;
  }

  at(index: number): Field {
    return new Field(this.#server, this.list()[index], `${this.#path}[${index}]`);
  }

  list(): readonly unknown[] {
    return Array.isArray(this.value) ? this.value : this.fail("a list");
  }

  /** The only element of a list. */
  only(): Field {
    const { length } = this.list();
    return length === 1 ? this.at(0) : this.fail("a list of one, as `n` was 1", `${length}`);
  }

  text(): string {
    return typeof this.value === "string" ? this.value : this.fail("a text");
  }

  /** A whole number from 0. */
  whole(): number {
    return isWhole(this.value) ? this.value : this.fail("a whole number from 0");
  }

  tokenIds(): readonly number[] {
    const ids = this.list();
    for (let at = 0; at < ids.length; at++) if (!isWhole(ids[at])) this.at(at).fail("a token id");
    return ids as readonly number[];
  }

  /** Finite and at most 0, give or take {@link LOGPROB_SLACK}. */
  logprob(): number {
    const { value } = this;
    if (typeof value !== "number" || !Number.isFinite(value) || value > LOGPROB_SLACK) {
      this.fail("a finite log-probability of at most 0");
    }
    return Math.min(0, value);
  }

  /** Of a token that was sampled: one that was chosen has a probability, so that {@link NO_LOGPROB} says that the server lost it. */
  sampledLogprob(): number {
    const value = this.logprob();
    if (value > NO_LOGPROB) return value;
    return this.fail(
      `a log-probability of the token that was sampled, above ${NO_LOGPROB}, which servers write for NaN and -Infinity`,
    );
  }

  /** Exactly `ids`. */
  same(ids: readonly number[]): readonly number[] {
    const got = this.tokenIds();
    const at = got.findIndex((id, index) => id !== ids[index]);
    if (at < 0 && got.length === ids.length) return got;
    const difference =
      at < 0 || at >= ids.length
        ? `${got.length} of them`
        : `${got[at]} instead of ${ids[at]} at place ${at}`;
    return this.fail(`the ${ids.length} tokens that were sent; the server changed the prompt`, difference);
  }
}

export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A value in a few words: large and deep ones are not printed. */
function described(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return String(value);
}
