export * from "./learner/evaluate.ts";

export * from "./learner/learner.ts";
export * from "./learner/trainer.ts";
export * from "./random.ts";
export * from "./scripted.ts";
