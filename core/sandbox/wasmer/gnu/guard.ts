import { type Context, createContext, Script } from "node:vm";

let room: { readonly script: Script; readonly context: Context } | undefined;

/**
 * Runs work that a regular expression may hold up: nothing else in this thread could end it.
 * @returns undefined if it took longer
 */
export function within<T>(ms: number, work: () => T): { readonly value: T } | undefined {
  room ??= { script: new Script("work()"), context: createContext({ __proto__: null }) };
  const { script, context } = room;
  const outer = context.work;
  let end: { readonly value: T } | undefined;
  context.work = () => {
    end = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(ms)) });
  } catch (error) {
    // Made in the other context, so that it is no Error of this one.
    if ((error as { code?: unknown }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
  } finally {
    context.work = outer;
  }
  return end;
}
