import { expect, onTestFinished, test, vi } from "vitest";
import { jsonClient } from "../../../agents/model-server/http.ts";
import { type Answer, answering } from "./answering.ts";

// In a file of its own, so that undici's clock starts under the fake timers.
test("time-outs are ours alone: an answer may take 20 minutes, and pause for as long in its body, but not 30 in all", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const answers: Parameters<Answer>[0][] = [];
  const { url } = await answering((response) => answers.push(response));
  const client = jsonClient("test", { url });
  onTestFinished(() => client.close());
  const work = client.post("/", {});
  work.catch(() => {});
  await vi.waitUntil(() => answers.length === 1);
  await vi.advanceTimersByTimeAsync(1_200_000);
  await new Promise((resolve) => answers[0]!.write("[1", resolve));
  await vi.advanceTimersByTimeAsync(590_000);
  answers[0]!.end("]");
  expect(await work).toEqual([1]);

  const late = client.post("/", {});
  late.catch(() => {});
  await vi.waitUntil(() => answers.length === 2);
  await vi.advanceTimersByTimeAsync(1_800_000);
  await expect(late).rejects.toMatchObject({ fault: "timeout" });
});
