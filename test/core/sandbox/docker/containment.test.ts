import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDockerSandbox } from "../../../../core/sandbox/docker/index.ts";
import type { ExecResult, Sandbox } from "../../../../core/sandbox/sandbox.ts";
import { describeDocker, image } from "./docker.ts";

/** One test for each line of the first list in docs/sandboxes.md: an agent tries to break it. */
describeDocker("what a branch contains", () => {
  let branch: Sandbox;
  let sibling: Sandbox;

  beforeAll(async () => {
    branch = await createDockerSandbox({
      image: image!,
      engine: "overlay",
      memoryBytes: 256 * 2 ** 20,
      pids: 200,
      process: { fileBytes: 2 ** 20, openFiles: 64 },
    });
    const snapshot = await branch.snapshot();
    sibling = await branch.fork(snapshot);
    await branch.release(snapshot);
  });
  afterAll(async () => {
    await branch?.close();
    await sibling?.close();
  });

  const run = (script: string): Promise<ExecResult> =>
    branch.exec(script, { merge: true, timeoutMs: 20_000 });
  async function fails(script: string): Promise<void> {
    const { exitCode, stdout } = await run(script);
    expect(exitCode, `${script}: ${stdout.text}`).not.toBe(0);
  }

  test("capabilities: none, now or by a set-user-id program, and no user namespace to gain them in", async () => {
    const { stdout } = await run("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status");
    expect(stdout.text.replaceAll(/\s+/g, " ").trim()).toBe(
      `${["Inh", "Prm", "Eff", "Bnd", "Amb"].map((set) => `Cap${set}: 0000000000000000`).join(" ")} NoNewPrivs: 1`,
    );
    await fails("unshare -U true");
    await fails("unshare -m true");
    await fails("python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x10000000) != 0)'");
    await fails("chroot / true");
  });

  test("mounts: none can be made, changed or undone", async () => {
    await fails("mount -t tmpfs none /mnt");
    await fails("mount --bind /etc /mnt");
    await fails("mount -o remount,rw /proc/sys");
    await fails("umount /proc");
    await fails("umount /");
  });

  test("the host: its disk, memory, settings and devices cannot be read or written", async () => {
    await fails("mknod /tmp/disk b 254 0 && head -c 1 /tmp/disk");
    await fails("head -c 1 /dev/mem");
    await fails("echo x > /proc/sys/kernel/core_pattern");
    await fails("echo b > /proc/sysrq-trigger");
    await fails("test -s /proc/kcore && head -c 1 /proc/kcore | grep -q .");
    await fails("echo 1 > /sys/fs/cgroup/memory/tasks || echo 1 > /sys/fs/cgroup/cgroup.procs");
    await fails("touch /dev/new");
  });

  test("the kernel: no module is loaded, no program, no trace, no new root", async () => {
    const calls = {
      init_module: 175,
      finit_module: 313,
      bpf: 321,
      perf_event_open: 298,
      kexec_load: 246,
      pivot_root: 155,
      setns: 308,
      ptrace: 101,
      keyctl: 250,
    };
    const script = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in ${JSON.stringify(calls)}.items():
    print(name, libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno())`;
    const { stdout } = await branch.exec(["python3", "-c", script]);
    expect(stdout.text.trim().split("\n")).toEqual(Object.keys(calls).map((name) => `${name} -1 1`));
  });

  test("the command server and the container's own files: out of sight", async () => {
    const { stdout } = await run(
      "ls /.forkgym | wc -l; cat /proc/1/environ /proc/1/maps 2>/dev/null | wc -c; readlink /proc/1/fd/* | wc -l",
    );
    expect(stdout.text.trim().split("\n").map(Number)).toEqual([0, 0, 0]);
    await fails("ls /proc/1/root/");
    await run("kill -9 1; kill -9 -1; true");
    expect((await run("echo alive")).stdout.text).toBe("alive\n");
  });

  test("a sibling's files, processes, network, semaphores and shared memory: not seen", async () => {
    await sibling.exec("echo secret > /tmp/secret; echo secret > /root/secret");
    const busy = sibling.exec(
      `python3 -c '
import socket, time
s = socket.create_server(("127.0.0.1", 4711)); u = socket.socket(socket.AF_UNIX); u.bind("\\0secret"); u.listen()
open("/dev/shm/secret", "w").write("secret"); open("/tmp/ready", "w").write("x"); time.sleep(20)'`,
      { timeoutMs: 30_000, signal: AbortSignal.timeout(8_000) },
    );
    busy.catch(() => {});
    await sibling.exec("while [ ! -e /tmp/ready ]; do sleep 0.05; done");
    await fails("cat /tmp/secret /root/secret /dev/shm/secret");
    await fails("grep 'sec[r]et' /proc/[0-9]*/cmdline");
    await fails(`python3 -c 'import socket; socket.create_connection(("127.0.0.1", 4711), 1)'`);
    await fails(`python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("\\0secret")'`);
    await busy.catch(() => {});
  });

  test("the network: not reached, the host's own ports neither", async () => {
    const server = createServer().listen(0, "0.0.0.0");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    for (const host of ["127.0.0.1", "172.17.0.1", "host.docker.internal", "192.0.2.1"]) {
      await fails(`python3 -c 'import socket; socket.create_connection(("${host}", ${port}), 2)'`);
    }
    expect(
      (
        await run(
          "ls /sys/class/net | grep -v -E '^(lo|bonding_masters|sit0|ip6tnl0|tunl0|gre0|gretap0|erspan0|ip_vti0|ip6_vti0|ip6gre0|dummy0)$' | wc -l",
        )
      ).stdout.text,
    ).toBe("0\n");
    server.close();
  });

  test("memory: a command that fills it is killed, and the others and the branch go on", async () => {
    const other = sibling.exec("sleep 3; echo unharmed", { timeoutMs: 30_000 });
    const { exitCode } = await run("python3 -c 'x = bytearray(1 << 30); print(len(x))'");
    expect(exitCode).not.toBe(0);
    expect((await run("echo alive")).stdout.text).toBe("alive\n");
    expect((await other).stdout.text).toBe("unharmed\n");
  });

  test("processes: a fork bomb ends with its command", async () => {
    const { timedOut } = await branch.exec("bomb() { bomb | bomb & }; bomb; sleep 10", { timeoutMs: 1_500 });
    expect(timedOut).toBe(true);
    expect((await run("echo alive")).stdout.text).toBe("alive\n");
    expect((await sibling.exec("echo alive")).stdout.text).toBe("alive\n");
  });

  test("one process: the size of a file and the number of open files are bounded, where asked for", async () => {
    await fails("head -c 2000000 /dev/zero > /tmp/big");
    await fails("python3 -c '[open(\"/dev/null\") for _ in range(100)].sort()'");
    expect((await run("ulimit -n; ulimit -c")).stdout.text).toBe("64\n0\n");
  });

  test("one branch: its memory and its processes are bounded together, where asked for, and its siblings go on", async () => {
    const limited = await createDockerSandbox({
      image: image!,
      engine: "overlay",
      branch: { memoryBytes: 100 * 2 ** 20, pids: 30 },
    });
    const snapshot = await limited.snapshot();
    const other = await limited.fork(snapshot);
    const unharmed = other.exec("sleep 1.5; echo unharmed");
    const three =
      "for i in 1 2 3; do python3 -c 'x = bytearray(60 << 20); import time; time.sleep(20)' & done; wait";
    const memory = await limited.exec(three, { timeoutMs: 15_000 });
    expect([memory.timedOut, memory.exitCode]).toEqual([false, 137]);
    expect(memory.stderr.text).toMatch(/^killed: the branch uses more than 104857600 bytes of memory$/m);
    const many = await limited.exec("for i in $(seq 60); do sleep 20 & done; wait", { timeoutMs: 15_000 });
    expect([many.timedOut, many.exitCode]).toEqual([false, 137]);
    expect(many.stderr.text).toMatch(/^killed: the branch uses more than 30 processes$/m);
    // The kernel does it, in a group of the branch's own that the branch cannot write to.
    const groups = (await limited.exec("cat /proc/self/cgroup")).stdout.text;
    expect(groups).toMatch(/\/b\d+$/m);
    expect((await other.exec("cat /proc/self/cgroup")).stdout.text).not.toBe(groups);
    const widen =
      "for f in $(find /sys/fs/cgroup -name '*limit_in_bytes' -o -name pids.max -o -name memory.max)";
    expect(
      (await limited.exec(`${widen}; do echo 99999999999 > $f; done 2>&1 | grep -vc 'Read-only'`)).stdout
        .text,
    ).toBe("0\n");
    expect((await limited.exec("echo fine")).stdout.text).toBe("fine\n");
    expect((await unharmed).stdout.text).toBe("unharmed\n");
    await limited.release(snapshot);
    await Promise.all([limited.close(), other.close()]);
  });

  test("shared memory: bounded", async () => {
    await fails("head -c 80000000 /dev/zero > /dev/shm/big");
    await run("rm -f /dev/shm/big");
  });
});
