import type { ServerTimer } from "./engine.ts";

/** Time that goes on only when it is told to. */
export interface ManualTimer extends ServerTimer {
  /** Goes on by `ms` and runs what was due, in order; `late` milliseconds too late each. @default late 0 */
  advance(ms: number, late?: number): void;
}

export function manualTimer(): ManualTimer {
  let now = 0;
  const due = new Set<{ at: number; then: () => void }>();
  return {
    now: () => now,
    after: (ms, then) => {
      const entry = { at: now + ms, then };
      due.add(entry);
      return () => due.delete(entry);
    },
    advance: (ms, late = 0) => {
      const end = now + ms;
      for (;;) {
        const [next] = [...due].filter(({ at }) => at + late <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        due.delete(next);
        now = Math.max(now, next.at + late);
        next.then();
      }
      now = end;
    },
  };
}
