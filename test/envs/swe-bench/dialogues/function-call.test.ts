import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFunctionCall } from "../../../../envs/swe-bench/dialogues/function-call.ts";

/** How a model writes a call: pieces of files on lines of their own, all else on the line of its tag. */
function written(tool: string, args: Readonly<Record<string, string>>): string {
  const parameters = Object.entries(args).map(([key, value]) => {
    const isText = ["file_text", "old_str", "new_str"].includes(key);
    return `<parameter=${key}>${isText ? `\n${value}\n` : value}</parameter>\n`;
  });
  return `<function=${tool}>\n${parameters.join("")}</function>`;
}

describe("a function call", () => {
  test.each([
    [
      "with thoughts before it",
      "I look.\n<function=search>\n<parameter=search_term>x</parameter>\n</function>",
      "search",
      { search_term: "x" },
    ],
    ["without parameters", "<function=submit>\n</function>", "submit", {}],
    ["on one line", "<function=a><parameter=k>v</parameter></function>", "a", { k: "v" }],
    [
      "with white space in the tags",
      "<function= a ><parameter = k >v</parameter></function>",
      "a",
      { k: "v" },
    ],
    [
      "with white space around values",
      "<function=a><parameter=k>\n  v w \n</parameter></function>",
      "a",
      { k: "v w" },
    ],
    ["the first of two", "<function=a></function><function=b></function>", "a", {}],
    ["with text after it", "<function=a></function> and then <parameter=k>v</parameter>", "a", {}],
    [
      "with text between the parameters",
      "<function=a> so: <parameter=k>v</parameter> and </function>",
      "a",
      { k: "v" },
    ],
    [
      "with the same parameter twice, of which the last counts",
      "<function=a><parameter=k>1</parameter><parameter=k>2</parameter></function>",
      "a",
      { k: "2" },
    ],
    [
      "with a parameter inside of a value",
      "<function=a><parameter=k>x <parameter=l>y</parameter></function>",
      "a",
      { k: "x <parameter=l>y" },
    ],
    [
      "with angle brackets in values",
      "<function=a><parameter=k>a < b > c </b> <function=x></parameter></function>",
      "a",
      { k: "a < b > c </b> <function=x>" },
    ],
    ["with an empty value", "<function=a><parameter=k></parameter></function>", "a", { k: "" }],
    ["with a tag that is none", "<function=a><parameters>x</parameters><parameter x></function>", "a", {}],
    [
      "with Windows line ends",
      "<function=a>\r\n<parameter=old_str>\r\n  x\r\ny\r\n</parameter>\r\n</function>",
      "a",
      { old_str: "  x\r\ny" },
    ],
    [
      "with pieces of files, which keep their white space",
      "<function=a><parameter=old_str>\n  x\n\n</parameter><parameter=new_str>  y </parameter></function>",
      "a",
      { old_str: "  x\n", new_str: "  y " },
    ],
  ])("%s", (_, reply, tool, args) => {
    expect(parseFunctionCall(reply)).toEqual({ tool, arguments: args });
  });

  test.each([
    ["nothing", "", /held no function call/],
    ["no call", "I am done.", /held no function call/],
    ["a space before the equals sign", "<function =a></function>", /held no function call/],
    ["no closing tag", "<function=a><parameter=k>v</parameter>", /not closed with <\/function>/],
    ["a closing tag before it", "</function><function=a>", /not closed with <\/function>/],
    ["no name", "<function=></function>", /no proper name/],
    ["an open tag", "<function=a</function>", /no proper name/],
    ["a tag in the name", "<function=a<parameter=k>v</parameter></function>", /no proper name/],
    [
      "a parameter that is not closed",
      "<function=a><parameter=k>v</function>",
      /not closed with <\/parameter>/,
    ],
    [
      "a parameter tag that is not closed",
      "<function=a><parameter=k</function>",
      /not closed with <\/parameter>/,
    ],
    ["a parameter without a name", "<function=a><parameter=>v</parameter></function>", /had no name/],
    [
      "a value with the closing tag of the call",
      "<function=a><parameter=k></function></parameter></function>",
      /not closed/,
    ],
  ])("%s is an invalid reply", (_, reply, message) => {
    expect(parseFunctionCall(reply)).toEqual({ invalid: expect.stringMatching(message) });
  });

  test("names of object methods are ordinary names", () => {
    const action = parseFunctionCall(
      "<function=constructor><parameter=__proto__>x</parameter></function>",
    ) as { tool: string; arguments: Record<string, string> };
    expect(action.tool).toBe("constructor");
    expect(Object.entries(action.arguments)).toEqual([["__proto__", "x"]]);
    expect(JSON.parse(JSON.stringify(action))).toEqual(action);
  });
});

const pieces = [
  "<function=",
  "<function",
  "</function>",
  "<parameter=",
  "<parameter",
  "</parameter>",
  "=",
  ">",
  "<",
  "\n",
  " ",
  "k",
  "old_str",
  "v",
  "\u{1f600}",
  "\ud83d",
  "```",
];

test("any reply is a call or an invalid reply", () => {
  const nearMiss = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""));
  const inCall = nearMiss.map((text) => `<function=a>${text}</function>`);
  let calls = 0;
  fc.assert(
    fc.property(fc.oneof(nearMiss, inCall, fc.string({ unit: "binary" })), (reply) => {
      const action = parseFunctionCall(reply);
      if ("invalid" in action) return action.invalid.length > 0;
      calls++;
      return action.tool !== "" && Object.values(action.arguments).every((value) => reply.includes(value));
    }),
    { numRuns: 10_000 },
  );
  expect(calls).toBeGreaterThan(500);
});

test("a well-formed call is read back as it was meant, whatever its values are but closing tags", () => {
  const value = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 })
    .map((parts) => parts.join("").replaceAll("</parameter>", "").replaceAll("</function>", ""));
  const args = fc.record(
    {
      command: value.map((text) => text.trim()),
      path: value.map((text) => text.trim()),
      old_str: value,
      new_str: value,
      file_text: value,
    },
    { requiredKeys: [] },
  );
  // Taking a closing tag out can leave another behind.
  const isClean = (text: string) => !/<\/(parameter|function)>/.test(text);
  fc.assert(
    fc.property(fc.constantFrom("file_editor", "a.b-c"), args, (tool, given) => {
      fc.pre(Object.values(given).every(isClean));
      expect(parseFunctionCall(`So: ${written(tool, given)}\nDone.`)).toEqual({ tool, arguments: given });
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ["parameters that never end", `<function=a>${"<parameter=k>".repeat(200_000)}</function>`],
  ["tags that never end", `<function=a>${"<parameter".repeat(200_000)}</function>`],
  ["white space in tags", `<function=a>${`<parameter${" ".repeat(1000)}`.repeat(2000)}</function>`],
  ["functions that never end", "<function=".repeat(300_000)],
  ["a name without an end", `<function=${" ".repeat(2_000_000)}</function>`],
  ["parameters in numbers", `<function=a>${"<parameter=k>v</parameter>".repeat(100_000)}</function>`],
  ["line breaks", `<function=a><parameter=old_str>${"\n".repeat(2_000_000)}</parameter></function>`],
])("two megabytes of %s take no time", (_, reply) => {
  const startMs = performance.now();
  parseFunctionCall(reply);
  expect(performance.now() - startMs).toBeLessThan(1500);
});
