import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readNumber, readRatings } from "../../../agents/judge/read-ratings.ts";
import { STAGES } from "../../../agents/judge/stages.ts";

const NUMBERS: readonly (readonly [text: string, value: number | undefined])[] = [
  ["7", 7 / 9],
  [" 7", 7 / 9],
  ["0", 0],
  ["9", 1],
  ["**7**", 7 / 9],
  ["`7`", 7 / 9],
  ['"7",', 7 / 9],
  ["(7)", 7 / 9],
  ["[7]", 7 / 9],
  ["<7>", 7 / 9],
  ["7.", 7 / 9],
  ["7<|im_end|>", 7 / 9],
  ["7 (the cause was shown)", 7 / 9],
  ["7, as the run shows", 7 / 9],
  ["7 points", 7 / 9],
  ["7 (out of 9)", 7 / 9],
  ["7 (of 9)", 7 / 9],
  ["**7**/9", 7 / 9],
  ["**7**/**9**", 7 / 9],
  ["7 (it ran 2 tests)", 7 / 9],
  ["7/9 (it ran 2 tests)", 7 / 9],
  ["7 | it ran 2 tests |", 7 / 9],
  [' {"score": 7}', 7 / 9],
  [' {"score": 7, "reason": "it ran 2 tests"}', 7 / 9],
  ["{ 'rating' = 7 }", 7 / 9],
  ["7 (or 8)", undefined],
  ["7 (8)", undefined],
  ["7 (it ran 2 tests) 8", undefined],
  ["7 | 9 |", undefined],
  ["**7**%", undefined],
  [' {"score": 7, "max": 10}', undefined],
  [' {"score": 0.8}', undefined],
  ["0.8", undefined],
  ["1.0", undefined],
  ["4.5", undefined],
  ["04", 4 / 9],
  ["7/10", 0.7],
  ["7 / 10", 0.7],
  ["6.5/10", 0.65],
  ["7 out of 10", 0.7],
  ["7 of 9", 7 / 9],
  ["7/9 so far", 7 / 9],
  ["0/9", 0],
  ["10", undefined],
  ["9.1", undefined],
  ["-3", undefined],
  ["\u22123", undefined],
  ["+3", undefined],
  ["11/10", undefined],
  ["7/0", undefined],
  ["0/0", undefined],
  ["3/4/5", undefined],
  ["70%", undefined],
  ["7 %", undefined],
  ["7\uFF05", undefined],
  ["7\u2030", undefined],
  ["7/", undefined],
  ["7 percent", undefined],
  ["7 per cent", undefined],
  ["7-8", undefined],
  ["7 - 8", undefined],
  ["7 or 8", undefined],
  ["7,5", undefined],
  ["1e1", undefined],
  ["7x", undefined],
  ["7th", undefined],
  ["7_0", undefined],
  ["1.2.3", undefined],
  ["12345", undefined],
  ["0x7", undefined],
  ["~7", undefined],
  ["about 7", undefined],
  ["seven", undefined],
  ["\uFF17", undefined],
  ["NaN", undefined],
  ["Infinity", undefined],
  ["n/a", undefined],
  ["", undefined],
];

describe("one number of a scale from 0 to 9", () => {
  test.each(NUMBERS)("%j is %s", (text, value) => {
    const rating = readNumber(text, 9);
    if (value === undefined) expect(rating).toBeUndefined();
    else expect(rating?.value).toBeCloseTo(value, 12);
  });
});

const values = (text: string, scale = 9) =>
  STAGES.map((stage) => {
    const value = readRatings(text, scale)[stage]?.value;
    return value === undefined ? undefined : Math.round(value * scale * 1000) / 1000;
  });

