import { createHash } from "node:crypto";

/** What survives `JSON.parse(JSON.stringify(x))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** JSON text with object keys sorted and undefined fields left out: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner)
        .filter(([, field]) => field !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });
}

/** SHA-256 of a text in UTF-8, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
