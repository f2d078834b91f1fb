import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { hostGit, noGit, readHost, writeHost } from "./host.ts";
import { committed, files, ours, pair, readTree, shown, treeOf, writeTree } from "./trees.ts";

const folder = mkdtempSync(join(tmpdir(), "forkgym-git-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file alone. The patch of a program fits a file without that mode, which keeps its own. */
const one = (text: string, mode: "file" | "program") =>
  new Map([["a", { content: Buffer.from(text), mode } as const]]);

describe.skipIf(noGit)(`next to real git${noGit && ` (skipped: ${noGit})`}`, { timeout: 120_000 }, () => {
  test("a diff makes real git's files the sandbox's, byte for byte", () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const tree = committed(before);
        writeTree(tree, after);
        ours(tree, ["add", "-A"]);
        const { stdout } = ours(tree, ["diff", "--cached", "--binary"]);
        const work = join(folder, "theirs");
        writeHost(work, before);
        if (stdout.length > 0) {
          const applied = hostGit(work, ["apply", "--whitespace=nowarn", "-"], stdout);
          expect([applied.stderr, applied.exitCode]).toEqual(["", 0]);
        }
        expect(shown(readHost(work))).toEqual(shown(after));
      }),
      { numRuns: 150 },
    );
  });

  test("a diff of real git is applied, byte for byte, and taken back; the ids of the trees are the same", () => {
    const work = join(folder, "repo");
    writeHost(work, new Map());
    hostGit(work, ["init", "-q"]);
    fc.assert(
      fc.property(pair, ([before, after]) => {
        writeHost(work, before);
        hostGit(work, ["add", "-A"]);
        const id = hostGit(work, ["write-tree"]).stdout.toString();
        writeHost(work, after);
        hostGit(work, ["add", "-A"]);
        const patch = hostGit(work, ["diff", "--cached", "--binary", "-M", id.trim()]).stdout;
        const tree = committed(before);
        expect(ours(tree, ["rev-parse", "HEAD^{tree}"]).stdout.toString()).toBe(id);
        if (patch.length === 0) return;
        const applied = ours(tree, ["apply", "-"], patch);
        expect([applied.stderr, applied.exitCode]).toEqual(["", 0]);
        expect(shown(readTree(tree))).toEqual(shown(after));
        const undone = ours(tree, ["apply", "-R", "-"], patch);
        expect([undone.stderr, undone.exitCode]).toEqual(["", 0]);
        expect(shown(readTree(tree))).toEqual(shown(before));
      }),
      { numRuns: 80 },
    );
  });

  test("status and the names of what changed are the same", () => {
    const work = join(folder, "status");
    writeHost(work, new Map());
    hostGit(work, ["init", "-q"]);
    hostGit(work, ["commit", "-q", "--allow-empty", "-m", "base"]);
    fc.assert(
      fc.property(pair, files, ([before, staged], now) => {
        const tree = committed(before);
        writeHost(work, before);
        hostGit(work, ["add", "-A"]);
        hostGit(work, ["commit", "-q", "--allow-empty", "--amend", "-m", "base"]);
        expect(ours(tree, ["rev-parse", "HEAD"]).stdout).toEqual(hostGit(work, ["rev-parse", "HEAD"]).stdout);
        for (const next of [staged, now]) {
          writeHost(work, next);
          writeTree(tree, next);
          for (const args of [
            ["status", "--porcelain", "-z", "--no-renames"],
            ["status", "--short", "-uall", "--no-renames"],
            ["diff", "--name-status", "--no-renames"],
            ["diff", "--cached", "--numstat", "--no-renames"],
            ["diff", "HEAD", "--name-only", "--no-renames"],
            ["ls-files", "-s"],
          ]) {
            const theirs = hostGit(work, args);
            expect(ours(tree, args).stdout.toString("latin1"), args.join(" ")).toBe(
              theirs.stdout.toString("latin1"),
            );
          }
          hostGit(work, ["add", "-A"]);
          ours(tree, ["add", "-A"]);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("a patch that does not fit is refused by both, and leaves everything as it was", () => {
    fc.assert(
      fc.property(pair, files, ([before, after], others) => {
        // Where a folder is in a file's place real git takes it for a repository of its own.
        const names = [...before.keys(), ...after.keys()];
        fc.pre(!names.some((name) => [...others.keys()].some((other) => other.startsWith(`${name}/`))));
        const made = committed(before);
        writeTree(made, after);
        ours(made, ["add", "-A"]);
        const patch = ours(made, ["diff", "--cached", "--binary"]).stdout;
        if (patch.length === 0) return;
        const work = join(folder, "other");
        writeHost(work, others);
        const tree = treeOf(others);
        const theirs = hostGit(work, ["apply", "--whitespace=nowarn", "-"], patch);
        const mine = ours(tree, ["apply", "-"], patch);
        expect([mine.exitCode, mine.stderr]).toEqual([theirs.exitCode, theirs.stderr]);
        expect(shown(readTree(tree))).toEqual(shown(readHost(work)));
        if (mine.exitCode === 1) expect(shown(readTree(tree))).toEqual(shown(others));
      }),
      { numRuns: 150, examples: [[[one("x\n", "program"), one("\nx\n", "program")], one("x\n", "file")]] },
    );
  });
});
