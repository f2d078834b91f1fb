export { decodedTokens } from "./decoded-tokens.ts";
export type { SampledToken } from "./expectation.ts";
export { type JudgeOptions, judgeScorer, type MeteredScorer } from "./judge.ts";
export { byLambda } from "./lambda.ts";
export type { ScoreFailure, ScoreFault, ScorerUsage } from "./meter.ts";
export type { Rubric } from "./prompt.ts";
export type { Stage } from "./stages.ts";
export type { Transcript, TranscriptStep } from "./transcript.ts";
