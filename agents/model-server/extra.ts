import { InputError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";

/** Set by the adapters only so that nothing is left to the server's defaults: a caller may want them otherwise. */
const FREE: ReadonlySet<string> = new Set([
  "min_p",
  "repetition_penalty",
  "presence_penalty",
  "frequency_penalty",
  "stop",
  "ignore_eos",
  "min_tokens",
  "min_new_tokens",
  "skip_special_tokens",
]);

/** Of sampling as well, and set by no adapter. */
const SAMPLING: ReadonlySet<string> = new Set([
  ...FREE,
  "structured_outputs",
  "json_schema",
  "regex",
  "ebnf",
  "structural_tag",
  "logit_bias",
  "bad_words",
  "allowed_token_ids",
  "include_stop_str_in_output",
  "no_stop_trim",
  "custom_params",
]);

const NESTED = "sampling_params";

/**
 * The body with the user's fields in it, those of sampling in `sampling_params` where the route has them there.
 * @throws {InputError} on a field that the adapter must set itself.
 */
export function withExtra(part: string, body: JsonObject, extra: JsonObject = {}): JsonObject {
  const { [NESTED]: given = {}, ...named } = extra;
  if (!isObject(given)) throw new InputError(`${part}: expected \`extra.${NESTED}\` to be an object`);
  const nested = isObject(body[NESTED]) ? body[NESTED] : undefined;
  const ofBody: Record<string, JsonObject[string]> = {};
  const ofSampling: Record<string, JsonObject[string]> = { ...given };
  for (const [key, value] of Object.entries(named)) (SAMPLING.has(key) ? ofSampling : ofBody)[key] = value;
  for (const key of [...Object.keys(ofBody), ...Object.keys(ofSampling)]) {
    const isSet = Object.hasOwn(body, key) || (nested !== undefined && Object.hasOwn(nested, key));
    if (!isSet || FREE.has(key)) continue;
    throw new InputError(`${part}: \`extra.${key}\` is set by the adapter; leave it out`);
  }
  if (nested === undefined) return { ...body, ...ofBody, ...ofSampling };
  return { ...body, ...ofBody, [NESTED]: { ...nested, ...ofSampling } };
}

function isObject(value: JsonObject[string] | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
