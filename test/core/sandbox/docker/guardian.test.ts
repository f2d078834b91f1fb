import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { describeDocker, image } from "./docker.ts";

/** A process that lives as long as the file grows. */
const BEAT = "while :; do echo x >> /tmp/beat; sleep 0.03; done";
const BEATS = "while [ ! -s /tmp/beat ]; do sleep 0.02; done";

describeDocker("the process that watches over commands", () => {
  const ways = {
    overlay: { engine: "overlay" },
    commit: { engine: "commit" },
    "overlay, as a user: forked instead of spawned": { engine: "overlay", user: "0" },
  } as const;
  for (const [name, options] of Object.entries(ways)) {
    describe(name, () => {
      let box: Sandbox;
      beforeAll(async () => {
        box = await createDockerSandbox({ image: image!, ...options });
      });
      afterAll(() => box.close());

      const isQuiet = async () => {
        const { stdout } = await box.exec(
          "wc -c < /tmp/beat; sleep 0.2; wc -c < /tmp/beat; rm /tmp/beat; echo fine",
        );
        const [before, after, fine] = stdout.text.split("\n");
        expect(Number(before)).toBeGreaterThan(0);
        expect([after, fine]).toEqual([before, "fine"]);
      };

      test("is stopped: the command ends as ever", async () => {
        expect(await box.exec("kill -STOP $PPID; exit 3")).toMatchObject({ exitCode: 3, timedOut: false });
      });

      test("is stopped again and again: the time-out kills the command all the same", async () => {
        const command = `(while :; do kill -STOP $PPID; done) & ${BEAT}`;
        const { exitCode, timedOut } = await box.exec(command, { timeoutMs: 500 });
        expect([exitCode, timedOut]).toEqual([137, true]);
        await isQuiet();
      });

      test("is killed: nothing that the command started runs on, however deep", async () => {
        const deep = `setsid sh -c "sh -c '${BEAT}' & wait" &`;
        const { exitCode, timedOut } = await box.exec(`${deep} ${BEATS}; kill -9 $PPID; sleep 20`);
        expect([exitCode, timedOut]).toEqual([137, false]);
        await isQuiet();
      });

      test("is killed by one command: another that runs is left alone", async () => {
        const other = box.exec("sleep 1 & wait; echo done");
        await box.exec(`setsid sh -c '${BEAT}' & ${BEATS}; kill -9 $PPID; sleep 20`);
        expect((await other).stdout.text).toBe("done\n");
        await isQuiet();
      });

      test("is stopped or killed while it has nothing to do: the next command runs", async () => {
        for (const signal of ["STOP", "KILL"]) {
          const one = box.exec("echo $PPID; sleep 0.1");
          const other = box.exec(
            "echo $PPID; while ! [ -e /tmp/go ]; do sleep 0.02; done; kill -$SIGNAL $(cat /tmp/go); rm /tmp/go",
            {
              env: { SIGNAL: signal },
            },
          );
          await box.writeFile("/tmp/go", (await one).stdout.text);
          expect(await other).toMatchObject({ exitCode: 0 });
          expect((await box.exec("echo fine")).stdout.text).toBe("fine\n");
        }
      });

      test("keeps nothing of a command for the next: folder, umask, limits, signals, descriptors", async () => {
        const look =
          "pwd; umask; ulimit -n; ulimit -c; nice; grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd";
        const before = (await box.exec(look)).stdout.text;
        const keep = await box.exec(
          "mkdir -p /tmp/gone && cd /tmp/gone && umask 0 && ulimit -n 20 && trap '' TERM && exec 5> /tmp/five && nice -n 5 true",
          { keepShell: true, cwd: "/tmp" },
        );
        expect(keep.exitCode).toBe(0);
        const after = (await box.exec(look, { cwd: "/" })).stdout.text;
        expect(after).toBe(before);
        // The C library ignores two signals of its own in whatever it spawns.
        expect(before).toMatch(/^SigIgn:\s+(0+|0000000180000000)$/m);
      });
    });
  }
});
