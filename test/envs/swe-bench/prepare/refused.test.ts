import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import { freshFolder, git, richRepository } from "./repositories.ts";

describe("what cannot be prepared is told in one line", () => {
  const commitId = "0123456789012345678901234567890123456789";
  const fails = (options: Parameters<typeof prepareWorkspace>[0], message: string) =>
    expect(prepareWorkspace(options)).rejects.toThrow(new InputError(message));

  test("a commit that is none", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "to/out");
    await fails(
      { repo: folder, baseCommit: "HEAD", out },
      'prepare: expected 40 hexadecimal digits as `baseCommit`, got "HEAD"',
    );
    for (const cache of [undefined, join(parent, "cache")]) {
      const repo = cache === undefined ? folder : `file://${folder}`;
      await fails(
        { repo, baseCommit: commitId, out, ...(cache && { cache }) },
        `prepare: ${repo} has no commit ${commitId}; check \`baseCommit\` and that the repository is the right one`,
      );
    }
    const tree = git(folder, "rev-parse", `${base}^{tree}`);
    await fails(
      { repo: folder, baseCommit: tree, out },
      `prepare: expected a commit as \`baseCommit\`, got the tree ${tree}`,
    );
    expect(await readdir(join(parent, "to"))).toEqual([]);
  });

  test("a repository that is not there, or that no safe transport reaches", async () => {
    const parent = freshFolder();
    const out = join(parent, "out");
    await fails(
      { repo: join(parent, "none"), baseCommit: commitId, out },
      `prepare: no repository at ${join(parent, "none")}: there is no such folder; give a folder or an address`,
    );
    for (const repo of ["ext::sh -c true", "-u", "--upload-pack=x"]) {
      await fails(
        { repo, baseCommit: commitId, out },
        `prepare: no repository at ${repo}: there is no such folder; give a folder or an address`,
      );
    }
    await fails(
      { repo: "ftp://example.com/x", baseCommit: commitId, out },
      'prepare: expected an address with https, http, ssh, git or file, got "ftp://"',
    );
    await mkdir(join(parent, "empty"));
    await expect(
      prepareWorkspace({ repo: join(parent, "empty"), baseCommit: commitId, out }),
    ).rejects.toThrow(
      /^prepare: cannot read from .*empty: fatal: '.*empty' does not appear to be a git repository; .*; check the address and the network$/,
    );
  });

  test("credentials in an address are not shown and not kept", async () => {
    const parent = freshFolder();
    const options = { baseCommit: commitId, out: join(parent, "out"), cache: join(parent, "cache") };
    const failure = await prepareWorkspace({
      ...options,
      repo: "http://me:secret@127.0.0.1:9/a/b.git",
    }).catch((error: Error) => error.message);
    expect(failure).toContain("prepare: cannot read from http://127.0.0.1:9/a/b.git: fatal: ");
    expect(failure).not.toContain("secret");
  });

  test("a history with holes", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const blob = git(folder, "--no-replace-objects", "rev-parse", `${past}^{tree}:src/app.py`);
    await rm(join(folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    await expect(
      prepareWorkspace({ repo: folder, baseCommit: base, out: join(parent, "out") }),
    ).rejects.toThrow(InputError);
    expect((await readdir(parent)).filter((name) => name.includes("out"))).toEqual([]);
  });

  test("hidden files outside", async () => {
    const parent = freshFolder();
    for (const name of ["../x", "/etc/passwd", ".git/config", "a/../../b", ""]) {
      await fails(
        { repo: parent, baseCommit: commitId, out: join(parent, "out"), hide: [name] },
        `prepare: expected paths inside the repository in \`hide\`, got ${JSON.stringify(name)}`,
      );
    }
  });

  test("git that is not installed, or too old", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const bin = join(parent, "bin");
    mkdirSync(bin);
    vi.stubEnv("PATH", bin);
    try {
      const options = { repo: folder, baseCommit: base, out: join(parent, "out") };
      await fails(options, "prepare: git is not installed; install git 2.32 or newer");
      writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.25.1\n", { mode: 0o755 });
      await fails(options, "prepare: expected git 2.32 or newer, got 2.25; install a newer one");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
