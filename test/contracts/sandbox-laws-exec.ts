import assert from "node:assert/strict";
import { FileError, InputError } from "../../core/errors.ts";
import { type SandboxLaw, shared } from "./sandbox-lab.ts";

/** What is started, with what, and how it ended. */
export const execLaws: Readonly<Record<string, SandboxLaw>> = {
  "a non-zero exit is a result": shared(async (place) => {
    for (const code of [0, 1, 3, 255]) {
      const { exitCode, timedOut, ms } = await place.run(`exit ${code}`);
      assert.deepEqual({ exitCode, timedOut }, { exitCode: code, timedOut: false });
      assert.ok(Number.isFinite(ms) && ms >= 0, `ms: ${ms}`);
    }
    assert.equal((await place.run(["sh", "-c", "exit 7"])).exitCode, 7);
  }),

  "an exit by a signal is 128 + n": shared(async (place) => {
    assert.equal((await place.run(["sh", "-c", "kill -9 $$"])).exitCode, 137);
    assert.equal((await place.run(["sh", "-c", "kill -15 $$"])).exitCode, 143);
    assert.equal((await place.run("kill -9 $$")).exitCode, 137);
  }),

  "a program that does not exist is 127, not an error": shared(async (place) => {
    for (const command of [["no-such-program-here"], ["./no-such-program-here"], "no-such-program-here"]) {
      const { exitCode, timedOut } = await place.run(command);
      assert.deepEqual({ exitCode, timedOut }, { exitCode: 127, timedOut: false }, `of ${command}`);
    }
  }),

  "a program that cannot be run is 126": shared(async (place) => {
    await place.text("echo text > plain; chmod 644 plain; mkdir folder");
    for (const command of [["./plain"], ["./folder"], "./plain"])
      assert.equal((await place.run(command)).exitCode, 126, `of ${command}`);
  }),

  "an argv is not interpreted": shared(async (place) => {
    const odd = [
      "a b",
      "",
      "it's",
      '"q"',
      "$HOME",
      "`id`",
      "*",
      "a\nb\n",
      "\\n\\",
      "~",
      "-n",
      "; exit 1",
      "é\t",
    ];
    const script = 'for word in "$@"; do printf "[%s]" "$word"; done';
    const expected = odd.map((word) => `[${word}]`).join("");
    assert.equal(await place.text(["sh", "-c", script, "sh", ...odd]), expected);
  }),

  "a file may have a name with spaces, quotes and newlines": shared(async (place) => {
    const name = `a 'b' "c" $d\n*;/e f\n`;
    await place.write(name, "#!/bin/sh\necho ran\n");
    assert.equal(await place.read(name), "#!/bin/sh\necho ran\n");
    assert.equal(await place.text(["cat", name]), "#!/bin/sh\necho ran\n");
    await place.text(["chmod", "755", name]);
    assert.equal(await place.text([place.path(name)]), "ran\n");
    const folder = place.path(name.split("/")[0]!);
    assert.equal(await place.text(["./e f\n"], { cwd: folder }), "ran\n");
  }),

  "a script may be longer than the kernel takes in one argument": shared(async (place) => {
    const line = `${"x".repeat(99)}\n`;
    await place.text(`cat > long <<'END'\n${line.repeat(3000)}END\necho more >> long`);
    assert.equal(await place.read("long"), `${line.repeat(3000)}more\n`);
  }),

  "a script is run by bash where there is one": shared(async (place) => {
    if ((await place.run("command -v bash")).exitCode !== 0) return;
    assert.equal(await place.text("words=(a b); [[ $words == a ]] && echo bash"), "bash\n");
  }),

  "an input is at its end if none is given": shared(async (place, lab) => {
    const timeoutMs = lab.ms(2000);
    assert.equal(await place.text(["cat"], { timeoutMs }), "");
    assert.equal(await place.text("read line || echo none", { timeoutMs }), "none\n");
  }),

  "an input is given to its end": shared(async (place) => {
    assert.equal(await place.text(["cat"], { stdin: "one\ntwo é" }), "one\ntwo é");
    assert.equal(await place.text('read a; cat; printf %s "$a"', { stdin: "1\n2\n" }), "2\n1");
    assert.equal(await place.text(["cat"], { stdin: "" }), "");
  }),

  "five megabytes of any bytes go in and come back": shared(async (place) => {
    const bytes = Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 7 + (index >> 8) * 13) % 256);
    await place.text("cat > back", { stdin: bytes });
    assert.ok(Buffer.from(bytes).equals(await place.box.readFile(place.path("back"))), "the file differs");
    const { stdout } = await place.run(["cat", "back"], { outputBytes: 6_000_000 });
    assert.ok(Buffer.from(bytes).equals(stdout.bytes), "the output differs");
    assert.equal(stdout.omittedBytes, 0);
  }),

  "a command need not read its input": shared(async (place) => {
    const stdin = new Uint8Array(2_000_000);
    assert.equal((await place.run("exit 4", { stdin })).exitCode, 4);
    assert.equal(await place.text(["head", "-c", "3"], { stdin }), "\0\0\0");
  }),

  "variables are given for one command, whatever is in them": shared(async (place) => {
    const env = { CONTRACT_A: 'it\'s "q" $HOME\n*\\ é', CONTRACT_EMPTY: "" };
    const show = `printf "%s|%s" "$CONTRACT_A" "\${CONTRACT_EMPTY-unset}"`;
    assert.equal(await place.text(show, { env }), `${env.CONTRACT_A}|`);
    assert.equal(await place.text(["sh", "-c", show], { env }), `${env.CONTRACT_A}|`);
    assert.equal(await place.text(show), "|unset");
  }),

  "the host's variables are not seen inside": shared(async (place) => {
    process.env.FORKGYM_CONTRACT_SECRET = "secret";
    try {
      assert.equal(await place.text('printf %s "$FORKGYM_CONTRACT_SECRET"'), "");
    } finally {
      delete process.env.FORKGYM_CONTRACT_SECRET;
    }
  }),

  "a command runs in the folder that it is given": shared(async (place) => {
    await place.write("sub/deeper/mark", "here");
    assert.equal(await place.text("cat mark", { cwd: place.path("sub/deeper") }), "here");
    assert.equal(await place.text(["cat", "mark"], { cwd: place.path("sub/deeper") }), "here");
  }),

  "a folder to run in that is not there is a FileError that names it": shared(async (place) => {
    await place.write("file", "");
    for (const name of ["absent-folder", "file"]) {
      for (const command of [["touch", "../ran"], "touch ../ran"]) {
        const cwd = place.path(name);
        await assert.rejects(async () => place.box.exec(command, { cwd }), {
          name: FileError.name,
          message: RegExp(name),
        });
      }
    }
    assert.equal(await place.text("ls"), "file\n");
  }),

  "a command or an option that makes no sense is an InputError, and nothing runs": shared(async (place) => {
    const touch = ["touch", "ran"];
    const bad = [
      () => place.run([]),
      () => place.run(["touch", "ran\0"]),
      () => place.run(touch, { keepShell: true }),
      () => place.run(touch, { timeoutMs: 0 }),
      () => place.run(touch, { outputBytes: -1 }),
      () => place.run(touch, { env: { "A=B": "" } }),
    ];
    for (const run of bad) await assert.rejects(async () => run(), InputError);
    assert.equal(await place.text("ls"), "");
  }),

  "many commands at once all come out right": shared(async (place, lab) => {
    const { numCommands = 100 } = lab.contract;
    const runs = Array.from({ length: numCommands }, async (_, index) => {
      const script = `read line; sleep 0.0${index % 10}; echo "$line ${index}"; echo "${index}" > many-${index}; exit ${index % 7}`;
      const { exitCode, stdout } = await place.run(script, { stdin: `in ${index}\n` });
      return [exitCode, stdout.text, await place.read(`many-${index}`)];
    });
    const expected = runs.map((_, index) => [index % 7, `in ${index} ${index}\n`, `${index}\n`]);
    assert.deepEqual(await Promise.all(runs), expected);
  }),
};
