import { ServerError } from "../errors.ts";
import type { Sample } from "../model-server.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Tree } from "./queue.ts";

/** Which weights a tree may see: those it saw first, and those that are expected. */
export class WeightRule {
  readonly #refuses: boolean;
  /** Every sample must be of this version. */
  expected: string | undefined;

  constructor(mixedVersions: "refuse" | "allow") {
    this.#refuses = mixedVersions === "refuse";
  }

  /** Whether a sample of this endpoint can be right for this tree, by the weights that it showed last. */
  fits({ weights }: Tree, endpoint: Endpoint): boolean {
    if (endpoint.weights === undefined) return true;
    if (this.expected !== undefined) return endpoint.weights.version === this.expected;
    return !this.#refuses || weights === undefined || weights.version === endpoint.weights.version;
  }

  /**
   * As `fits`, but of an endpoint that may have changed its weights since it showed them, or never showed the tree's,
   * nothing is hoped: a tree with a version goes there only if there is no other.
   */
  fitsSurely(tree: Tree, endpoint: Endpoint): boolean {
    if (!this.#refuses || tree.weights === undefined) return this.fits(tree, endpoint);
    return !endpoint.mayHaveChanged && this.fits(tree, endpoint);
  }

  /** Why no sample at all could be right for this tree. */
  hopeless({ key, weights }: Tree): ServerError | undefined {
    if (!this.#refuses || weights === undefined || this.expected === undefined) return undefined;
    if (weights.version === this.expected) return undefined;
    return refusal(
      `tree \`${key}\` has seen ${named(weights.version)} and ${named(this.expected)} is expected: not sent, ` +
        'for it would mix them; start the tree anew, or set `mixedVersions: "allow"`',
    );
  }

  /** Takes note of the sample's version, or says why the sample is not to be used. */
  judge(tree: Tree, { weightVersion: version }: Sample, endpoint: Endpoint): ServerError | undefined {
    if (this.expected !== undefined && version !== this.expected) {
      return new ServerError(
        "stale-weights",
        `pool: \`${endpoint.id}\` sampled with ${named(version)}, ${named(this.expected)} is expected`,
      );
    }
    if (!this.#refuses || tree.key === undefined) return undefined;
    if (tree.weights !== undefined && tree.weights.version !== version) {
      return refusal(
        `\`${endpoint.id}\` sampled with ${named(version)}, tree \`${tree.key}\` has seen ` +
          `${named(tree.weights.version)}: a tree does not mix versions unless \`mixedVersions\` is "allow"`,
      );
    }
    tree.weights = { version };
    return undefined;
  }
}

function refusal(what: string): ServerError {
  return new ServerError("refused", `pool: ${what}`);
}

function named(version: string | undefined): string {
  return version === undefined ? "weights of unknown version" : `weights \`${version}\``;
}
