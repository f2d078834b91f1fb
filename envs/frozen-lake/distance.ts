import { compileLake, HOLE, type Lake, type LakeMap } from "./lake.ts";

const distanceTables = new WeakMap<Lake, Int32Array>();

/**
 * Moves to the nearest goal from each cell, holes avoided and without slips; -1 where no goal can be reached
 * and on holes. Computed once per map. @throws {InputError} on a malformed map.
 */
export function distancesToGoal(map: LakeMap): Int32Array {
  const lake = compileLake(map);
  let distances = distanceTables.get(lake);
  if (distances === undefined) {
    distances = measure(lake);
    distanceTables.set(lake, distances);
  }
  return distances;
}

/** Breadth first from the goals. A move and its reverse are both open or both not, so backwards is forwards. */
function measure(lake: Lake): Int32Array {
  const distances = new Int32Array(lake.kinds.length).fill(-1);
  const queue = [...lake.goals];
  for (const goal of queue) distances[goal] = 0;
  for (let head = 0; head < queue.length; head++) {
    const cell = queue[head]!;
    for (let move = 0; move < 4; move++) {
      const near = lake.next[cell * 4 + move]!;
      if (distances[near] !== -1 || lake.kinds[near] === HOLE) continue;
      distances[near] = distances[cell]! + 1;
      queue.push(near);
    }
  }
  return distances;
}
