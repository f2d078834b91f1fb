/** What the shell takes for files: a script's two streams where they are to be one, see `merge.ts`. */
export const OUT = "/dev/forkgym-out";
export const ERR = "/dev/forkgym-err";
/** The stderr of what runs other commands before it writes anything itself. */
export const LATE = "/dev/forkgym-late";

/** What one command wrote. The shell gives all of its stdout first, then its trace line and all of its stderr. */
interface Written {
  readonly parts: Buffer[];
  /** Of scripts that this command runs, as long as they run. */
  inner: Written[];
}

/** Puts the streams of a script together again, in the order in which its commands ran. */
export class Sink {
  #list: Written[] = [];

  /** @returns whether the path is one of the two streams. */
  write(path: string, bytes: Uint8Array): boolean {
    if (path !== OUT && path !== ERR && path !== LATE) return false;
    if (path === LATE) this.#list.push({ parts: [Buffer.from(bytes)], inner: [] });
    // The shell opens what a command writes to before it runs the command, by writing nothing.
    else if (bytes.length === 0) this.#list.push({ parts: [], inner: [] });
    else this.#last().parts.push(Buffer.from(bytes));
    return true;
  }

  /** Runs a script whose streams are one, and gives what it wrote. If it is stopped, that stays with the command. */
  async within(run: () => Promise<void>): Promise<Buffer> {
    const [outer, command] = [this.#list, this.#last()];
    this.#list = [];
    command.inner = this.#list;
    try {
      await run();
      command.inner = [];
      return all(this.#list);
    } finally {
      this.#list = outer;
    }
  }

  /** All that was written. */
  result(): Buffer {
    return all(this.#list);
  }

  #last(): Written {
    const last = this.#list.at(-1) ?? { parts: [], inner: [] };
    if (this.#list.length === 0) this.#list.push(last);
    return last;
  }
}

function all(list: readonly Written[]): Buffer {
  return Buffer.concat(
    list.flatMap(({ parts, inner }) => {
      const out = parts.length > 1 ? parts.slice(0, 1) : [];
      const late = Buffer.concat(parts.slice(out.length));
      const at = traceLength(late);
      return [late.subarray(0, at), all(inner), ...out, late.subarray(at)];
    }),
  );
}

/** Bytes of the lines at the start that begin with `+`, as those of `set -x` do. */
function traceLength(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === 0x2b) {
    const end = bytes.indexOf("\n", at);
    if (end === -1) return bytes.length;
    at = end + 1;
  }
  return at;
}
