import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { GymnasiumPeer } from "../../bench/peer.ts";

const python = process.env.FORKGYM_PYTHON;
const found = python !== undefined && spawnSync(python, ["-c", "import gymnasium"]).status === 0;

test("a peer without a Python, or with one that cannot run it, is missing and says what to do", async () => {
  const missing = { name: "PeerMissingError", message: expect.stringContaining("--python PATH") };
  await expect(GymnasiumPeer.start(undefined)).rejects.toMatchObject(missing);
  await expect(GymnasiumPeer.start("./no-such-python")).rejects.toMatchObject(missing);
  // Node refuses the script at once: it is no JavaScript.
  await expect(GymnasiumPeer.start(process.execPath)).rejects.toMatchObject(missing);
});

test.skipIf(!found)(
  "a peer answers one request after the other and tells its last error (needs FORKGYM_PYTHON)",
  async () => {
    const peer = await GymnasiumPeer.start(python);
    try {
      expect(Object.keys(peer.versions)).toEqual(["python", "gymnasium", "numpy"]);
      expect(await peer.ask({ do: "prepare", actions: [2, 1] })).toBe(true);
      expect(await peer.ask({ do: "play", steps: 3 })).toHaveLength(3);
      for (const request of [
        { do: "step", env: "made", count: 10 },
        { do: "copy", env: "by-hand", map: "4x4", count: 2 },
      ]) {
        expect(await peer.ask(request)).toBeGreaterThan(0);
      }
      await expect(peer.ask({ do: "dance" })).rejects.toThrow("unknown request dance");
    } finally {
      await peer.close();
    }
  },
);
