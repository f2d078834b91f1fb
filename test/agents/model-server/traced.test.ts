import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, onTestFinished, test } from "vitest";
import { modelPolicy } from "../../../agents/model-server/policy.ts";
import { serverPool } from "../../../agents/model-server/pool/pool.ts";
import type { SampleRecord } from "../../../agents/model-server/sample-record.ts";
import { sglangServer } from "../../../agents/model-server/sglang.ts";
import { ChatTemplate } from "../../../agents/model-server/tokens/chat-template.ts";
import { loadTokenizer } from "../../../agents/model-server/tokens/tokenizer.ts";
import { traced } from "../../../agents/model-server/traced.ts";
import { rolloutAll } from "../../../core/rollout/engine.ts";
import { patr } from "../../../core/rollout/strategies/patr.ts";
import type { Tree } from "../../../core/rollout/tree.ts";
import { tasksOf } from "../../../core/task.ts";
import { openTelemetry } from "../../../core/trace/open-telemetry.ts";
import { rllmDialogue } from "../../../envs/frozen-lake/dialogue.ts";
import { frozenLakeKit } from "../../../envs/frozen-lake/kit.ts";
import type { LakeView } from "../../../envs/frozen-lake/rllm.ts";
import type { RllmAction, RllmLakeData } from "../../../envs/frozen-lake/rllm-rules.ts";
import { randomReplies, startModelServer, tokenizerConfig, tokenizerJson } from "../../serving/index.ts";
import { ask, HandServer } from "./pool/hand-server.ts";

async function recording() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: await openTelemetry({ provider }), spans: () => exporter.getFinishedSpans() };
}

const idOf = (span: ReadableSpan) => span.spanContext().spanId;

test("over a pool whose places are few, each call is within its own turn, and says what it cost", async () => {
  const { tracer, spans } = await recording();
  const tests = await startModelServer({ policy: randomReplies(["```Up```", "```Down```", "```Right```"]) });
  const model = "forkgym/tiny";
  const pool = serverPool({ servers: [sglangServer({ url: tests.url, model })], maxConcurrent: 1 });
  onTestFinished(() => Promise.all([pool.close(), tests.close()]).then(() => {}));
  const tokenizer = loadTokenizer({ tokenizerJson: tokenizerJson(), tokenizerConfig: tokenizerConfig() });
  const policy = modelPolicy<RllmLakeData, LakeView, RllmAction>({
    server: traced(pool, tracer),
    dialogue: rllmDialogue,
    chat: new ChatTemplate({ tokenizer, name: "tiny" }),
    sampling: { maxTokens: 32 },
  });
  const trees: Tree<RllmLakeData, LakeView, RllmAction>[] = [];
  await rolloutAll(
    tasksOf(frozenLakeKit.sets.find(({ name }) => name === "frozen-lake/rllm-test")!.make(), 2),
    {
      env: frozenLakeKit.make,
      policy,
      scorer: frozenLakeKit.progress!,
      strategy: patr({ every: 3 }),
      seed: 3,
      trees: 2,
      tracer,
    },
    (tree) => void trees.push(tree),
  );
  const byId = new Map(spans().map((span) => [idOf(span), span]));
  const callOf = new Map(
    spans()
      .filter(({ name }) => name === `text_completion ${model}`)
      .map((call) => {
        const turn = byId.get(call.parentSpanContext!.spanId)!;
        const tree = byId.get(turn.parentSpanContext!.spanId)!;
        const { attributes } = turn;
        const place = [
          tree.attributes["forkgym.task.id"],
          attributes["forkgym.branch"],
          attributes["forkgym.turn"],
        ];
        return [place.join(" "), call.attributes];
      }),
  );
  const nodes = trees.flatMap(({ task, nodes }) => nodes.slice(1).map((node) => ({ ...node, task })));
  expect(callOf.size).toBe(nodes.length);
  for (const { task, branch, turn, choice } of nodes) {
    const { usage, sample } = choice!;
    expect(callOf.get(`${task.id} ${branch} ${turn}`)).toEqual({
      "gen_ai.operation.name": "text_completion",
      "gen_ai.provider.name": "sglang",
      "gen_ai.request.model": model,
      "gen_ai.request.max_tokens": 32,
      "gen_ai.request.temperature": 1,
      "gen_ai.request.top_p": 1,
      "gen_ai.request.seed": (sample as unknown as SampleRecord).seed,
      "gen_ai.usage.input_tokens": usage!.promptTokens,
      "gen_ai.usage.output_tokens": usage!.generatedTokens,
      "gen_ai.usage.cache_read.input_tokens": usage!.cachedTokens,
      "gen_ai.response.finish_reasons": ["stop"],
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(tests.url).port),
      "forkgym.affinity": task.id,
      "forkgym.weights": "default",
    });
  }
});

test("a call that failed names its cause", async () => {
  const { tracer, spans } = await recording();
  const hand = new HandServer("m");
  const server = traced(hand, tracer);
  expect([server.name, server.tokenExact]).toEqual(["m", true]);
  const reply = server.sample(ask("x"));
  hand.fail("cut");
  await expect(reply).rejects.toMatchObject({ fault: "cut" });
  const abort = new AbortController();
  const taken = server.sample(ask("x"), abort.signal);
  abort.abort("pruned");
  await expect(taken).rejects.toBe("pruned");
  expect(spans().map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
    ["text_completion", "cut"],
    ["text_completion", "aborted"],
  ]);
});
