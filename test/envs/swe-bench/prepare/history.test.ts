import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import { freshFolder, git, namesIn, reachable, richRepository, textIn } from "./repositories.ts";

describe("of what came after the base nothing can be read", () => {
  test.each(["a folder", "a bare folder", "an address", "an address with a cache"])(
    "from %s",
    async (kind) => {
      const parent = freshFolder();
      const { folder, base, past, future } = richRepository(parent);
      expect(future.length).toBeGreaterThan(20);
      const isBare = kind === "a bare folder";
      if (isBare) git(parent, "clone", "-q", "--mirror", folder, "bare.git");
      const path = isBare ? join(parent, "bare.git") : folder;
      const out = join(parent, "out");
      await prepareWorkspace({
        repo: kind.startsWith("an address") ? `file://${path}` : path,
        baseCommit: base,
        out,
        ...(kind.endsWith("cache") && { cache: join(parent, "cache") }),
      });

      expect(git(out, "log", "--all", "--format=%H").split("\n")).toEqual([base, past]);
      expect(git(out, "rev-list", "--all", "--reflog", "--not", "HEAD")).toBe("");
      expect(git(out, "fsck", "--unreachable", "--no-reflogs", "--full")).toBe("");
      expect(git(out, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
      for (const list of [["remote"], ["tag"], ["stash", "list"], ["notes", "list"], ["reflog", "--all"]]) {
        expect(git(out, ...list), list.join(" ")).toBe("");
      }
      expect(git(out, "worktree", "list").split("\n")).toHaveLength(1);
      const objects = git(out, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
      expect(new Set(objects)).toEqual(reachable(folder, base));
      expect(objects.filter((id) => future.includes(id))).toEqual([]);
      for (const id of future) expect(() => git(out, "cat-file", "-e", id)).toThrow();

      const inside = (await namesIn(join(out, ".git"))).map((name) => name.replace(/[0-9a-f]{38,}/, "*"));
      expect(inside).toEqual([
        "HEAD",
        "config",
        "index",
        "objects/pack/pack-*.idx",
        "objects/pack/pack-*.pack",
        "refs/heads/main",
      ]);
      expect(await textIn(out, ".git/config")).not.toMatch(/remote|url|promisor|source/);
    },
  );

  test("not even its parents with `singleCommit`, and the commit keeps its id", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const out = join(parent, "out");
    await prepareWorkspace({ repo: folder, baseCommit: base, out, singleCommit: true });
    expect(git(out, "log", "--all", "--format=%H")).toBe(base);
    expect(() => git(out, "cat-file", "-e", past)).toThrow();
    expect(git(out, "fsck", "--unreachable", "--no-reflogs", "--full")).toBe("");
    expect(git(out, "status", "--porcelain")).toBe("");
  });

  test.each([false, true])("from a shallow clone, with a cache: %s", async (isCached) => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    git(folder, "branch", "-f", "trunk", base);
    git(parent, "clone", "-q", "--depth=1", "--branch=trunk", `file://${folder}`, "shallow");
    const out = join(parent, "out");
    const repo = join(parent, "shallow");
    await prepareWorkspace({
      repo,
      baseCommit: base,
      out,
      ...(isCached && { cache: join(parent, "cache") }),
    });
    expect(git(out, "log", "--all", "--format=%H")).toBe(base);
    expect(git(out, "status", "--porcelain")).toBe("");
  });

  test("a server that sends more than it was asked for is cut back", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    // Whatever it is asked for, this server sends all.
    const greedy = join(parent, "greedy");
    const script = "#!/bin/sh\ncat >/dev/null\nexec git pack-objects --all --stdout -q </dev/null\n";
    writeFileSync(greedy, script, { mode: 0o755 });
    mkdirSync(join(parent, "git"));
    writeFileSync(join(parent, "git/config"), `[uploadpack]\n\tpackObjectsHook = ${greedy}\n`);
    vi.stubEnv("HOME", parent);
    vi.stubEnv("XDG_CONFIG_HOME", parent);
    try {
      const out = join(parent, "out");
      await prepareWorkspace({ repo: folder, baseCommit: base, out });
      const objects = git(out, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split("\n");
      expect(new Set(objects)).toEqual(reachable(folder, base));
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
