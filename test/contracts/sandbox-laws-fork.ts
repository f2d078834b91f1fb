import assert from "node:assert/strict";
import { type Place, type SandboxLaw, shared } from "./sandbox-lab.ts";

const WORLD = `
mkdir -p d/deep e swap-folder
for name in a b gone moved mode swap-file d/x d/deep/y e/z swap-folder/in; do echo "old $name" > $name; done
chmod 644 mode; ln -s a link; mkdir empty`;

/** Everything that can be done to a file or a folder. */
const CHANGES = `
echo new > a; echo more >> b; rm gone; mv moved elsewhere; chmod 755 mode
rm link; ln -s b link; rmdir empty; mkdir -p made/deep; echo made > made/deep/file
rm -r e; mkdir e; echo other > e/other; mv d/deep d/deeper; echo more >> d/deeper/y
rm swap-file; mkdir swap-file; echo in > swap-file/in; rm -r swap-folder; echo file > swap-folder`;

/** Each path with its mode, and its content, its target or what is in it. */
const SHOW = `
show() {
  for path in "$1"/*; do
    [ -e "$path" ] || [ -L "$path" ] || continue
    line=$(ls -ld "$path")
    printf '%.10s %s: ' "$line" "$path"
    if [ -L "$path" ]; then echo "\${line##* -> }"
    elif [ -d "$path" ]; then echo; show "$path"
    else cat "$path"; fi
  done
}
show .`;

