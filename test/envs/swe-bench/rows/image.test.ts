import { expect, test } from "vitest";
import { type ImageFields, imageOf } from "../../../../envs/swe-bench/rows/image.ts";

const own: ImageFields = { id: "Owner__Name-1", repo: "Owner/Name", commit: "c0ffee" };

test.each([
  ["swe-bench", { image: "v5", imageName: "n", dockerImage: "d" }, "v5"],
  ["swe-bench", { imageName: "n", dockerImage: "d" }, "n"],
  ["swe-bench", { dockerImage: "d" }, "d"],
  ["swe-bench", {}, "docker.io/swebench/sweb.eval.x86_64.owner_1776_name-1:latest"],
  ["swe-bench", { id: "a__b__c-1" }, "docker.io/swebench/sweb.eval.x86_64.a_1776_b_1776_c-1:latest"],
  ["swe-bench-multilingual", {}, "docker.io/swebench/sweb.eval.x86_64.owner_1776_name-1:latest"],
  ["swe-gym", {}, "docker.io/xingyaoww/sweb.eval.x86_64.owner_s_name-1:latest"],
  ["swe-rebench", {}, "docker.io/swerebench/sweb.eval.x86_64.owner_1776_name-1:latest"],
  ["swe-rebench", { dockerImage: "swerebench/x" }, "swerebench/x"],
  [
    "swe-smith",
    { imageName: "swesmith.x86_64.o__r.12345678" },
    "jyangballin/swesmith.x86_64.o_1776_r.12345678:latest",
  ],
  [
    "swe-smith",
    { imageName: "jyangballin/swesmith.x86_64.o_1776_r.1" },
    "jyangballin/swesmith.x86_64.o_1776_r.1",
  ],
  ["swe-smith", { repo: "swesmith/o__r.12345678" }, "jyangballin/swesmith.x86_64.o_1776_r.12345678:latest"],
  ["r2e-gym", { dockerImage: "namanjain12/orange3_final:1" }, "namanjain12/orange3_final:1"],
  ["r2e-gym", { repo: "orange3" }, "namanjain12/orange3_final:c0ffee"],
] as const)("%s with %j is %s", (family, fields, image) => {
  expect(imageOf(family, { ...own, ...fields })).toBe(image);
});
