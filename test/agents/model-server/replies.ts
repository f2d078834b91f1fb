import type { ModelServer, SampleRequest } from "../../../agents/model-server/model-server.ts";
import { openaiServer } from "../../../agents/model-server/openai.ts";
import type { ServerOptions } from "../../../agents/model-server/sampled.ts";
import { sglangServer } from "../../../agents/model-server/sglang.ts";
import { vllmServer } from "../../../agents/model-server/vllm.ts";
import { vllmGenerateServer } from "../../../agents/model-server/vllm-generate.ts";

/** Three tokens were asked for and sampled, the last of which, 9, ends the reply. */
export const REQUEST: SampleRequest = {
  promptTokenIds: [5, 6, 7],
  messages: [{ role: "user", content: "Where?" }],
  maxTokens: 4,
  temperature: 1,
  topP: 0.9,
  topK: -1,
  seed: 2 ** 31 - 1,
  stopTokenIds: [9],
  topLogprobs: 2,
  affinity: "tree/1 \u{1f6a9}",
};

const IDS = [11, 12, 9];
const LOGPROBS = [-0.5, -1, -0.25];

/** A server kind, where it is asked, and a good reply to {@link REQUEST} as it gives it. */
export interface Kind {
  readonly make: (options: ServerOptions) => ModelServer;
  readonly path: string;
  readonly reply: () => unknown;
}

const usage = { prompt_tokens: 3, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } };
/** `name` gives a token as the server writes it. */
const content = (name: (id: number) => string) =>
  LOGPROBS.map((logprob, at) => ({
    token: name(IDS[at]!),
    logprob,
    rank: 1,
    top_logprobs: [-0.1, -3, logprob].map((each, rank) => ({ token: name(rank + 1), logprob: each })),
  }));

export const KINDS: Readonly<Record<string, Kind>> = {
  vllm: {
    make: vllmServer,
    path: "/v1/completions",
    reply: () => ({
      choices: [
        {
          index: 0,
          text: "go",
          finish_reason: "stop",
          stop_reason: 9,
          token_ids: [...IDS],
          prompt_token_ids: [5, 6, 7],
          logprobs: {
            tokens: IDS.map((id) => `token_id:${id}`),
            token_logprobs: [...LOGPROBS],
            top_logprobs: LOGPROBS.map((logprob) => ({
              "token_id:1": -0.1,
              "token_id:2": -3,
              "token_id:3": logprob,
            })),
          },
        },
      ],
      usage,
      weight_version: 4,
    }),
  },
  "vllm-generate": {
    make: vllmGenerateServer,
    path: "/inference/v1/generate",
    reply: () => ({
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          stop_reason: 9,
          token_ids: [...IDS],
          logprobs: { content: content((id) => `token_id:${id}`) },
        },
      ],
      prompt_token_ids: [5, 6, 7],
      usage,
      weight_version: "4",
    }),
  },
  sglang: {
    make: sglangServer,
    path: "/generate",
    reply: () => ({
      text: "go",
      output_ids: [...IDS],
      meta_info: {
        finish_reason: { type: "stop", matched: 9 },
        prompt_tokens: 3,
        completion_tokens: 3,
        cached_tokens: 2,
        weight_version: "4",
        output_token_logprobs: LOGPROBS.map((logprob, at) => [logprob, IDS[at], null]),
        output_top_logprobs: LOGPROBS.map((logprob) => [
          [-0.1, 1, null],
          [-3, 2, null],
          [logprob, 3, null],
        ]),
      },
    }),
  },
  openai: {
    make: openaiServer,
    path: "/v1/chat/completions",
    reply: () => ({
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "go" },
          finish_reason: "stop",
          stop_reason: 9,
          logprobs: { content: content((id) => `word ${id}`) },
        },
      ],
      usage,
      weight_version: "4",
    }),
  },
};
