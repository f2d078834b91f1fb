import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { FileError } from "../../core/errors.ts";
import { type Place, type SandboxLaw, shared } from "./sandbox-lab.ts";
import { tar } from "./sandbox-tar.ts";

export const FULL_DISK_LAW = "a full disk is a FileError, or a command's own failure, and no more";

/** Reading, writing, unpacking. */
export const fileLaws: Readonly<Record<string, SandboxLaw>> = {
  "a file comes back byte for byte": shared(async (place) => {
    const all = Uint8Array.from({ length: 300_001 }, (_, index) => (index * 31 + (index >> 8)) % 256);
    for (const [name, bytes] of [
      ["all", all],
      ["empty", new Uint8Array()],
    ] as const) {
      await place.box.writeFile(place.path(name), bytes);
      assert.ok(Buffer.from(bytes).equals(await place.box.readFile(place.path(name))), name);
    }
    await place.write("all", "é\r\nno newline at the end");
    assert.equal(await place.text(["cat", "all"]), "é\r\nno newline at the end");
  }),

  "writing makes missing folders and keeps the mode of a file that is there": shared(async (place) => {
    await place.write("one/two/three", "3");
    assert.equal(await place.text("cat one/two/three"), "3");
    await place.text("echo '#!/bin/sh' > tool; chmod 750 tool");
    await place.write("tool", "#!/bin/sh\necho tool\n");
    assert.equal(await place.text("./tool; ls -l tool | head -c 10"), "tool\n-rwxr-x---");
  }),

  "a file that cannot be read or written is a FileError that names it": shared(async (place) => {
    await place.text("mkdir folder; echo x > file; ln -s absent dangling; ln -s loop loop");
    for (const name of ["absent", "folder", "file/inside", "absent/inside", "dangling", "loop"])
      await assert.rejects(async () => place.read(name), { name: FileError.name, message: RegExp(name) });
    for (const name of ["folder", "file/inside", "loop"])
      await assert.rejects(async () => place.write(name, ""), {
        name: FileError.name,
        message: RegExp(name),
      });
    assert.equal(await place.read("file"), "x\n");
  }),

  "reading what is no regular file is a FileError and does not wait (needs mkfifo)": shared(
    async (place, lab) => {
      await place.text("mkfifo pipe");
      await assert.rejects(async () => lab.soon(place.read("pipe")), FileError);
      await assert.rejects(async () => lab.soon(place.box.readFile("/dev/zero")), FileError);
    },
  ),

  "symbolic links are followed inside": shared(async (place) => {
    await place.text('mkdir real; echo one > real/file; ln -s real/file near; ln -s "$PWD/real" far');
    assert.deepEqual([await place.read("near"), await place.read("far/file")], ["one\n", "one\n"]);
    await place.write("near", "two");
    await place.write("far/new", "three");
    assert.equal(await place.text("cat real/file real/new; test -L near"), "twothree");
  }),

  "an archive brings folders, modes and links": shared(async (place) => {
    const long = `${"long-name/".repeat(11)}file`;
    const archive = tar([
      { name: "bin/", folder: true, mode: 0o755 },
      { name: "bin/tool", content: "#!/bin/sh\necho tool\n", mode: 0o755 },
      { name: "bin/link", link: "tool" },
      { name: "no/folder/entry é", content: "\0\xff" },
      { name: "private", content: "x".repeat(513), mode: 0o600 },
      { name: "empty", content: "" },
      { name: long, content: "long" },
    ]);
    await place.write("made/here/kept", "kept");
    await place.write("made/here/private", "old");
    await place.box.putArchive(place.path("made/here"), archive);
    await place.box.putArchive(place.path("missing/folder"), archive);
    for (const cwd of [place.path("made/here"), place.path("missing/folder")]) {
      assert.equal(await place.text("bin/link; test -L bin/link; cat empty", { cwd }), "tool\n");
      assert.equal(await place.text("ls -l private bin/tool", { cwd }).then(modes), "-rwxr-xr-x -rw-------");
      assert.equal(await place.text(["cat", "no/folder/entry é", long], { cwd }), "\0ÿlong");
      assert.equal(await place.text("cat private", { cwd }), "x".repeat(513));
    }
    assert.equal(await place.read("made/here/kept"), "kept");
  }),

  "a bad archive is a FileError": shared(async (place) => {
    const good = tar([{ name: "file", content: "x".repeat(5000) }]);
    const noise = Uint8Array.from({ length: 2048 }, (_, index) => (index * 17 + 3) % 251);
    for (const bad of [noise, good.subarray(0, 1000)])
      await assert.rejects(async () => place.box.putArchive(place.path("into"), bad), FileError);
    await place.write("a-file", "");
    await assert.rejects(async () => place.box.putArchive(place.path("a-file"), good), FileError);
    assert.equal(await place.text("echo fine"), "fine\n");
  }),

  "an archive writes nothing outside of its folder": shared(async (place) => {
    const root = "/forkgym-contract-outside";
    const bad = [
      tar([{ name: "../outside", content: "x" }]),
      tar([{ name: "a/../../outside", content: "x" }]),
      tar([{ name: root, content: "x" }]),
      tar([
        { name: "up", link: ".." },
        { name: "up/outside", content: "x" },
      ]),
    ];
    for (const archive of bad) {
      await place.box.putArchive(place.path("into"), archive).catch((error: unknown) => {
        assert.ok(error instanceof FileError, `expected a FileError, got ${error}`);
      });
    }
    assert.equal(await place.text(`ls; test ! -e ${root}`), "into\n");
    assert.equal(existsSync(root), false);
  }),

  [FULL_DISK_LAW]: shared(async (place, lab) => {
    const { fullDisk } = lab.contract;
    assert.ok(fullDisk, "the contract has no `fullDisk`");
    const big = new Uint8Array(16 * 1024 * 1024);
    await assert.rejects(async () => place.box.writeFile(`${fullDisk}/big`, big), FileError);
    const { exitCode } = await place.run("cat > more", { cwd: fullDisk, stdin: big });
    assert.notEqual(exitCode, 0);
    await place.text(["rm", "-f", `${fullDisk}/big`, `${fullDisk}/more`]);
    await fits(place, fullDisk);
  }),
};

async function fits(place: Place, fullDisk: string): Promise<void> {
  await place.box.writeFile(`${fullDisk}/small`, "small");
  assert.equal(await place.text("cat small", { cwd: fullDisk }), "small");
}

/** The modes in a listing by `ls -l`. */
function modes(listing: string): string {
  const lines = listing.trim().split("\n");
  return lines.map((line) => line.slice(0, 10)).join(" ");
}
