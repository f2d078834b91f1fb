import type { TokenUsage } from "../policy.ts";

/** What a rollout cost. Comparisons at equal budgets are made on these numbers. */
export interface Budget {
  /** Decisions of the policy. */
  turns: number;
  envSteps: number;
  resets: number;
  snapshots: number;
  forks: number;
  promptTokens: number;
  /** Prompt tokens that came from a server's cache; included in `promptTokens`. */
  cachedTokens: number;
  generatedTokens: number;
  scorerCalls: number;
  /** Tokens that scorers spent, as far as they report it; absent if none did. */
  scorerPromptTokens?: number;
  /** Included in `scorerPromptTokens`. */
  scorerCachedTokens?: number;
  scorerGeneratedTokens?: number;
  /** By the clock, scoring included. The only number that differs between two runs of one seed. */
  seconds: number;
}

export function emptyBudget(): Budget {
  return {
    turns: 0,
    envSteps: 0,
    resets: 0,
    snapshots: 0,
    forks: 0,
    promptTokens: 0,
    cachedTokens: 0,
    generatedTokens: 0,
    scorerCalls: 0,
    seconds: 0,
  };
}

/** Adds what one call of a model cost. */
export function addUsage(budget: Budget, usage: TokenUsage | undefined): void {
  if (usage === undefined) return;
  budget.promptTokens += usage.promptTokens;
  budget.generatedTokens += usage.generatedTokens;
  budget.cachedTokens += usage.cachedTokens ?? 0;
}

/** Adds what a score cost. */
export function addScorerUsage(budget: Budget, usage: TokenUsage): void {
  const { promptTokens, cachedTokens = 0, generatedTokens } = usage;
  budget.scorerPromptTokens = (budget.scorerPromptTokens ?? 0) + promptTokens;
  budget.scorerCachedTokens = (budget.scorerCachedTokens ?? 0) + cachedTokens;
  budget.scorerGeneratedTokens = (budget.scorerGeneratedTokens ?? 0) + generatedTokens;
}

/** Adds all of `more` to `budget`. */
export function addBudget(budget: Budget, more: Budget): void {
  for (const [key, count] of Object.entries(more) as [keyof Budget, number][]) {
    budget[key] = (budget[key] ?? 0) + count;
  }
}

/** The sum of several budgets. */
export function sumBudgets(budgets: Iterable<Budget>): Budget {
  const sum = emptyBudget();
  for (const budget of budgets) addBudget(sum, budget);
  return sum;
}
