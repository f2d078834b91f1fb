import { expect, test } from "vitest";
import { gridText } from "../../../envs/frozen-lake/grid.ts";
import { rows } from "./lakes.ts";

const map = rows("FFSF/FHFF/FFFH/GHFF");

test("the grid is rLLM's, character for character", () => {
  expect(gridText({ map, player: 2, turnsLeft: 10 })).toBe(
    " _ \t _ \t P \t _ \t\n _ \t O \t _ \t _ \t\n _ \t _ \t _ \t O \t\n G \t O \t _ \t _ \t",
  );
});

test("the start is ice once the player left it", () => {
  expect(gridText({ map, player: 6, turnsLeft: 9 }).split("\n").slice(0, 2)).toEqual([
    " _ \t _ \t _ \t _ \t",
    " _ \t O \t P \t _ \t",
  ]);
});

test("the player in a hole is X, on the goal the square root sign", () => {
  expect(gridText({ map, player: 5, turnsLeft: 9 }).split("\n")[1]).toBe(" _ \t X \t _ \t _ \t");
  expect(gridText({ map, player: 12, turnsLeft: 9 }).split("\n")[3]).toBe(" \u221A \t O \t _ \t _ \t");
});
