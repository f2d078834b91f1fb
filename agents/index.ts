export * from "./judge/index.ts";
export * from "./learner/evaluate.ts";

export * from "./learner/learner.ts";
export * from "./learner/trainer.ts";
export * from "./model-server/index.ts";
export * from "./prm/index.ts";
export * from "./random.ts";
export { type RepairTools, repairPolicy } from "./repair/repair.ts";
export * from "./scripted.ts";
