/*
 * The two functions below are sent to threads as text (see `engine.ts`), so that they run from sources and from a
 * build alike. They may use nothing from outside but their arguments and types.
 */

type Threads = typeof import("node:worker_threads");
type Load = (url: string) => Promise<unknown>;

/** Calls into the main thread and waits for the answer. */
type Call = (mount: number, method: string, args: readonly unknown[]) => unknown;

/** The part of Wasmer's own interface, below its documented one, that is used here: mounts are only there. */
interface Core {
  createPackage(definition: object): Promise<object>;
  loadPackage(name: string): Promise<object>;
  loadPackageBytes(bytes: Uint8Array): Promise<object>;
  sandbox(): Builder;
}

interface Builder {
  package(pkg: object): void;
  env(name: string, value: string): void;
  network(mode: string): void;
  mountHost(path: string, mount: number, readOnly: boolean): void;
  storageHost(mount: number): void;
  start(): Promise<{ commandPackage(pkg: object): Guest; close(): Promise<void> }>;
}

interface Guest {
  args(args: readonly string[]): void;
  currentDir(path: string): void;
  stdinMode(mode: string): void;
  stdoutMode(mode: string): void;
  stderrMode(mode: string): void;
  spawn(): Promise<Running>;
}

interface Running {
  kill(): void;
  wait(): Promise<{ readonly exitCode: number }>;
  writeStdin(bytes: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  readStdout(maxBytes: number): Promise<Uint8Array | null>;
  readStderr(maxBytes: number): Promise<Uint8Array | null>;
}

/** What runs: bytes of a .wasm with the files it comes with, bytes of a .webc, or the name of a Wasmer package. */
export type ProgramSource =
  | { readonly name: string; readonly wasm: Uint8Array; readonly files: Readonly<Record<string, Uint8Array>> }
  | { readonly webc: Uint8Array }
  | { readonly registry: string };

export interface RunOrder {
  readonly program: number;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder to the number that the main thread knows it by. */
  readonly mounts: Readonly<Record<string, number>>;
  readonly stdin?: Uint8Array;
}

export type ToEngine =
  | { readonly type: "program"; readonly id: number; readonly source: ProgramSource }
  | { readonly type: "run"; readonly id: number; readonly order: RunOrder }
  | { readonly type: "more"; readonly id: number; readonly stream: 1 | 2 }
  /** With the threads that it ran in: Wasmer itself would leave a loop running. */
  | { readonly type: "kill"; readonly id: number; readonly callers: readonly number[] };

export type FromEngine =
  | {
      readonly type: "caller";
      readonly caller: number;
      readonly port: import("node:worker_threads").MessagePort;
      readonly signal: Int32Array;
    }
  | { readonly type: "output"; readonly id: number; readonly stream: 1 | 2; readonly chunk: Uint8Array }
  | { readonly type: "done"; readonly id: number; readonly exitCode: number; readonly error?: string };

/** A thread in which a program of a sandbox runs: answers its file calls by asking the main thread. */
export function guestThread(threads: Threads, load: Load): void {
  // What Wasmer prints about itself is nobody's output.
  for (const name of ["log", "info", "warn", "error"] as const) console[name] = () => {};
  const { port, url } = threads.workerData;
  const signal: Int32Array = threads.workerData.signal;
  let numAnswers = 0;
  const call: Call = (mount, method, args) => {
    port.postMessage([mount, method, args]);
    // Being woken is no answer yet: the last answer's wake may come when its successor is waited for already.
    while (Atomics.load(signal, 0) === numAnswers) Atomics.wait(signal, 0, numAnswers);
    numAnswers = Atomics.load(signal, 0);
    const { error, value } = threads.receiveMessageOnPort(port)!.message;
    if (error !== undefined) throw Object.assign(new Error(error), { code: error });
    return value;
  };
  Object.assign(globalThis, { __wasmerHostFileSystem: call });
  if (url !== undefined) void load(url);
}

/** The thread that Wasmer lives in: it starts programs, each in a thread of its own, and passes on what they write. */
export function engineThread(threads: Threads, load: Load, becomeGuest: typeof guestThread): void {
  const { Worker, MessageChannel, parentPort, workerData } = threads;
  const tell = (message: FromEngine, transfer: never[] = []): void =>
    parentPort!.postMessage(message, transfer);

  let numCallers = 0;
  const makeCaller = (): { caller: number; port: unknown; signal: Int32Array } => {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const caller = ++numCallers;
    tell({ type: "caller", caller, port: port2, signal }, [port2 as never]);
    return { caller, port: port1, signal };
  };
  const guests = new Map<number, { terminate(): void }>();

  /** What Wasmer takes for a browser's Worker. */
  class Thread {
    onmessage: ((event: { data: unknown }) => void) | null = null;
    onerror: ((event: object) => void) | null = null;
    readonly #worker: InstanceType<typeof Worker>;

    constructor() {
      const { caller, port, signal } = makeCaller();
      this.#worker = new Worker(workerData.guestText, {
        eval: true,
        workerData: { port, signal, url: workerData.guestUrl },
        transferList: [port as never],
      });
      this.#worker.on("message", (data) => this.onmessage?.({ data }));
      guests.set(caller, this);
      this.#worker.on("exit", () => guests.delete(caller));
      this.#worker.on("error", ({ message }) =>
        this.onerror?.({ message, filename: "", lineno: 0, colno: 0 }),
      );
    }

    postMessage(message: unknown): void {
      this.#worker.postMessage(message);
    }

    terminate(): void {
      void this.#worker.terminate();
    }
  }

  Object.assign(globalThis, { Worker: Thread });
  // Wasmer looks at folders before it starts a program, and does so here.
  becomeGuest({ ...threads, workerData: makeCaller() }, load);

  const starting = load(workerData.sdkUrl).then((sdk) => {
    const { Wasmer } = sdk as { Wasmer: { initializeCore(options: object): Promise<Core> } };
    return Wasmer.initializeCore({ cache: false });
  });
  const programs = new Map<number, Promise<object>>();
  const running = new Map<number, { process?: Running; killed: boolean; more: Map<number, () => void> }>();

  const build = async (source: ProgramSource): Promise<object> => {
    const core = await starting;
    if ("registry" in source) return core.loadPackage(source.registry);
    if ("webc" in source) return core.loadPackageBytes(source.webc);
    const definition = {
      modules: { main: source.wasm },
      commands: { [source.name]: { module: "main" } },
      files: source.files,
    };
    return core.createPackage(definition);
  };

  const pump = async (id: number, stream: 1 | 2, read: () => Promise<Uint8Array | null>): Promise<void> => {
    for (let chunk = await read(); chunk !== null; chunk = await read()) {
      const taken = new Promise<void>((resolve) => running.get(id)?.more.set(stream, resolve));
      tell({ type: "output", id, stream, chunk: chunk.slice() });
      await taken;
    }
  };

  const run = async (id: number, order: RunOrder): Promise<number> => {
    const state = running.get(id)!;
    const pkg = await programs.get(order.program)!;
    const builder = (await starting).sandbox();
    builder.package(pkg);
    for (const [name, value] of Object.entries(order.env)) builder.env(name, value);
    builder.network("disabled");
    for (const [path, mount] of Object.entries(order.mounts)) {
      // Wasmer has a folder of that name of its own.
      if (path === "/workspace") builder.storageHost(mount);
      else builder.mountHost(path, mount, false);
    }
    const box = await builder.start();
    try {
      const command = box.commandPackage(pkg);
      command.args(order.args);
      command.currentDir(order.cwd);
      command.stdinMode(order.stdin ? "pipe" : "closed");
      command.stdoutMode("pipe");
      command.stderrMode("pipe");
      const process = await command.spawn();
      state.process = process;
      if (state.killed) process.kill();
      const reads = [
        pump(id, 1, () => process.readStdout(65_536)),
        pump(id, 2, () => process.readStderr(65_536)),
      ];
      // A program may end without reading its input.
      const { stdin } = order;
      if (stdin)
        void process.writeStdin(stdin).then(
          () => process.closeStdin(),
          () => {},
        );
      const { exitCode } = await process.wait();
      // Of a killed program the streams do not end: what is in them comes at once or not at all.
      const drained = state.killed ? new Promise((resolve) => setTimeout(resolve, 50)) : undefined;
      await (drained ? Promise.race([Promise.all(reads), drained]) : Promise.all(reads));
      return exitCode;
    } finally {
      await box.close();
    }
  };

  parentPort!.on("message", (message: ToEngine) => {
    const { id } = message;
    if (message.type === "program") {
      const made = build(message.source);
      made.catch(() => {});
      programs.set(id, made);
    } else if (message.type === "run") {
      running.set(id, { killed: false, more: new Map() });
      run(id, message.order)
        .then(
          (exitCode) => tell({ type: "done", id, exitCode }),
          (error) => tell({ type: "done", id, exitCode: -1, error: String(error?.message ?? error) }),
        )
        .finally(() => running.delete(id));
    } else if (message.type === "more") {
      running.get(id)?.more.get(message.stream)?.();
    } else {
      const state = running.get(id);
      if (!state) return;
      state.killed = true;
      state.process?.kill();
      for (const caller of message.callers) guests.get(caller)?.terminate();
    }
  });
}
