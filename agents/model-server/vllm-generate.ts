import { jsonClient } from "./http.ts";
import type { ModelServer, Sample, SampleRequest } from "./model-server.ts";
import { Field } from "./reply.ts";
import {
  checkRequest,
  countOf,
  finishOf,
  likeliest,
  logprobsOf,
  promptOf,
  replyIds,
  type ServerOptions,
  stopReasonOf,
  usageCached,
  vllmSampling,
  weightsOf,
  withExtra,
} from "./sampled.ts";

/**
 * vLLM by `/inference/v1/generate`: token ids in and out and nothing else. There is no text in its replies, so a
 * sample's `text` is empty; whoever needs it decodes the ids.
 * @throws {InputError} on a bad option.
 */
export function vllmGenerateServer(options: ServerOptions): ModelServer {
  const name = `vllm-generate ${options.model}`;
  const client = jsonClient(name, options);
  return {
    name,
    tokenExact: true,
    async sample(request, signal) {
      checkRequest(name, request);
      const body = {
        model: options.model,
        token_ids: promptOf(name, request),
        sampling_params: { ...vllmSampling(request), logprobs: request.topLogprobs },
        stream: false,
        return_token_ids: true,
      };
      const weights = weightsOf(options);
      const reply = await client.post("/inference/v1/generate", withExtra(name, body, options.extra), signal);
      return { ...readGenerated(name, request, new Field(name, reply), weights), endpoint: client.url };
    },
    close: () => client.close(),
  };
}

function readGenerated(
  name: string,
  request: SampleRequest,
  reply: Field,
  weights: ReturnType<typeof weightsOf>,
): Omit<Sample, "endpoint"> {
  const choice = reply.get("choices").only();
  const finishReason = finishOf(name, choice.get("finish_reason"));
  const stop = stopReasonOf(choice.get("stop_reason"));
  const sent = promptOf(name, request);
  // Only some versions give them back.
  const prompt = reply.get("prompt_token_ids");
  const promptTokenIds = prompt.given ? prompt.same(sent) : sent;
  const tokenIds = replyIds(choice.get("token_ids"), request, stop.stopReason);
  const content = choice.get("logprobs").get("content");
  const logprobs = logprobsOf(content, tokenIds.length, (at) => {
    checkToken(content.at(at), tokenIds[at]!);
    return content.at(at).get("logprob");
  });
  const usage = reply.get("usage");
  if (usage.given) {
    countOf(usage.get("prompt_tokens"), sent.length);
    countOf(usage.get("completion_tokens"), tokenIds.length);
  }
  return {
    promptTokenIds,
    tokenIds,
    logprobs,
    ...(request.topLogprobs > 0 && { topLogprobs: topOf(content, request.topLogprobs) }),
    text: "",
    finishReason,
    ...stop,
    promptTokens: sent.length,
    generatedTokens: tokenIds.length,
    ...(usage.given && usageCached(usage)),
    ...weights(reply.get("weight_version")),
  };
}

/** A place names its token as `token_id`, as `token_id:N`, as text, or not at all. */
function checkToken(place: Field, id: number): void {
  const tokenId = place.get("token_id");
  if (tokenId.given && tokenId.value !== id) tokenId.fail(`${id}, as in \`token_ids\``);
  const token = place.get("token");
  const name = String(token.value);
  if (name.startsWith("token_id:") && name !== `token_id:${id}`)
    token.fail(`token_id:${id}, as in \`token_ids\``);
}

/** Of OpenAI's list of alternatives at each place. */
export function topOf(content: Field, most: number): readonly (readonly number[])[] {
  return content.list().map((_, at) => {
    const top = content.at(at).get("top_logprobs");
    return likeliest(
      top.list().map((_, rank) => top.at(rank).get("logprob").logprob()),
      most,
    );
  });
}
