import assert from "node:assert/strict";
import { SandboxError } from "../../core/errors.ts";
import { alone, type Lab, type Place, type SandboxLaw, shared } from "./sandbox-lab.ts";

export const KILL_LAW = "a sandbox killed from outside is a SandboxError, at once and from then on";

/** A process that lives as long as the file grows. */
const BEAT = "while [ ! -e stop ]; do echo x >> beat; sleep 0.03; done";

/** Time-outs, background processes, aborts, close. */
export const stopLaws: Readonly<Record<string, SandboxLaw>> = {
  "a time-out is a result and keeps the output so far": shared(async (place, lab) => {
    const timeoutMs = lab.ms(400);
    for (const merge of [false, true]) {
      const script = "printf before; printf problem >&2; sleep 20; printf never";
      const run = place.run(script, { timeoutMs, merge });
      const { timedOut, exitCode, stdout, stderr, ms } = await lab.soon(run, timeoutMs);
      assert.equal(timedOut, true);
      assert.notEqual(exitCode, 0);
      const expected = merge ? ["beforeproblem", ""] : ["before", "problem"];
      assert.deepEqual([stdout.text, stderr.text], expected);
      assert.ok(ms >= timeoutMs * 0.9, `ms: ${ms}`);
    }
    assert.equal(await place.text("echo fine"), "fine\n");
  }),

  "a time-out kills a child that ignores signals and holds the pipe": shared(async (place, lab) => {
    await timesOut(place, lab, `trap '' TERM INT HUP; sh -c "trap '' TERM INT HUP; ${BEAT}"; echo never`);
  }),

  "a time-out kills a child in the background": shared(async (place, lab) => {
    await timesOut(place, lab, `nohup sh -c '${BEAT}' > /dev/null 2>&1 & (sh -c '${BEAT}' &); sleep 20`);
  }),

  "a time-out kills a child that left the session (needs setsid)": shared(async (place, lab) => {
    await place.text("command -v setsid");
    await timesOut(place, lab, `(setsid sh -c '(${BEAT}) > /dev/null 2>&1 &' &); sleep 20`);
  }),

  "a time-out kills a child that left the session and dropped its variables (needs setsid)": shared(
    async (place, lab) => {
      await place.text("command -v setsid");
      const daemon = `(env -i PATH="$PATH" setsid sh -c '(${BEAT}) > /dev/null 2>&1 &' &)`;
      await timesOut(place, lab, `${daemon}; sleep 20`);
    },
  ),

  "a time-out kills nothing of another command": shared(async (place, lab) => {
    const timeoutMs = lab.ms(300);
    const other = place.run(`sleep ${lab.ms(900) / 1000} & wait $!; echo done`);
    const late = await lab.soon(place.run("sleep 20", { timeoutMs }), timeoutMs);
    assert.equal(late.timedOut, true);
    const { exitCode, stdout } = await other;
    assert.deepEqual([exitCode, stdout.text], [0, "done\n"]);
  }),

  "a command is over when it ends, although a child holds the pipe": shared(async (place, lab) => {
    for (const command of ["sleep 20 & echo hi; exit 3", ["sh", "-c", "sleep 20 & echo hi; exit 3"]]) {
      const { exitCode, timedOut, stdout } = await lab.soon(place.run(command));
      assert.deepEqual([exitCode, timedOut, stdout.text], [3, false, "hi\n"]);
    }
  }),

  "background processes outlive their command exactly if the flags say so": shared(async (place, lab) => {
    const holdsPipe = `sh -c '${BEAT}' & while [ ! -s beat ]; do sleep 0.02; done`;
    await lab.soon(place.run(holdsPipe));
    const [before, after] = await twoLooks(place, lab);
    assert.equal(after > before, place.box.flags.backgroundProcesses);
    await place.write("stop", "");
  }),

  "an abort kills the command and rejects with the signal's reason": shared(async (place, lab) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const run = place.run(`sh -c '${BEAT}'`, { signal: controller.signal });
    run.catch(() => {});
    await beats(place, lab);
    controller.abort(reason);
    await assert.rejects(lab.soon(run), (error) => error === reason);
    await isDead(place, lab);
    const never = place.run("touch ran", { signal: controller.signal });
    await assert.rejects(lab.soon(never), (error) => error === reason);
    assert.equal(await place.text("ls"), "beat\n");
  }),

  "nothing can be done with a closed sandbox: a SandboxError": alone(async (place, lab) => {
    const snapshot = await lab.snapshot(place);
    const other = await lab.fork(place, snapshot);
    await place.box.close();
    const tries = [
      () => place.box.exec("true"),
      () => place.box.readFile(place.path("file")),
      () => place.box.writeFile(place.path("file"), ""),
      () => place.box.putArchive(place.folder, new Uint8Array(1024)),
      () => place.box.snapshot(),
      () => place.box.fork(snapshot),
    ];
    for (const attempt of tries) await assert.rejects(async () => lab.soon<unknown>(attempt()), SandboxError);
    assert.equal(await other.text("echo fine"), "fine\n");
  }),

  "closing rejects the commands that run, returns soon, and closing twice is fine": alone(
    async (place, lab) => {
      const runs = [place.run("sleep 20"), place.run("trap '' TERM; sh -c 'sleep 20'")];
      for (const run of runs) run.catch(() => {});
      await lab.pause(200);
      await lab.soon(Promise.all([place.box.close(), place.box.close()]));
      for (const run of runs) await assert.rejects(lab.soon(run), SandboxError);
      await place.box.close();
    },
  ),

  [KILL_LAW]: alone(async (place, lab) => {
    const { kill } = lab.contract;
    assert.ok(kill, "the contract has no `kill`");
    await place.write("file", "");
    const run = place.run("sleep 20");
    run.catch(() => {});
    await lab.pause(200);
    await kill(place.box);
    await assert.rejects(lab.soon(run), SandboxError);
    for (let round = 0; round < 2; round++) {
      await assert.rejects(async () => lab.soon(place.box.exec("true")), SandboxError);
      await assert.rejects(async () => lab.soon(place.box.readFile(place.path("file"))), SandboxError);
      await assert.rejects(async () => lab.soon(place.box.writeFile(place.path("new"), "")), SandboxError);
    }
    await lab.soon(place.box.close());
  }),
};

/** The script starts one process or more that beat, and does not end. */
async function timesOut(place: Place, lab: Lab, script: string): Promise<void> {
  const timeoutMs = lab.ms(500);
  const { timedOut } = await lab.soon(place.run(script, { timeoutMs }), timeoutMs);
  assert.equal(timedOut, true);
  await isDead(place, lab);
}

async function isDead(place: Place, lab: Lab): Promise<void> {
  const [before, after] = await twoLooks(place, lab);
  assert.ok(before > 0, "the process never ran");
  assert.equal(after, before, "a process still runs");
}

async function beats(place: Place, lab: Lab): Promise<void> {
  await lab.soon(place.run("while [ ! -s beat ]; do sleep 0.02; done"));
}

async function twoLooks(place: Place, lab: Lab): Promise<[number, number]> {
  const before = await place.read("beat").catch(() => "");
  await lab.pause(250);
  return [before.length, (await place.read("beat").catch(() => "")).length];
}
