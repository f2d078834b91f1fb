import type { ModelServer } from "./model-server.ts";

/** The same server with another way to sample. */
export function sampledBy(server: ModelServer, sample: ModelServer["sample"]): ModelServer {
  const { name, tokenExact, provider, model, url } = server;
  return {
    name,
    tokenExact,
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(url !== undefined && { url }),
    sample,
    ...(server.health !== undefined && { health: (signal) => server.health!(signal) }),
    ...(server.forgetWeights !== undefined && { forgetWeights: () => server.forgetWeights!() }),
    close: () => server.close(),
  };
}
