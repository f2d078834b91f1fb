import type Docker from "dockerode";
import { messageOf } from "../../errors.ts";
import { type Kind, mayLive, otherHost } from "./labels.ts";

/** Something in Docker that ForkGym made. */
export interface Made {
  readonly kind: Kind;
  /** Of a volume its name. */
  readonly id: string;
  readonly owner: string;
  readonly run?: string;
  /** Of an image: the one it stands on. */
  readonly parent?: string;
}

/** What could not be removed, and why. */
export interface Failure {
  readonly made: Made;
  readonly message: string;
}

/**
 * What ForkGym made in Docker and no living process owns: containers, volumes and images. What another host's
 * process made is left alone, since nobody here knows whether it lives; so is an image that somebody gave a name,
 * and those it stands on.
 * @param options.run only what has this label.
 * @param options.allHosts also what other hosts made, unless a container of theirs runs, which ends with its owner:
 *   for ForkGym in containers, each of which is a host of its own. @default false
 */
export async function findGarbage(
  docker: Docker,
  { run, allHosts = false }: { readonly run?: string; readonly allHosts?: boolean } = {},
): Promise<Made[]> {
  const living = allHosts ? await livingHosts(docker) : undefined;
  const isDead = ({ owner }: Made): boolean => {
    const host = otherHost(owner);
    return host === undefined ? !mayLive(owner) : living !== undefined && !living.has(host);
  };
  const all = await listMade(docker);
  return all.filter((made) => isDead(made) && (run === undefined || made.run === run));
}

async function livingHosts(docker: Docker): Promise<Set<string | undefined>> {
  const running = await docker.listContainers({ filters: { label: ["forkgym=container"] } });
  return new Set(running.map(({ Labels }) => otherHost(Labels["forkgym.owner"])));
}

/** Removes containers, then images, children first, then volumes; what fails does not keep the rest. */
export async function removeGarbage(docker: Docker, garbage: readonly Made[]): Promise<Failure[]> {
  const failures = await removeMade(docker, garbage);
  return failures.map(({ made, error }) => ({ made, message: messageOf(error) }));
}

/** Everything that ForkGym made, in this process or another. Stands alone, for the reaper runs a copy of its text. */
export async function listMade(docker: Docker): Promise<Made[]> {
  const filters = { label: ["forkgym"] };
  const [containers, images, volumes] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listImages({ all: true, filters }),
    docker.listVolumes({ filters }),
  ]);
  const named = images.filter(({ RepoTags }) => (RepoTags ?? []).some((tag) => tag !== "<none>:<none>"));
  const kept = new Set<string>();
  for (const { Id, ParentId } of named) {
    kept.add(Id);
    for (let id = ParentId; id && !kept.has(id); id = images.find((each) => each.Id === id)?.ParentId ?? "") {
      kept.add(id);
    }
  }
  const found = [
    ...containers.map(({ Id, Labels }) => ({ kind: "container" as const, id: Id, Labels, parent: "" })),
    ...images
      .filter(({ Id }) => !kept.has(Id))
      .map(({ Id, Labels, ParentId }) => ({ kind: "image" as const, id: Id, Labels, parent: ParentId })),
    ...(volumes.Volumes ?? []).map(({ Name, Labels }) => ({
      kind: "volume" as const,
      id: Name,
      Labels,
      parent: "",
    })),
  ];
  return found
    .filter(({ kind, Labels }) => Labels.forkgym === kind)
    .map(({ kind, id, Labels, parent }) => ({
      kind,
      id,
      owner: Labels["forkgym.owner"] ?? "",
      ...(Labels["forkgym.run"] !== undefined && { run: Labels["forkgym.run"] }),
      ...(parent && { parent }),
    }));
}

/** Removes things in the right order, trying again for two seconds. Stands alone, like `listMade`. */
export async function removeMade(
  docker: Docker,
  things: readonly Made[],
): Promise<{ made: Made; error: unknown }[]> {
  const remove = async ({ kind, id }: Made): Promise<unknown> => {
    if (kind === "container") return docker.getContainer(id).remove({ force: true, v: true });
    if (kind === "volume") return docker.getVolume(id).remove();
    // Docker would also remove whatever nameless image it stands on, ours or not.
    return docker.getImage(id).remove({ noprune: true });
  };
  const parents = new Map(things.map(({ id, parent }) => [id, parent]));
  const depth = (id: string): number => {
    let steps = 0;
    for (let at = parents.get(id); at !== undefined; at = parents.get(at)) steps++;
    return steps;
  };
  const groups = new Map<string, Made[]>();
  for (const kind of ["container", "image", "volume"]) {
    const ordered = things
      .filter((made) => made.kind === kind)
      .map((made) => ({ made, depth: depth(made.id) }))
      .sort((a, b) => b.depth - a.depth);
    for (const { made, depth } of ordered) {
      const key = `${kind} ${depth}`;
      groups.set(key, [...(groups.get(key) ?? []), made]);
    }
  }
  const failures: { made: Made; error: unknown }[] = [];
  for (const group of groups.values()) {
    let left = group.map((made) => ({ made, error: undefined as unknown }));
    for (let round = 0; round < 10 && left.length > 0; round++) {
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, 200));
      const [now, failed] = [left, [] as typeof left];
      const worker = async () => {
        for (let next = now.pop(); next !== undefined; next = now.pop()) {
          const { made } = next;
          await remove(made).catch((error: { readonly statusCode?: number }) => {
            if (error.statusCode !== 404) failed.push({ made, error });
          });
        }
      };
      await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(worker));
      left = failed;
    }
    failures.push(...left);
  }
  return failures;
}
