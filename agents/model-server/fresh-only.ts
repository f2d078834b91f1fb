import { ServerError } from "./errors.ts";
import type { ModelServer } from "./model-server.ts";
import { sampledBy } from "./sampled-by.ts";

/**
 * The same server; a sample of older weights than a sample before was of is a `stale-weights` failure. Versions that are
 * whole numbers are older if they are less, others if they were first seen earlier. What counts is the newest version
 * that was known when the request was sent, so that a reply that was under way while the weights changed passes. After
 * `forgetWeights`, which a rollback needs, any version may come. Samples without a version always pass.
 */
export function freshOnly(server: ModelServer): ModelServer & Required<Pick<ModelServer, "forgetWeights">> {
  let history = new WeightHistory();
  const fresh = sampledBy(server, async (request, signal) => {
    const { newest } = history;
    const sample = await server.sample(request, signal);
    const version = sample.weightVersion;
    if (version !== undefined && newest !== undefined && history.isOlder(version, newest)) {
      throw new ServerError(
        "stale-weights",
        `${server.name}: sampled with weights \`${version}\` after \`${newest}\` at ${sample.endpoint}; ` +
          "if that is meant, call `forgetWeights`, or `expectWeights` or `undrain` of its pool",
      );
    }
    if (version !== undefined) history.saw(version);
    return sample;
  });
  return {
    ...fresh,
    forgetWeights() {
      history = new WeightHistory();
      server.forgetWeights?.();
    },
  };
}

/** Whether one version is less than another, if both are whole numbers. */
export function isOlder(version: string, than: string): boolean | undefined {
  return /^\d+$/.test(version) && /^\d+$/.test(than) ? Number(version) < Number(than) : undefined;
}

/** The versions that a server has shown, in the order in which they were first seen. */
class WeightHistory {
  readonly #order = new Map<string, number>();
  newest: string | undefined;

  saw(version: string): void {
    const last = lastOf(version);
    if (!this.#order.has(last)) this.#order.set(last, this.#order.size);
    if (this.newest === undefined || !this.isOlder(last, this.newest)) this.newest = last;
  }

  isOlder(version: string, than: string): boolean {
    const last = lastOf(version);
    return (
      isOlder(last, than) ?? (this.#order.get(last) ?? Number.POSITIVE_INFINITY) < this.#order.get(than)!
    );
  }
}

/** A sample during which the weights changed is of version `old..new`, and as new as `new`. */
function lastOf(version: string): string {
  return version.split("..").at(-1)!;
}
