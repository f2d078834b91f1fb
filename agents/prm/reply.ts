import { ServerError } from "../model-server/errors.ts";

/** The reply of a vLLM route that answers several inputs: what it says of each, in the order of the inputs. */
export interface ListReply {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly promptTokens: number;
  readonly cachedTokens?: number;
}

/**
 * Reads `{ data: [{ index, ... }], usage }`. Usage that is missing counts as 0 tokens; more cached tokens than the
 * prompts have count as all of them.
 * @throws {ServerError} unless there is exactly one entry for each input.
 */
export function readListReply(reply: unknown, path: string, inputs: number): ListReply {
  const data = isRecord(reply) ? reply.data : undefined;
  if (!Array.isArray(data) || data.length !== inputs) {
    const got = Array.isArray(data) ? `${data.length} entries` : typeof data;
    throw new ServerError("malformed", `${path}: expected \`data\` with ${inputs} entries, got ${got}`);
  }
  const items = new Array<Record<string, unknown>>(inputs);
  for (const entry of data) {
    const index = isRecord(entry) ? entry.index : undefined;
    if (!Number.isInteger(index) || !((index as number) >= 0 && (index as number) < inputs)) {
      throw new ServerError(
        "malformed",
        `${path}: expected an \`index\` below ${inputs}, got ${String(index)}`,
      );
    }
    if (items[index as number] !== undefined) {
      throw new ServerError("malformed", `${path}: got index ${index} twice`);
    }
    items[index as number] = entry;
  }
  const usage = isRecord(reply) && isRecord(reply.usage) ? reply.usage : {};
  const details = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const cached = count(details.cached_tokens);
  const promptTokens = count(usage.prompt_tokens) ?? 0;
  return {
    items,
    promptTokens,
    ...(cached !== undefined && { cachedTokens: Math.min(cached, promptTokens) }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
