import cliProgress from "cli-progress";

/** Where a verb writes: results to `line` and `json`, all else to `note`. */
export interface Output {
  /** Results for people; dropped with `--json`. */
  line(text?: string): void;
  /** The result for machines, one object; dropped without `--json`. */
  json(value: unknown): void;
  /** What goes on, for people, on standard error. */
  note(text: string): void;
  /** A bar on a terminal, silence in a pipe. @param words asked for twice a second, where there is news between steps. */
  progress(label: string, total: number, words?: () => string): Progress;
}

export interface Progress {
  /** Steps done so far, and a few words about them. */
  update(done: number, words?: string): void;
  stop(): void;
}

export function createOutput(options: { readonly json: boolean }): Output {
  let bar: Bar | undefined;
  /** A line on the terminal goes above the bar, which is drawn anew below it. */
  const write = (stream: NodeJS.WriteStream, text: string) => {
    if (bar !== undefined) process.stderr.write("\r\x1b[K");
    stream.write(`${text}\n`);
    // Where the bar is from now on: it goes back there when it stops.
    if (bar !== undefined) process.stderr.write("\x1b7");
    bar?.redraw();
  };
  return {
    line: (text = "") => {
      if (!options.json) write(process.stdout, text);
    },
    json: (value) => {
      if (options.json) write(process.stdout, JSON.stringify(value));
    },
    note: (text) => write(process.stderr, text),
    progress(label, total, words) {
      if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
      const own = barOf(label, total, words);
      bar = own;
      return {
        update: own.update,
        stop: () => {
          bar = undefined;
          own.stop();
        },
      };
    },
  };
}

interface Bar extends Progress {
  redraw(): void;
}

function barOf(label: string, total: number, live?: () => string): Bar {
  const bar = new cliProgress.SingleBar({
    format: "{label} {bar} {value}/{total} {words} {duration_formatted}, {eta_formatted} to go",
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    etaBuffer: 50,
    forceRedraw: true,
  });
  bar.start(total, 0, { label, words: "" });
  const timer = live === undefined ? undefined : setInterval(() => bar.update({ words: live() }), 500);
  return {
    update: (done, words = live?.() ?? "") => bar.update(done, { words }),
    redraw: () => bar.update({}),
    stop: () => {
      clearInterval(timer);
      bar.stop();
    },
  };
}
