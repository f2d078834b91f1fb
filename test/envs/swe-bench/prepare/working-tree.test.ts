import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { prepareWorkspace } from "../../../../envs/swe-bench/prepare/prepare.ts";
import { CONTENT, freshFolder, git, richRepository, textIn } from "./repositories.ts";

describe("the working tree", () => {
  test("is the commit's, byte for byte, with modes, links and empty submodules", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "out");
    expect(await prepareWorkspace({ repo: folder, baseCommit: base, out })).toEqual({
      folder: out,
      made: true,
    });
    for (const [name, content] of Object.entries(CONTENT)) {
      expect(readFileSync(join(out, name)), name).toEqual(Buffer.from(content));
    }
    expect(lstatSync(join(out, "bin/run")).mode & 0o111).toBe(0o111);
    expect(lstatSync(join(out, "src/app.py")).mode & 0o111).toBe(0);
    expect(readlinkSync(join(out, "app link"))).toBe("src/app.py");
    expect(readlinkSync(join(out, "out link"))).toBe("/etc/hostname");
    expect(await readdir(join(out, "vendor/module"))).toEqual([]);
    expect(git(out, "status", "--porcelain", "--ignored")).toBe("");
    expect(existsSync(join(out, "tests/test_new.py"))).toBe(false);
  });

  test("ignores the user's own settings: line ends, filters, hooks, template", async () => {
    const parent = freshFolder();
    const { folder, base, marker } = richRepository(parent);
    const evil = join(parent, "evil");
    const hooks = join(folder, ".git/hooks");
    mkdirSync(join(parent, "git"));
    mkdirSync(join(parent, "template"));
    writeFileSync(join(parent, "template/secret"), "x");
    writeFileSync(
      join(parent, "git/config"),
      `[core]\n\tautocrlf = true\n\thooksPath = ${hooks}\n\tfsmonitor = ${evil}\n[filter "evil"]\n\tsmudge = ${evil}\n` +
        `\tclean = ${evil}\n[filter "lfs"]\n\tprocess = ${evil}\n\trequired = true\n[init]\n\ttemplateDir = ${parent}/template\n`,
    );
    vi.stubEnv("XDG_CONFIG_HOME", parent);
    vi.stubEnv("HOME", join(parent, "nobody"));
    vi.stubEnv("GIT_DIR", join(parent, "wrong"));
    vi.stubEnv("EDITOR", evil);
    try {
      const out = join(parent, "out");
      await prepareWorkspace({ repo: folder, baseCommit: base, out, cache: join(parent, "cache") });
      expect(await textIn(out, "src/app.py")).toBe(CONTENT["src/app.py"]);
      expect(await textIn(out, "dos.txt")).toBe(CONTENT["dos.txt"]);
      expect(existsSync(join(out, ".git/secret"))).toBe(false);
      expect(existsSync(marker)).toBe(false);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("runs nothing that the repository's settings name", async () => {
    const parent = freshFolder();
    const { folder, base, marker } = richRepository(parent);
    await prepareWorkspace({ repo: folder, baseCommit: base, out: join(parent, "a"), hide: ["src"] });
    await prepareWorkspace({
      repo: `file://${folder}`,
      baseCommit: base,
      out: join(parent, "b"),
      cache: parent,
    });
    expect(existsSync(marker)).toBe(false);
    // So that the silence means something: git itself does run them.
    git(folder, "status");
    expect(existsSync(marker)).toBe(true);
  });

  test("lacks hidden files and folders, and git sees no change", async () => {
    const parent = freshFolder();
    const { folder, base } = richRepository(parent);
    const out = join(parent, "out");
    const hide = ["tests/test_app.py", "with spaces", "tests/test_new.py", "out link", "*"];
    await prepareWorkspace({ repo: folder, baseCommit: base, out, hide });
    for (const name of ["tests/test_app.py", "with spaces/größe 东京.py"]) {
      expect(existsSync(join(out, name)), name).toBe(false);
    }
    expect(await readdir(out)).not.toContain("out link");
    expect(existsSync(join(out, "src/app.py"))).toBe(true);
    expect(git(out, "status", "--porcelain")).toBe("");
    git(out, "add", "-A");
    expect(git(out, "diff", "--cached")).toBe("");
    git(out, "checkout", base, "--", "tests/test_app.py");
    expect(await textIn(out, "tests/test_app.py")).toBe("old test\n");
  });
});
