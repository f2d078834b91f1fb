import type { JsonObject } from "../../core/json.ts";
import { ServerError } from "./errors.ts";
import { withExtra } from "./extra.ts";
import { freshOnly } from "./fresh-only.ts";
import { type JsonClient, jsonClient } from "./http.ts";
import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import { Field } from "./reply.ts";
import { checkRequest, type ServerOptions, type WeightsOf, weightsOf } from "./sampled.ts";

/** What the routes of the servers differ in. `name` is the server's, for messages. */
export interface Route {
  /** For names and traces. */
  readonly provider: string;
  readonly path: string;
  /** Path that is asked for the server's health. */
  readonly healthPath: string;
  readonly tokenExact: boolean;
  /** @throws {InputError} if the request lacks what the route needs. */
  body(name: string, request: SampleRequest): JsonObject;
  headers?(request: SampleRequest): Readonly<Record<string, string>>;
  /** @throws {ServerError} if the reply is none, or contradicts itself or the request. */
  read(name: string, request: SampleRequest, reply: Field, weights: WeightsOf): Omit<Sample, "endpoint">;
}

/** A model server by one of its routes. @throws {InputError} on a bad option. */
export function serverBy(route: Route, options: ServerOptions): ModelServer {
  const { provider, path, tokenExact } = route;
  const { model, extra } = options;
  const name = `${provider} ${model}`;
  const client = jsonClient(name, options);
  return freshOnly({
    name,
    provider,
    model,
    url: client.url,
    tokenExact,
    async sample(request, signal) {
      checkRequest(name, request);
      const body = withExtra(name, route.body(name, request), extra);
      const weights = weightsOf(options);
      const reply = await client.post(path, body, signal, route.headers?.(request));
      return { ...route.read(name, request, new Field(name, reply), weights), endpoint: client.url };
    },
    health: (signal) => healthOf(client, route.healthPath, signal),
    close: () => client.close(),
  });
}

async function healthOf(client: JsonClient, path: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await client.get(path, signal);
  } catch (error) {
    // vLLM and SGLang say that they are well by the status alone, with no body.
    if (error instanceof ServerError && error.fault === "malformed" && error.status !== undefined) return;
    throw error;
  }
}
