import { expect, test } from "vitest";
import { BytecodeCache } from "../../../../../core/sandbox/wasmer/engine/bytecode-cache.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("finds what was compiled of the same content, and of the same kind", () => {
  const cache = new BytecodeCache();
  cache.set(bytes("x = 1"), ".cpython-311", bytes("code"));
  expect(cache.get(bytes("x = 1"), ".cpython-311")).toEqual(bytes("code"));
  expect(cache.get(bytes("x = 1"), ".cpython-311.opt-1")).toBeUndefined();
  expect(cache.get(bytes("x = 2"), ".cpython-311")).toBeUndefined();
});

test("lets go of what was not used for longest when it is full", () => {
  const cache = new BytecodeCache(10);
  for (const name of ["a", "b"]) cache.set(bytes(name), "", bytes("12345"));
  cache.set(bytes("a"), "", bytes("1234"));
  cache.get(bytes("b"), "");
  cache.set(bytes("c"), "", bytes("12345"));
  expect(["a", "b", "c"].map((name) => cache.get(bytes(name), "")?.length)).toEqual([undefined, 5, 5]);
});
