export * from "../serving/index.ts";
export { testEnv } from "./env-contract.ts";
export type { EnvContract } from "./env-lab.ts";
export { envLaws } from "./env-laws.ts";
export { testSandbox } from "./sandbox-contract.ts";
export type { SandboxContract, SandboxLaw } from "./sandbox-lab.ts";
export { sandboxLaws } from "./sandbox-laws.ts";
