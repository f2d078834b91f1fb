export type { Aggregate } from "./aggregate.ts";
export type { Schedule } from "./batcher.ts";
export { type PrmOptions, prmScorer } from "./prm.ts";
export type { PostJson, PrmBranch, PrmReply, PrmResult, PrmServer } from "./prm-server.ts";
export { type SkyworkEmbeddingsOptions, skyworkEmbeddings } from "./skywork-embeddings.ts";
export { type VllmPoolingOptions, vllmPooling } from "./vllm-pooling.ts";
