import { expect, test } from "vitest";
import { parseXml } from "./xml.ts";

test("elements come with their attributes and text", () => {
  expect(parseXml('<a b="1 &#38; 2"><c d="x"/><e>1 &lt; <f/>2</e></a>\n')).toEqual([
    { name: "c", attributes: { d: "x" }, text: "" },
    { name: "f", attributes: {}, text: "" },
    { name: "e", attributes: {}, text: "1 < 2" },
    { name: "a", attributes: { b: "1 & 2" }, text: "" },
  ]);
});

test.each([
  "<a>",
  "<a></b>",
  "<a><b></a></b>",
  "<a/><b/>",
  "<a>1 & 2</a>",
  "<a>1 < 2</a>",
  '<a b="<"/>',
  "<a b=1/>",
  '<a b="1" b="2"/>',
  "<a>\u0001</a>",
  "text",
])("what is not well-formed is refused: %s", (document) => {
  expect(() => parseXml(document)).toThrow();
});
