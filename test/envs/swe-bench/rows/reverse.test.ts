import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reversePatch } from "../../../../envs/swe-bench/rows/reverse.ts";

/** A repository with these files committed. */
function repository(files: Readonly<Record<string, string>>) {
  const cwd = mkdtempSync(join(tmpdir(), "forkgym-reverse-"));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });
  git("init", "-q");
  const write = (all: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(all)) writeFileSync(join(cwd, name), content);
  };
  write(files);
  git("add", "-A");
  git("commit", "-qm", "base", "--allow-empty");
  return { cwd, git, write };
}

test("the reverse is what `git diff -R` prints: edits, new, deleted and renamed files, modes, no final newline", () => {
  const body = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const { cwd, git, write } = repository({
    "edit.py": body,
    "gone.py": "a\nb\n",
    "move me.py": `${body}\n`,
    "run.sh": "true\n",
    "naïve.py": "1\n",
  });
  rmSync(join(cwd, "gone.py"));
  git("mv", "move me.py", "moved.py");
  chmodSync(join(cwd, "run.sh"), 0o755);
  write({
    "edit.py": `${body.replace("line 3", "-- three\r").replace("line 5\n", "").replace("line 30", "thirty\n++ more")}\n`,
    "moved.py": `${body.replace("line 9", "nine")}\n`,
    "new.py": "fresh",
    "naïve.py": "2\n",
  });
  git("add", "-A");
  const patch = git("diff", "--cached", "-M", "HEAD");
  expect(sections(reversePatch(patch))).toEqual(
    sections(git("diff", "--cached", "-M", "-R", "--src-prefix=b/", "--dst-prefix=a/", "HEAD")),
  );
  expect(reversePatch(reversePatch(patch))).toBe(patch);
});

/** The files of a patch, sorted: git orders a renamed file by its new name. */
function sections(patch: string): readonly string[] {
  return patch.split(/^(?=diff --git )/m).sort();
}

test("applying the bug and then its reverse gives the first text back, whatever the text", () => {
  const { cwd, git, write } = repository({});
  const file = join(cwd, "f.py");
  const text = fc
    .array(fc.constantFrom("a", "b", "", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", " c\r"), { maxLength: 12 })
    .chain((lines) => fc.boolean().map((end) => lines.join("\n") + (end ? "\n" : "")));
  fc.assert(
    fc.property(text, text, (before, after) => {
      write({ "f.py": before });
      git("add", "-A");
      write({ "f.py": after });
      const bug = git("diff", "-U1");
      fc.pre(bug !== "");
      writeFileSync(join(cwd, ".git", "fix.diff"), reversePatch(bug));
      git("apply", ".git/fix.diff");
      expect(readFileSync(file, "utf8")).toBe(before);
    }),
    { numRuns: 40 },
  );
});

test("a binary patch is refused in words, and no patch has no reverse", () => {
  expect(() => reversePatch("diff --git a/x b/x\nGIT binary patch\nliteral 0\n")).toThrow(
    "binary patch cannot",
  );
  expect(reversePatch("")).toBe("");
});
