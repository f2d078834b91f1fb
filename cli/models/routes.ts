import type { ModelServer } from "../../agents/model-server/model-server.ts";
import { openaiServer } from "../../agents/model-server/openai.ts";
import type { ServerOptions } from "../../agents/model-server/sampled.ts";
import { sglangServer } from "../../agents/model-server/sglang.ts";
import { vllmServer } from "../../agents/model-server/vllm.ts";
import { vllmGenerateServer } from "../../agents/model-server/vllm-generate.ts";

type Make = (options: ServerOptions & { readonly omit?: readonly string[] }) => ModelServer;

/** The routes that a model can be asked by; each is a word of `--policy`. */
export const ROUTES: Readonly<Record<"vllm" | "vllm-generate" | "sglang" | "openai", Make>> = {
  vllm: vllmServer,
  "vllm-generate": vllmGenerateServer,
  sglang: sglangServer,
  openai: openaiServer,
};

export type Route = keyof typeof ROUTES;

export const routeNames: readonly Route[] = Object.keys(ROUTES) as Route[];

export function isRoute(text: string): text is Route {
  return Object.hasOwn(ROUTES, text);
}
