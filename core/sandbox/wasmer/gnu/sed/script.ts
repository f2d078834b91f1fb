import type { Regex } from "../regex.ts";

/** Which lines a command is for. A `regex` of undefined is the last one used. */
export type Address =
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "step"; readonly first: number; readonly step: number }
  | { readonly kind: "last" }
  | { readonly kind: "regex"; readonly regex: Regex | undefined };

/** Where a range ends: also so many lines on, or at the next line whose number is a multiple. */
export type RangeEnd =
  | Address
  | { readonly kind: "more"; readonly count: number }
  | { readonly kind: "multiple"; readonly of: number };

export type Case = "U" | "L" | "u" | "l" | "E";

/** What a match is replaced by: text, the match (0) or a group, and changes of case. */
export type Piece = string | { readonly group: number } | { readonly case: Case };

export interface Substitution {
  readonly regex: Regex | undefined;
  readonly pieces: readonly Piece[];
  readonly isGlobal: boolean;
  /** The first match that is replaced, from 1. */
  readonly first: number;
  readonly prints: boolean;
  readonly file: string | undefined;
}

export interface Command {
  readonly name: string;
  readonly from?: Address | undefined;
  readonly to?: RangeEnd | undefined;
  readonly isNegated: boolean;
  /** Of `a`, `i`, `c`. */
  readonly text?: string;
  /** Of `b`, `t`, `T`; empty is the end. */
  readonly label?: string;
  /** Of `r`, `R`, `w`, `W`. */
  readonly file?: string;
  /** Of `q`, `Q`, `l`. */
  readonly number?: number | undefined;
  readonly substitution?: Substitution;
  /** Of `y`: character to character. */
  readonly letters?: ReadonlyMap<string, string>;
  /** Where the script goes on: behind the block if this is a `{` that is not for a line, at the label of a jump. */
  target: number;
}