describe("three ratings in a reply", () => {
  test.each([
    ["plain", "diagnosis: 7\nediting: 4\nverification: 0", [7, 4, 0]],
    ["after reasons", "It found 2 bugs.\n\ndiagnosis: 7\nediting: 4\nverification: 0\n", [7, 4, 0]],
    ["lists and emphasis", "1. **Diagnosis**: 7\n2. **Editing:** 4\n- _Verification_ : 0", [7, 4, 0]],
    ["other line ends", "Diagnosis = 7\r\nEDITING: 4\r\nverification: 0\r\n", [7, 4, 0]],
    [
      "the scale in brackets",
      "Diagnosis (0-9): 7\nEditing score: 4\nVerification rating (0 to 9): 0",
      [7, 4, 0],
    ],
    ["one line", "diagnosis: 7, editing: 4; verification: 0", [7, 4, 0]],
    ["JSON", '{"diagnosis": 7, "editing": 4, "verification": 0}', [7, 4, 0]],
    [
      "a table",
      "| Stage | Rating |\n|---|---|\n| diagnosis | 7 |\n| **editing** | 4/9 |\n| Verification | 0 | ran 2 tests |",
      [7, 4, 0],
    ],
    ["dashes", "Diagnosis - 7\n- **Editing** \u2013 4\nverification \u2014 0/9", [7, 4, 0]],
    [
      "a dash before words is no line of the form",
      "diagnosis: 7\ndiagnosis - it read 3 files",
      [7, undefined, undefined],
    ],
    [
      "a dash that may be a minus",
      "diagnosis -7\nediting: -4\n| verification | -1 |",
      [undefined, undefined, undefined],
    ],
    [
      "JSON in JSON",
      '{"diagnosis": {"score": 7}, "editing": {"score": 4}, "verification": {"score": 0}}',
      [7, 4, 0],
    ],
    [
      "JSON on many lines",
      '{\n  "diagnosis": {\n    "score": 7,\n    "reason": "line 3"\n  },\n  "editing": {\r\n    "rating": 4\n  },\n  "verification": 0\n}',
      [7, 4, 0],
    ],
    [
      "shares of another scale",
      "diagnosis: 0.8\nediting: 0.5\nverification: 0.1",
      [undefined, undefined, undefined],
    ],
    ["the last line counts", "diagnosis: 2\nediting: 2\nverification: 2\ndiagnosis: 7", [7, 2, 2]],
    [
      "a last line that is no rating takes the earlier one away",
      "diagnosis: 2\ndiagnosis: 7 or 8",
      [undefined, undefined, undefined],
    ],
    [
      "words about a stage are no line of the form",
      "diagnosis: 7\nediting: 10\ndiagnosis: the agent found it",

      [7, undefined, undefined],
    ],
    ["a name inside a sentence is none either", "My diagnosis: 7", [undefined, undefined, undefined]],
    [
      "another name that begins alike",
      "diagnosis: 7\neditings: 4\nverifications: 0",
      [7, undefined, undefined],
    ],
    ["nothing", "", [undefined, undefined, undefined]],
  ])("%s", (_, text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  test("10 is a rating on a scale to 10", () => {
    expect(values("diagnosis: 10\nediting: 1\nverification: 10/10", 10)).toEqual([10, 1, 10]);
  });

  test("a single digit is found where it stands", () => {
    const text = '2 reasons, one line\n**Diagnosis** (0-9): 7.\nediting: 4/9, verification:{\n"score": 3';
    const { diagnosis, editing, verification } = readRatings(text, 9);
    expect(text.slice(diagnosis!.digitAt!, diagnosis!.digitAt! + 2)).toBe("7.");
    expect(editing!.digitAt).toBeUndefined();
    expect(verification!.digitAt).toBe(text.length - 1);
    for (const number of ["04", "4/9"]) expect(readNumber(number, 9)!.digitAt).toBeUndefined();
  });
});

test("whatever a model writes, a rating is from 0 to 1 or missing, and a digit is where it is said to be", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...STAGES,
      ":",
      "=",
      "\n",
      "\r",
      " ",
      "/",
      "%",
      "-",
      ".",
      ",",
      "**",
      "(",
      ")",
      "out of",
      "\u212A",
    ),
    fc.integer({ min: -20, max: 2000 }).map(String),
    fc.double().map(String),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 100 }), (reply, scale) => {
      for (const rating of Object.values(readRatings(reply, scale))) {
        expect(rating.value).toBeGreaterThanOrEqual(0);
        expect(rating.value).toBeLessThanOrEqual(1);
        if (rating.digitAt === undefined) continue;
        expect(Number(reply[rating.digitAt]) / scale).toBe(rating.value);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a long reply is read in time that grows with its length", () => {
  const marks = "(".repeat(20);
  const units = ["(", "*", "diagnosis ", "diagnosis:", "1", "editing,", "\n", " ", "|", "diagnosis - ", ":{"];
  const long = [
    ...units,
    "diagnosis: 7 (a",
    'editing: {"score": 7, "a": "',
    `${marks}diagnosis${marks}\n`,
  ].map((unit) => unit.repeat(50_000));
  long.push(`diagnosis: 7${"(a".repeat(50_000)}`, `diagnosis: {"score": 7${':"'.repeat(50_001)}`);
  for (const text of long) expect(Object.keys(readRatings(text, 9)).length).toBeLessThanOrEqual(3);
}, 5000);