/** What a fork has, and that nothing leaks. */
export const forkLaws: Readonly<Record<string, SandboxLaw>> = {
  "a fork has the files of its snapshot": shared(async (place, lab) => {
    const before = await world(place);
    assert.match(before, /old d\/deep\/y/);
    assert.equal(await show(await lab.fork(place)), before);
  }),

  "what a fork changes is seen in no other sandbox": shared(async (place, lab) => {
    const before = await world(place);
    const snapshot = await lab.snapshot(place);
    const [fork, sibling] = [await lab.fork(place, snapshot), await lab.fork(place, snapshot)];
    await fork.text(CHANGES);
    assert.equal(await show(place), before, "the parent sees it");
    assert.equal(await show(sibling), before, "a sibling sees it");
    assert.equal(await show(await lab.fork(place, snapshot)), before, "a later sibling sees it");
  }),

  "what a parent changes is seen in no fork, and its snapshot stays put": shared(async (place, lab) => {
    const before = await world(place);
    const snapshot = await lab.snapshot(place);
    const fork = await lab.fork(place, snapshot);
    await place.text(CHANGES);
    assert.notEqual(await show(place), before);
    assert.equal(await show(fork), before, "a fork sees it");
    assert.equal(await show(await lab.fork(place, snapshot)), before, "the snapshot has it");
  }),

  "changes in a fork come out as they would have without a fork, and in its forks": shared(
    async (place, lab) => {
      await world(place);
      const fork = await lab.fork(place);
      await place.text(CHANGES);
      const after = await show(place);
      await fork.text(CHANGES);
      assert.equal(await show(fork), after);
      const grandchild = await lab.fork(fork);
      assert.equal(await show(grandchild), after);
      await grandchild.text("rm -r d made; mkdir d; echo again > e/z");
      assert.equal(
        await (await lab.fork(grandchild)).text("ls d; ls; cat e/z"),
        `${await grandchild.text("ls")}again\n`,
      );
      assert.equal(await show(fork), after);
    },
  ),

  "a folder that was deleted and made again does not show what was in it": shared(async (place, lab) => {
    await place.text("mkdir -p d/inner; echo x > d/x; echo y > d/inner/y");
    const fork = await lab.fork(place);
    await fork.text("rm -r d; mkdir -p d/inner; echo new > d/new");
    const seen = "ls d d/inner";
    const expected = "d:\ninner\nnew\n\nd/inner:\n";
    assert.equal(await fork.text(seen), expected);
    const grandchild = await lab.fork(fork);
    assert.equal(await grandchild.text(seen), expected);
    await grandchild.text("rm -r d");
    assert.equal(await (await lab.fork(grandchild)).text("mkdir d; ls d"), "");
    assert.equal(await place.text("cat d/x d/inner/y"), "x\ny\n");
  }),

  "ten forks deep, each level has what was written above and not what was deleted": shared(
    async (place, lab) => {
      const levels: Place[] = [place];
      await place.text("echo 0 > kept-0; mkdir gone-0; echo 0 > gone-0/file");
      for (let level = 1; level <= 10; level++) {
        const fork = await lab.fork(levels[level - 1]!);
        await fork.text(
          `echo ${level} > kept-${level}; rm -r gone-${level - 1}; mkdir gone-${level}; echo ${level} > gone-${level}/file`,
        );
        levels.push(fork);
      }
      for (const [level, fork] of levels.entries()) {
        const kept = Array.from({ length: level + 1 }, (_, above) => `${above}\n`).join("");
        assert.equal(
          await fork.text(
            "ls -d gone-*; cat gone-*/file; for i in 0 1 2 3 4 5 6 7 8 9 10; do [ ! -e kept-$i ] || cat kept-$i; done",
          ),
          `gone-${level}\n${level}\n${kept}`,
        );
      }
    },
  ),

  "modes, owners and times cross a fork": shared(async (place, lab) => {
    await place.text(`
      echo x > tool; chmod 751 tool; echo y > secret; chmod 600 secret; mkdir shut; chmod 700 shut
      touch -t 200102030405 tool secret shut`);
    const listing = "ls -ln . | while read -r mode links rest; do echo $mode $rest; done";
    const before = await place.text(listing);
    assert.match(before, /-rwxr-x--x .* 2001 tool/);
    const fork = await lab.fork(place);
    assert.equal(withoutSizes(await fork.text(listing)), withoutSizes(before));
    assert.equal(withoutSizes(await (await lab.fork(fork)).text(listing)), withoutSizes(before));
  }),

  "hard links cross a fork": shared(async (place, lab) => {
    await place.text("echo one > first; ln first second");
    const fork = await lab.fork(place);
    await fork.text("echo two >> first");
    assert.equal(await fork.text("cat second"), "one\ntwo\n");
    assert.equal(await place.text("cat second"), "one\n");
  }),

  "a FIFO does not break a snapshot (needs mkfifo)": shared(async (place, lab) => {
    await place.text("mkfifo pipe; echo x > file");
    const fork = await lab.soon(lab.fork(place), lab.ms(2000));
    assert.equal(await fork.text("test -p pipe; cat file"), "x\n");
  }),

  "names that are no UTF-8 and dangling links do not break a snapshot": shared(async (place, lab) => {
    await place.text(
      "echo odd > \"$(printf 'a\\377b')\"; ln -s /no/such/place dangling; ln -s loop loop; : > .hidden",
    );
    const fork = await lab.fork(place);
    assert.equal(
      await fork.text("cat a*; ls -A | wc -l; ls -ld dangling | grep -c /no/such/place").then(squeezed),
      "odd 4 1",
    );
  }),

  "processes do not cross a fork": shared(async (place, lab) => {
    await place.text(
      "(while [ ! -e stop ]; do echo x >> beat; sleep 0.03; done) > /dev/null 2>&1 & sleep 0.1",
    );
    const fork = await lab.fork(place);
    const before = await fork.read("beat");
    await lab.pause(250);
    assert.equal(await fork.read("beat"), before);
    await place.write("stop", "");
  }),

  "a fork cannot kill the processes of another sandbox": shared(async (place, lab) => {
    const fork = await lab.fork(place);
    const run = place.run("echo $$ > pid; while [ ! -e stop ]; do sleep 0.03; done; echo unharmed");
    run.catch(() => {});
    await lab.soon(place.run("while [ ! -s pid ]; do sleep 0.02; done"));
    const pid = (await place.read("pid")).trim();
    await fork.run(["sh", "-c", `kill -9 ${pid}`]);
    await place.write("stop", "");
    assert.equal((await lab.soon(run)).stdout.text, "unharmed\n");
  }),

  "forks run at once, each in its own world": shared(async (place, lab) => {
    const snapshot = await lab.snapshot(place);
    const forks = await Promise.all([1, 2, 3].map(() => lab.fork(place, snapshot)));
    const script = "i=0; while [ $i -lt 20 ]; do echo $NAME >> log; sleep 0.01; i=$((i+1)); done; cat log";
    const logs = [place, ...forks].map((fork, index) =>
      fork.text(script, { env: { NAME: `fork-${index}` } }),
    );
    const expected = logs.map((_, index) => `fork-${index}\n`.repeat(20));
    assert.deepEqual(await Promise.all(logs), expected);
  }),
};

async function world(place: Place): Promise<string> {
  await place.text(WORLD);
  return show(place);
}

function show(place: Place): Promise<string> {
  return place.text(SHOW);
}

function squeezed(text: string): string {
  return text.trim().split(/\s+/).join(" ");
}

/** Folders are of a different size on another filesystem. */
function withoutSizes(listing: string): string {
  return listing.replaceAll(/^(d\S+ \d+ \d+ )\d+/gm, "$1-").replace(/^total.*$/m, "");
}
