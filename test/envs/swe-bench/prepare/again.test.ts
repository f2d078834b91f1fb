import { writeFileSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { InputError } from "../../../../core/errors.ts";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import { commit, freshFolder, git, richRepository, textIn } from "./repositories.ts";

describe("the same call again", () => {
  test("finds the workspace there and does not start git", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const options = { repo: folder, baseCommit: base, out: join(parent, "out"), hide: ["main", "src"] };
    await prepareWorkspace(options);
    vi.stubEnv("PATH", parent);
    try {
      expect(await prepareWorkspace(options)).toEqual({ folder: options.out, made: false });
      expect(await prepareWorkspace({ ...options, hide: ["src", "main"] })).toMatchObject({ made: false });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(JSON.parse(await textIn(parent, "out.json"))).toEqual({
      format: 1,
      repo: folder,
      baseCommit: base,
      singleCommit: false,
      hide: ["main", "src"],
    });
  });

  test("refuses a folder that was made otherwise, that changed, or that is somebody else's", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const options = { repo: folder, baseCommit: base, out: join(parent, "out") };
    await prepareWorkspace(options);
    const end = "; remove it, or choose another `out`";
    await expect(prepareWorkspace({ ...options, baseCommit: past })).rejects.toThrow(
      new InputError(`prepare: ${options.out} holds a workspace made with other options${end}`),
    );
    commit(options.out, { new: "new" });
    await expect(prepareWorkspace(options)).rejects.toThrow(
      new InputError(`prepare: the repository in ${options.out} was changed since${end}`),
    );
    await expect(prepareWorkspace({ ...options, out: folder })).rejects.toThrow(
      new InputError(`prepare: ${folder} is not empty${end}`),
    );
    writeFileSync(join(parent, "file"), "");
    await expect(prepareWorkspace({ ...options, out: join(parent, "file") })).rejects.toThrow(
      new InputError(`prepare: ${join(parent, "file")} is a file; choose another \`out\``),
    );
  });

  test("starts afresh where a killed process left a part, a stamp or an empty folder", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "to/out");
    await mkdir(join(parent, "to/.out.part/.git"), { recursive: true });
    await mkdir(out);
    writeFileSync(join(parent, "to/.out.part/rest"), "x");
    writeFileSync(join(parent, "to/.out.lock"), "999999999 1\n");
    writeFileSync(`${out}.json`, "stale");
    expect(await prepareWorkspace({ repo: folder, baseCommit: base, out })).toMatchObject({ made: true });
    expect((await readdir(join(parent, "to"))).sort()).toEqual(["out", "out.json"]);
    expect(await readdir(out)).not.toContain("rest");
  });

  test("says so, and does not wait for ever, where a process of another host holds the lock", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const file = join(parent, ".out.lock");
    writeFileSync(file, "1 123 elsewhere boot pid:[1]\n");
    await expect(
      prepareWorkspace({ repo: folder, baseCommit: base, out: join(parent, "out") }),
    ).rejects.toThrow(`${file} was taken by process 1 on host elsewhere (another host)`);
  });
});

describe("several at once", () => {
  test("the same workspace is made once", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const options = { repo: folder, baseCommit: base, out: join(parent, "out") };
    const all = await Promise.all([1, 2, 3].map(() => prepareWorkspace(options)));
    expect(all.filter(({ made }) => made)).toHaveLength(1);
  });

  test("commits of one address are fetched once, by a cache", async () => {
    const parent = freshFolder();
    const { folder, base, past } = richRepository(parent);
    const notes: string[] = [];
    const cache = join(parent, "cache");
    const prepared = [base, past, base, past].map((baseCommit, at) =>
      prepareWorkspace({
        repo: `file://${folder}`,
        baseCommit,
        out: join(parent, `out${at}`),
        cache,
        onNote: (text) => notes.push(text),
      }),
    );
    await Promise.all(prepared);
    expect(notes).toEqual([`prepare: fetching the branches of file://${folder}`]);
    expect(git(join(parent, "out3"), "rev-parse", "HEAD")).toBe(past);
    // Nothing is shared with the cache.
    await rm(cache, { recursive: true });
    await rm(folder, { recursive: true });
    expect(git(join(parent, "out0"), "fsck", "--full")).toBe("");
  });

  test("a cache fetches again what it has not, also a commit on no branch", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const repo = `file://${folder}`;
    const cache = join(parent, "cache");
    await prepareWorkspace({ repo, baseCommit: base, out: join(parent, "a"), cache });
    git(folder, "config", "--unset", "core.fsmonitor");
    const later = commit(folder, { later: "on a detached head\n" });
    await prepareWorkspace({ repo, baseCommit: later, out: join(parent, "b"), cache });
    expect(git(join(parent, "b"), "rev-parse", "HEAD")).toBe(later);
    const [mirror, ...others] = (await readdir(cache)).filter((name) => !name.startsWith("."));
    expect(others).toEqual([]);
    expect(mirror).toMatch(/^forkgym-prepare-\w+__source-[0-9a-f]{12}\.git$/);

    git(folder, "checkout", "-q", "trunk");
    const newest = commit(folder, { newest: "on a branch\n" });
    await prepareWorkspace({ repo, baseCommit: newest, out: join(parent, "c"), cache });
    const refs = git(join(cache, mirror!), "for-each-ref", "--format=%(refname) %(objectname)").split("\n");
    expect(refs).toContain(`refs/heads/trunk ${newest}`);
    expect(refs.filter((ref) => ref.startsWith("refs/forkgym/"))).toEqual([`refs/forkgym/${later} ${later}`]);
  });
});

test.each([0, 20])("an abort after %i ms ends it with the signal's reason and leaves nothing", async (ms) => {
  const parent = freshFolder();
  const { folder, base } = richRepository(parent);
  const controller = new AbortController();
  const options = {
    repo: `file://${folder}`,
    baseCommit: base,
    out: join(parent, "to/out"),
    cache: join(parent, "cache"),
    signal: controller.signal,
    onNote: () => setTimeout(() => controller.abort(new Error("enough")), ms),
  };
  await expect(prepareWorkspace(options)).rejects.toThrow("enough");
  expect(await readdir(join(parent, "to"))).toEqual([]);
  expect((await readdir(join(parent, "cache"))).filter((name) => name.startsWith("."))).toEqual([]);
  await expect(prepareWorkspace(options)).rejects.toThrow("enough");
});
