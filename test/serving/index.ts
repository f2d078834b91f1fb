export type { ServerTimer } from "./engine.ts";
export { type FaultPlan, type FaultRequest, type ModelFault, modelFaults } from "./faults.ts";
export { lakeLearnerReplies } from "./lake-learner.ts";
export {
  type ModelPolicy,
  type ModelTurn,
  randomReplies,
  scriptedReplies,
  type WeightedReply,
} from "./policies.ts";
export type { RewardModel } from "./reward-routes.ts";
export {
  type ModelServerChanges,
  type ModelServerOptions,
  type ModelServerStats,
  startModelServer,
  type TestModelServer,
} from "./server.ts";
export { type TinyTokenizer, tinyTokenizer, tokenizerConfig, tokenizerJson } from "./tokenizer.ts";
