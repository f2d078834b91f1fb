import { expect, test } from "vitest";
import { tasksOf } from "../../core/task.ts";
import { taskSet } from "../fakes/task-set.ts";

const set = taskSet([0, 1, 2, 3].map((data) => ({ id: `t/${data}`, data })));

test("every task comes, in order", () => {
  expect([...tasksOf(set)].map(({ data }) => data)).toEqual([0, 1, 2, 3]);
});

test("a limit takes the first ones, and beyond the set it is the set", () => {
  expect([...tasksOf(set, 2)].map(({ data }) => data)).toEqual([0, 1]);
  expect([...tasksOf(set, 0)]).toEqual([]);
  expect([...tasksOf(set, 9)]).toHaveLength(4);
});

test("from an index on, at most to the end of the set", () => {
  expect([...tasksOf(set, 2, 1)].map(({ data }) => data)).toEqual([1, 2]);
  expect([...tasksOf(set, 9, 3)].map(({ data }) => data)).toEqual([3]);
  expect([...tasksOf(set, 1, 4)]).toEqual([]);
});

test("tasks are made when asked for", () => {
  const made: number[] = [];
  const lazy = {
    ...set,
    at(index: number) {
      made.push(index);
      return set.at(index);
    },
  };
  const tasks = tasksOf(lazy);
  expect(made).toEqual([]);
  tasks.next();
  expect(made).toEqual([0]);
});
