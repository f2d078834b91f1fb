import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loginFor } from "../../../../core/sandbox/docker/login.ts";

let folder: string;
let notes: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forkgym-login-"));
  notes = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const encoded = (text: string) => Buffer.from(text).toString("base64");
const write = (config: object) => writeFileSync(join(folder, "config.json"), JSON.stringify(config));
const login = (image: string) =>
  loginFor(image, (line) => notes.push(line), {
    DOCKER_CONFIG: folder,
    PATH: `${folder}:${process.env.PATH}`,
  });

/** A program that keeps logins: it answers with a script's output. */
function helper(name: string, script: string): void {
  const file = join(folder, `docker-credential-${name}`);
  writeFileSync(file, `#!/bin/sh\nread -r server\n${script}\n`);
  chmodSync(file, 0o755);
}

test("without a file there is no login", async () => {
  expect([await login("debian"), notes]).toEqual([undefined, []]);
});

test("a login is found under the registry of the image", async () => {
  write({
    auths: {
      "https://index.docker.io/v1/": { auth: encoded("me:pass:word") },
      "ghcr.io": { auth: encoded("you:token") },
      "https://old.example/v2/": { username: "old", password: "secret" },
      "localhost:5000": { identitytoken: "id" },
      "empty.example": {},
    },
  });
  const hub = { username: "me", password: "pass:word", serveraddress: "https://index.docker.io/v1/" };
  for (const image of ["debian", "debian:12", "me/private:1", "docker.io/me/private"]) {
    expect(await login(image), image).toEqual(hub);
  }
  expect(await login("ghcr.io/you/box:1")).toEqual({
    username: "you",
    password: "token",
    serveraddress: "ghcr.io",
  });
  expect(await login("old.example/box")).toMatchObject({ username: "old", password: "secret" });
  expect(await login("localhost:5000/box")).toEqual({ identitytoken: "id", serveraddress: "localhost:5000" });
  for (const image of ["empty.example/box", "quay.io/some/box"])
    expect(await login(image), image).toBeUndefined();
  expect(notes).toEqual([]);
});

test("a helper is asked, that of the registry before the one for all", async () => {
  write({ credsStore: "all", credHelpers: { "gcr.io": "google" }, auths: { "gcr.io": {} } });
  helper("all", `printf '{"ServerURL":"%s","Username":"me","Secret":"of %s"}' "$server" "$server"`);
  helper("google", `echo '{"Username":"<token>","Secret":"t"}'`);
  expect(await login("debian")).toMatchObject({ username: "me", password: "of https://index.docker.io/v1/" });
  expect(await login("quay.io/a/b")).toMatchObject({ password: "of quay.io" });
  expect(await login("gcr.io/a/b")).toEqual({ identitytoken: "t", serveraddress: "gcr.io" });
});

test("a helper that knows nothing is no login, and no note", async () => {
  write({ credsStore: "all" });
  helper("all", "echo credentials not found in native keychain; exit 1");
  expect([await login("debian"), notes]).toEqual([undefined, []]);
});

test("what cannot be read is told and passed over", async () => {
  write({ credsStore: "absent" });
  expect(await login("debian")).toBeUndefined();
  writeFileSync(join(folder, "config.json"), "{");
  expect(await login("debian")).toBeUndefined();
  expect(notes).toEqual([
    expect.stringContaining("docker-credential-absent"),
    expect.stringMatching(/^docker: no login for index\.docker\.io from .*config\.json: /),
  ]);
});
