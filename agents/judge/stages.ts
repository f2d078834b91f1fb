/** The stages of a repair that PATR (arXiv 2607.15610) has judged one by one. */
export const STAGES = ["diagnosis", "editing", "verification"] as const;

export type Stage = (typeof STAGES)[number];
