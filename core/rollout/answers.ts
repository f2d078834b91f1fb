import type { EndReason, Settlement, Step } from "../env.ts";
import { ForkGymError } from "../errors.ts";
import type { Decision, TokenUsage } from "../policy.ts";

// Envs, policies and scorers may be plain JavaScript: what they answer is checked before it is recorded, so that no
// record holds what cannot be read again.

const ENDS: Readonly<Record<EndReason, true>> = {
  success: true,
  failure: true,
  "turn-limit": true,
  "time-limit": true,
};

/** Passes a decision on. @throws {ForkGymError} without an action that JSON has, or on bad `usage`. */
export function checkedDecision<Act>(policy: string, decision: Decision<Act>): Decision<Act> {
  const part = `policy ${policy}`;
  if (typeof decision !== "object" || decision === null) {
    throw new ForkGymError(
      `${part}: expected a decision, an object with an \`action\`, got ${shown(decision)}`,
    );
  }
  if (!isJson(decision.action)) {
    throw new ForkGymError(`${part}: expected \`action\` to be JSON, got ${shown(decision.action)}`);
  }
  checkUsage(part, decision.usage);
  return decision;
}

/** Passes a step on. @throws {ForkGymError} if its reward is not finite or its end not an `EndReason`. */
export function checkedStep<Obs>(step: Step<Obs>): Step<Obs> {
  if (typeof step !== "object" || step === null) {
    throw new ForkGymError(`env: expected step to give an object with a \`reward\`, got ${shown(step)}`);
  }
  const { reward } = step;
  if (!Number.isFinite(reward)) throw new ForkGymError(`env: expected a finite reward, got ${shown(reward)}`);
  const end: unknown = step.end;
  if (isGiven(end) && !(typeof end === "string" && Object.hasOwn(ENDS, end))) {
    const allowed = Object.keys(ENDS).join(", ");
    throw new ForkGymError(
      `env: expected \`end\` to be one of ${allowed}, or to be left out, got ${shown(end)}`,
    );
  }
  return step;
}

/** Passes a settlement on. @throws {ForkGymError} if its reward is not finite. */
export function checkedSettlement(settlement: Settlement): Settlement {
  const reward: unknown = (settlement as Settlement | undefined | null)?.reward;
  if (Number.isFinite(reward)) return settlement;
  throw new ForkGymError(`env: expected a finite reward from settle, got ${shown(reward)}`);
}

/** Passes the sum of a branch's rewards on. @throws {ForkGymError} if finite rewards have added up to infinity. */
export function finiteSum(sum: number): number {
  if (Number.isFinite(sum)) return sum;
  throw new ForkGymError(`env: expected rewards with a finite sum, got ${sum}`);
}

/**
 * Passes a score on; undefined is a missing one.
 * @param part begins the message.
 * @throws {ForkGymError} on anything but a number in [0, 1].
 */
export function checkedScore(score: number | undefined, part = ""): number | undefined {
  if (score === undefined || (typeof score === "number" && score >= 0 && score <= 1)) return score;
  throw new ForkGymError(`${part}expected a score from 0 to 1, got ${shown(score)}`);
}

/** @throws {ForkGymError} if a count is missing or is no number from 0 up; `cachedTokens` and all of it may be missing. */
export function checkUsage(part: string, usage: TokenUsage | undefined): void {
  if (!isGiven(usage)) return;
  const { promptTokens, generatedTokens, cachedTokens } = usage!;
  checkCount(part, "promptTokens", promptTokens);
  checkCount(part, "generatedTokens", generatedTokens);
  if (isGiven(cachedTokens)) checkCount(part, "cachedTokens", cachedTokens);
}

function checkCount(part: string, field: keyof TokenUsage, count: unknown): void {
  if (Number.isFinite(count) && (count as number) >= 0) return;
  throw new ForkGymError(
    `${part}: expected \`usage.${field}\` to be a number from 0 up, got ${shown(count)}`,
  );
}

/** Null counts as absent where a field may be absent: to people who write JavaScript they are the same. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isJson(value: unknown): boolean {
  const type = typeof value;
  return type !== "undefined" && type !== "function" && type !== "symbol" && type !== "bigint";
}

/** A value for a message. */
export function shown(value: unknown): string {
  const isText = typeof value === "string" || (typeof value === "object" && value !== null);
  const text = isText ? (JSON.stringify(value) ?? "an object without JSON") : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
