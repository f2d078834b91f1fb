import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { dockerTest, image } from "../../core/sandbox/docker/docker.ts";
import { freshFolder, quiet } from "../forkgym.ts";

interface Result {
  readonly name: string;
  readonly state: string;
  readonly text: string;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

async function results(folder: string, args = ""): Promise<Record<string, string>> {
  const json = JSON.parse(await quiet(folder, `doctor${args} --json`)) as Result[];
  return Object.fromEntries(json.map(({ name, state, text }) => [name, `${state}: ${text}`]));
}

test("a machine with nothing: every line says what to do, and it is no failure", async () => {
  vi.stubEnv("DOCKER_HOST", "unix:///nonexistent.sock");
  vi.stubEnv("PATH", "/nonexistent");
  vi.stubEnv("FORKGYM_PYTHON", "");
  const folder = await freshFolder();
  expect(await results(folder)).toMatchObject({
    node: `ok: ${process.versions.node}`,
    docker: expect.stringMatching(/^missing: docker: no daemon answers; start Docker/),
    "docker/overlay": "missing: needs Docker",
    "docker/commit": "missing: needs Docker",
    gymnasium: "missing: not found; pip install gymnasium numpy, and name that Python in FORKGYM_PYTHON",
    "redis-server": "missing: not found; apt-get install redis-server",
    chromium: "missing: apt-get install chromium",
  });
  const lines = (await quiet(folder, "doctor")).trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^(ok|missing|not tried) +\S/);
  expect(lines.map((line) => line.slice(11, 26).trim())).toContain("wasmer python");
});

test("programs that are there are asked for their versions", async () => {
  const folder = await freshFolder();
  for (const [name, says] of [
    ["python", "1.2.3 3.11.1"],
    ["redis-server", "Redis server v=7.0.15"],
    ["google-chrome", "Google Chrome 120"],
  ] as const) {
    await writeFile(join(folder, name), `#!/bin/sh\necho ${says}\necho more\n`);
    await chmod(join(folder, name), 0o755);
  }
  vi.stubEnv("DOCKER_HOST", "unix:///nonexistent.sock");
  vi.stubEnv("PATH", folder);
  vi.stubEnv("FORKGYM_PYTHON", join(folder, "python"));
  expect(await results(folder)).toMatchObject({
    gymnasium: "ok: 1.2.3 in Python 3.11.1",
    "redis-server": "ok: Redis server v=7.0.15",
    chromium: "ok: Google Chrome 120",
  });
});

dockerTest("forks in Docker are tried for real if an image is named", async () => {
  const folder = await freshFolder();
  const without = await results(folder);
  expect(without.docker).toMatch(/^ok: \d+\.\d+.*, storage driver \w+$/);
  expect(without["docker/overlay"]).toBe("not tried: name a local image with python3: --image NAME");
  expect(await results(folder, ` --image ${image}`)).toMatchObject({
    "docker/overlay": expect.stringMatching(/^(ok: snapshot and fork in \d+ ms|missing: docker: .+)$/),
    "docker/commit": expect.stringMatching(/^ok: snapshot and fork in \d+ ms$/),
  });
  const absent = (await results(folder, " --image forkgym/absent:1"))["docker/commit"];
  expect(absent).toBe("missing: image forkgym/absent:1 is not here; run: docker pull forkgym/absent:1");
});
