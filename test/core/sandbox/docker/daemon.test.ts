import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { afterEach, expect, test, vi } from "vitest";
import { connectDaemon, ensureImage } from "../../../../core/sandbox/docker/daemon.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
});

/** A daemon that says what a test wants. */
async function daemon(answer: RequestListener): Promise<Docker> {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return new Docker({ protocol: "http", host: "127.0.0.1", port });
}

test("no daemon is one clear line", async () => {
  await expect(connectDaemon(new Docker({ socketPath: "/no/such/socket" }))).rejects.toThrow(
    "docker: no daemon answers; start Docker, or use the wasmer backend, which needs none",
  );
});

test("a daemon that is too old is named with its version", async () => {
  const docker = await daemon((_, reply) =>
    reply.end(JSON.stringify({ ApiVersion: "1.24", Version: "1.12.6" })),
  );
  await expect(connectDaemon(docker)).rejects.toThrow(
    "docker: the daemon is 1.12.6, too old; 19.03 or newer is needed",
  );
});

test("a daemon that answers nonsense is a SandboxError", async () => {
  const docker = await daemon((_, reply) => {
    reply.statusCode = 500;
    reply.end(JSON.stringify({ message: "out of order" }));
  });
  await expect(connectDaemon(docker)).rejects.toThrow(/^docker: the daemon does not answer: .*out of order/);
});

test("an image that is not here is pulled, and how it goes is told", async () => {
  let pulled = false;
  const docker = await daemon((request, reply) => {
    if (request.url?.startsWith("/images/create")) {
      pulled = true;
      reply.write(`${JSON.stringify({ id: "abc", status: "Downloading", progress: "1MB/2MB" })}\r\n`);
      reply.end(`${JSON.stringify({ status: "Done" })}\r\n`);
    } else {
      reply.statusCode = pulled ? 200 : 404;
      reply.end(JSON.stringify(pulled ? { Id: "sha256:1" } : { message: "No such image" }));
    }
  });
  const lines: string[] = [];
  expect(await ensureImage(docker, "debian:bookworm", (line) => lines.push(line))).toEqual({
    Id: "sha256:1",
  });
  expect(lines).toEqual(["abc Downloading 1MB/2MB", "Done"]);
});

test("an image is pulled with what `docker login` keeps", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forkgym-daemon-"));
  const auth = Buffer.from("me:secret").toString("base64");
  writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { "reg.example": { auth } } }));
  vi.stubEnv("DOCKER_CONFIG", folder);
  let login: unknown;
  const docker = await daemon((request, reply) => {
    const header = request.headers["x-registry-auth"];
    if (typeof header === "string") login = JSON.parse(Buffer.from(header, "base64").toString());
    reply.statusCode = request.url?.startsWith("/images/create") || login ? 200 : 404;
    reply.end(JSON.stringify(login ? { Id: "sha256:1" } : { message: "No such image" }));
  });
  await ensureImage(docker, "reg.example/me/private:1", () => {});
  expect(login).toEqual({ username: "me", password: "secret", serveraddress: "reg.example" });
  rmSync(folder, { recursive: true });
});

test("an image that cannot be pulled is named with the reason", async () => {
  const docker = await daemon((_, reply) => {
    reply.statusCode = 404;
    reply.end(JSON.stringify({ message: "pull access denied for nothing" }));
  });
  await expect(ensureImage(docker, "nothing:1", () => {})).rejects.toThrow(
    /^docker: no image nothing:1 here, and pulling it failed: .*pull access denied for nothing.*; check its name, or get it with `docker pull nothing:1` first$/,
  );
});
