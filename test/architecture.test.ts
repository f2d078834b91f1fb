import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const sources = ["core", "envs", "agents", "cli", "bench", "test/contracts"].flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => ({
      room: room.split("/")[0]!,
      path: join(room, name),
      text: readFileSync(join(room, name), "utf8"),
    })),
);

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  envs: ["envs", "core"],
  agents: ["agents", "core"],
  cli: ["cli", "envs", "agents", "core"],
  bench: ["bench", "cli", "envs", "agents", "core", "test"],
  test: ["test", "core"],
};

test("arrows go one way: cli -> (envs, agents) -> core", () => {
  for (const { room, path, text } of sources) {
    for (const [, target] of text.matchAll(/from "(\.[^"]+)"/g)) {
      const into = normalize(join(path, "..", target!)).split("/")[0]!;
      expect(MAY_IMPORT[room], `${path} imports ${target}`).toContain(into);
    }
  }
});

test("no ambient randomness and no clock in core/, envs/ and agents/", () => {
  for (const { room, path, text } of sources) {
    if (!["core", "envs", "agents"].includes(room)) continue;
    expect(text, path).not.toMatch(/Math\.random|Date\.now|new Date\(/);
    if (path !== join("core", "clock.ts")) expect(text, path).not.toContain("performance.now");
  }
});

test("no file is over 400 lines", () => {
  for (const { path, text } of sources) expect(text.split("\n").length, path).toBeLessThanOrEqual(400);
});

describe("an Env says what it takes and gives", () => {
  const envs = sources.filter(({ room, text }) => room === "envs" && /class \w+ implements Env</.test(text));
  test.each(envs.map(({ path, text }) => [path, text]))("%s", (_, text) => {
    const [docs] = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*export class \w+ implements Env</.exec(text)!;
    const labels = ["Observation:", "Action:", "Reward:", "Ends:"].map((label) => docs.indexOf(label));
    expect(labels.every((at) => at > 0)).toBe(true);
    expect(labels).toEqual([...labels].sort((a, b) => a - b));
  });
});
