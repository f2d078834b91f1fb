export { testEnv } from "./env-contract.ts";
export { type EnvContract, envLaws } from "./env-laws.ts";
