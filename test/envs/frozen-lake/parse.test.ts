import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRllmAction } from "../../../envs/frozen-lake/parse.ts";

test.each([
  ["```Up```", "up"],
  ["I go ```left``` now.", "left"],
  ["``` DOWN ```", "down"],
  ["```\nright\n```", "right"],
  ["```1```", "left"],
  ["```2```", "down"],
  ["```3```", "right"],
  ["```4```", "up"],
  ["``` 03 ```", "right"],
  ["first ```up``` then ```down```", "down"],
  ["\u0085```\u001f left\u00a0\u2003```", "left"],
])("%j is %s", (reply, action) => {
  expect(parseRllmAction(reply)).toBe(action);
});

test.each([
  ["", "nothing"],
  ["Up", "no fence"],
  ["```Up", "an open fence"],
  ["``````", "an empty block"],
  ["```text\nup\n```", "a language tag"],
  ["```0```", "a digit below"],
  ["```5```", "a digit above"],
  ["```12```", "two digits"],
  ["```+1```", "a sign"],
  ["```1.0```", "a fraction"],
  ["```up left```", "two actions"],
  ["```up.```", "a full stop"],
  ["``up``", "two backticks"],
  ["```up``` or ```jump```", "a last block that is no action"],
  ["```\ufeffup```", "a byte order mark"],
  ["```constructor```", "a name that every object has"],
])("%j is invalid: %s", (reply) => {
  expect(parseRllmAction(reply)).toBe("invalid");
});

test("an odd stray fence shifts the pairs", () => {
  // Pairs: 1-2 holds " stray ", 3-4 holds the word between the blocks.
  expect(parseRllmAction("``` stray ```up``` and ```")).toBe("invalid");
  expect(parseRllmAction("``` stray ```up```down```")).toBe("down");
  expect(parseRllmAction("```up``` and a stray ```")).toBe("up");
  expect(parseRllmAction("````up````")).toBe("invalid");
});

test("no reply throws", () => {
  const pieces = fc.constantFrom("```", "`", "up", "left", " ", "\n", "3", "text", "\u2028", "\ud800");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      expect(["left", "down", "right", "up", "invalid"]).toContain(parseRllmAction(parts.join("")));
    }),
  );
});

test("a long reply takes no long time", () => {
  const reply = `${"``` ".repeat(20_000)}\`\`\`${" ".repeat(200_000)}x\`\`\`${"`".repeat(100_001)}`;
  const before = performance.now();
  parseRllmAction(reply);
  expect(performance.now() - before).toBeLessThan(1000);
});
