import assert from "node:assert/strict";
import type { ExecResult } from "../../core/sandbox/sandbox.ts";
import { alone, type Place, type SandboxLaw } from "./sandbox-lab.ts";

/** The directory and the exported variables that last from one command to the next. */
export const shellLaws: Readonly<Record<string, SandboxLaw>> = {
  "keepShell keeps the folder and the exported variables": alone(async (place) => {
    const value = 'it\'s "q" $HOME\n\nB=no\n`x` \\ é ';
    const script =
      "mkdir sub; cd sub; echo here > mark; export CONTRACT_A; CONTRACT_C=not-exported; echo out; echo err >&2";
    const { stdout, stderr } = await keep(place, `${script}\nCONTRACT_A=$NEXT; unset NEXT`, { NEXT: value });
    assert.deepEqual([stdout.text, stderr.text], ["out\n", "err\n"]);
    assert.equal(place.box.shell.env.CONTRACT_A, value);
    const show = `cat mark; printf "%s|%s" "$CONTRACT_A" "\${CONTRACT_C-unset}"`;
    for (const command of [show, ["sh", "-c", show]])
      assert.equal((await place.box.exec(command)).stdout.text, `here\n${value}|unset`);
    const given = await place.box.exec('printf "%s" "$CONTRACT_A"', { env: { CONTRACT_A: "given" } });
    assert.equal(given.stdout.text, "given");
    await place.box.exec("unset CONTRACT_A; cd ..", { keepShell: true });
    assert.equal("CONTRACT_A" in place.box.shell.env, false);
    assert.equal((await place.box.exec("cat sub/mark")).exitCode, 0);
  }),

  "keepShell keeps them although the script exits": alone(async (place) => {
    await place.text("mkdir sub; echo here > sub/mark");
    const { exitCode } = await keep(place, "cd sub; export CONTRACT_A=kept; exit 3; echo never");
    assert.equal(exitCode, 3);
    assert.equal((await place.box.exec('cat mark; printf %s "$CONTRACT_A"')).stdout.text, "here\nkept");
    const failed = await place.box.exec("export CONTRACT_A=failed; set -e; false; echo never", {
      keepShell: true,
    });
    assert.deepEqual([failed.exitCode, failed.stdout.text], [1, ""]);
    assert.equal(place.box.shell.env.CONTRACT_A, "failed");
  }),

  "keepShell keeps what was there if the script is killed, timed out or no script at all": alone(
    async (place, lab) => {
      await keep(place, "mkdir sub; export CONTRACT_A=before");
      const { shell } = place.box;
      const timeoutMs = lab.ms(300);
      const killed = await place.box.exec("cd sub; kill -9 $$", { keepShell: true });
      assert.equal(killed.exitCode, 137);
      const late = await lab.soon(
        place.box.exec("cd sub; sleep 20", { keepShell: true, timeoutMs }),
        timeoutMs,
      );
      assert.equal(late.timedOut, true);
      const wrong = await place.box.exec("cd sub; if then (", { keepShell: true });
      assert.notEqual(wrong.exitCode, 0);
      assert.equal(place.box.shell.env.CONTRACT_A, "before");
      assert.equal(place.box.shell.cwd.endsWith("/sub"), false);
      assert.equal(shell.env.CONTRACT_A, "before");
    },
  ),

  "a command without keepShell does not change them": alone(async (place) => {
    await keep(place, "mkdir sub; export CONTRACT_A=before");
    const before = structuredClone(place.box.shell);
    await place.box.exec("cd sub; export CONTRACT_A=after CONTRACT_B=new");
    await place.box.exec(["sh", "-c", "cd sub"], { cwd: place.path("sub"), env: { CONTRACT_B: "new" } });
    assert.deepEqual(place.box.shell, before);
    assert.equal((await place.box.exec('printf %s "$CONTRACT_A$CONTRACT_B"')).stdout.text, "before");
  }),

  "keepShell of a script that changes neither leaves them equal": alone(async (place) => {
    await keep(place, "export CONTRACT_A=1");
    const before = structuredClone(place.box.shell);
    await place.box.exec("echo hello; (cd /; export CONTRACT_A=2)", { keepShell: true });
    assert.deepEqual(place.box.shell, before);
  }),

  "a relative folder is relative to the shell's": alone(async (place) => {
    await place.write("sub/deeper/mark", "deep");
    await keep(place, "cd sub");
    const { stdout } = await place.box.exec(["cat", "mark"], { cwd: "deeper" });
    assert.equal(stdout.text, "deep");
    assert.equal(Buffer.from(await place.box.readFile("deeper/mark")).toString(), "deep");
    await place.box.writeFile("made/new", "new");
    assert.equal(await place.read("sub/made/new"), "new");
  }),

  "a fork goes on in the same shell, and neither changes the other's": alone(async (place, lab) => {
    await keep(
      place,
      "mkdir -p sub other; echo s > sub/mark; echo o > other/mark; cd sub; export CONTRACT_A='1\n2'",
    );
    const show = 'cat mark; printf "%s" "$CONTRACT_A"';
    const snapshot = await lab.snapshot(place);
    const [fork, sibling] = [await lab.fork(place, snapshot), await lab.fork(place, snapshot)];
    const shown = async ({ box }: Place): Promise<string> => (await box.exec(show)).stdout.text;
    assert.equal(await shown(fork), "s\n1\n2");
    await fork.box.exec("cd ../other; export CONTRACT_A=fork", { keepShell: true });
    assert.equal(await shown(fork), "o\nfork");
    assert.equal(await shown(place), "s\n1\n2");
    assert.equal(await shown(sibling), "s\n1\n2");
    await place.box.exec("export CONTRACT_A=parent", { keepShell: true });
    assert.equal(await shown(fork), "o\nfork");
    assert.equal(await shown(await lab.fork(place, snapshot)), "s\n1\n2");
    assert.equal(await shown(await lab.fork(fork)), "o\nfork");
  }),
};

/** Runs in the law's folder, which by that becomes the shell's. */
function keep(place: Place, script: string, env: Readonly<Record<string, string>> = {}): Promise<ExecResult> {
  return place.run(script, { keepShell: true, env });
}
