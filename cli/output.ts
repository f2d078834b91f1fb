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
  return {
    line: (text = "") => {
      if (!options.json) process.stdout.write(`${text}\n`);
    },
    json: (value) => {
      if (options.json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    note: (text) => {
      process.stderr.write(`${text}\n`);
    },
    progress,
  };
}

function progress(label: string, total: number, live?: () => string): Progress {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar({
    format: "{label} {bar} {value}/{total} {words} {duration_formatted}, {eta_formatted} to go",
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    etaBuffer: 50,
  });
  bar.start(total, 0, { label, words: "" });
  const timer = live === undefined ? undefined : setInterval(() => bar.update({ words: live() }), 500);
  return {
    update: (done, words = live?.() ?? "") => bar.update(done, { words }),
    stop: () => {
      clearInterval(timer);
      bar.stop();
    },
  };
}
