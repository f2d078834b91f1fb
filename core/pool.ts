/**
 * Runs `work` on every item with at most `concurrency` at once, taking items in order as places come free.
 * Rejects with the first error, once the work already begun has settled; nothing more is begun then.
 */
export async function forEachPooled<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  async function worker(): Promise<void> {
    try {
      for (let next = iterator.next(); !next.done && failure === undefined; next = iterator.next()) {
        await work(next.value);
      }
    } catch (error) {
      failure ??= { error };
    }
  }
  const workers: Promise<void>[] = [];
  const places = Array.isArray(items) ? Math.min(concurrency, items.length) : concurrency;
  for (let place = 0; place < places; place++) workers.push(worker());
  await Promise.all(workers);
  if (failure !== undefined) throw failure.error;
}
