/** Line between the blocks of a reproduction: the checker reads each on its own, so that a bad one spoils no other. */
const BLOCK = "#%%";

const SHOULD =
  /\b(?:should(?:\s+be|\s+return|\s+give|\s+print|\s+equal|\s+yield)?|expect(?:ed|s)?(?:\s+to\s+(?:be|return|give))?|must\s+(?:be|return|give))\b\s*[:=]?\s*(.+)$/i;

/**
 * The code in an issue's text that shows how things should be, as a Python script of blocks; "" if there is none.
 * What is said in other ways than `assert` becomes calls that the checker knows:
 *
 * - `_shows(lambda: x, "3")` of a `>>>` example, of a comment behind a line (`f(1)  # should be 3`) and of a
 *   sentence ("`f(1)` should return `3`");
 * - `_raises(lambda: x, "ValueError")` of a comment (`f(1)  # should raise ValueError`);
 * - `_prints("...")` of an output block that is introduced as the expected one.
 */
export function reproductionOf(issue: string): string {
  const blocks: string[] = [];
  const text = issue.replaceAll("\r\n", "\n");
  const fences = [
    ...text.matchAll(/^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm),
  ];
  let last: { code: string; end: number } | undefined;
  for (const fence of fences) {
    const body = dedented(fence[3]!);
    const from = fence.index;
    const between = last === undefined ? "" : text.slice(last.end, from);
    if (last !== undefined && isExpectedOutput(between, fence[2]!, body) && /\bprint\(/.test(last.code)) {
      blocks.push(`${blocks.pop()}\n_prints(${JSON.stringify(body.trimEnd())})`);
    } else if (isCode(fence[2]!, body)) {
      blocks.push(/^(>>>|In \[\d+\]:)/m.test(body) ? sessionOf(body) : commentedOf(body));
      last = { code: body, end: from + fence[0].length };
      continue;
    }
    last = undefined;
  }
  const prose = fences.reduceRight(
    (left, { index, 0: all }) => left.slice(0, index) + left.slice(index + all.length),
    text,
  );
  for (const [session] of prose.matchAll(/(?:^[ \t]*(?:>>>|\.\.\.) .*\n(?:^[ \t]*\S.*\n)*)+/gm)) {
    blocks.push(sessionOf(dedented(session)));
  }
  blocks.push(...sentencesOf(prose));
  return blocks.filter((block) => block.trim() !== "").join(`\n${BLOCK}\n`);
}

function isCode(language: string, body: string): boolean {
  if (/Traceback \(most recent call last\)/.test(body) && !body.includes(">>>")) return false;
  if (/^(py|python|python3|pycon|ipython|doctest)$/i.test(language)) return true;
  return language === "" && /^(>>> |In \[\d+\]: |import \w|from [\w.]+ import |assert )/m.test(body);
}

function isExpectedOutput(between: string, language: string, body: string): boolean {
  if (/^(py|python|python3|pycon)$/i.test(language) || body.includes(">>>") || between.length > 300)
    return false;
  const words = between.trim().split("\n").at(-1) ?? "";
  return /expect|should/i.test(words) && !/actual|instead|but (got|prints|it)/i.test(words);
}

/** `>>>` lines as code, their output as what is shown. */
function sessionOf(body: string): string {
  const lines = body.replace(/^In \[\d+\]: /gm, ">>> ").replace(/^Out\[\d+\]: /gm, "");
  const out: string[] = [];
  const pattern = /^>>> ?(.*)((?:\n\.\.\.(?: .*)?)*)((?:\n(?!>>>)\S.*)*)/gm;
  for (const [, first, rest, output] of lines.matchAll(pattern)) {
    const more = rest!.replace(/^\.\.\. ?/gm, "");
    const shown = output!.trim();
    const isExpression =
      more === "" && !/^(import|from|def|class|for|with|assert|del)\b|^[\w., ]+ = /.test(first!);
    if (shown === "" || shown.startsWith("Traceback") || !isExpression)
      out.push(commentedLine(first!) + more);
    else out.push(`_shows(lambda: (${withoutComment(first!)}), ${JSON.stringify(shown)})`);
  }
  return out.join("\n");
}

function commentedOf(body: string): string {
  return body.split("\n").map(commentedLine).join("\n");
}

/** A line whose comment says what it should give, as a check; any other as it is. */
function commentedLine(line: string): string {
  const match = /^(\s*)([^#'"]*(?:(?:'[^'\n]*'|"[^"\n]*")[^#'"]*)*?)\s*#\s*(.+)$/.exec(line);
  if (!match) return line;
  const [, indent, , comment] = match;
  const code = match[2]!.trimEnd();
  if (code === "" || /:$/.test(code) || /^(import|from|assert|return|def)\b/.test(code)) return line;
  const raised = /\b(?:should raise|raises|expected?:?)\s+(?:an?\s+)?`?(\w+(?:Error|Exception))\b/i.exec(
    comment!,
  );
  const assigned = /^(\w+)\s*=(?!=)\s*(.+)$/.exec(code);
  const value = assigned ? assigned[2]! : code;
  if (raised) return `${indent}_raises(lambda: (${value}), "${raised[1]}")`;
  const want = wanted(comment!);
  if (want === undefined) return line;
  const printed = /^print\((.*)\)$/.exec(value.trim());
  const check = (expression: string): string => `_shows(lambda: (${expression}), ${JSON.stringify(want)})`;
  return assigned
    ? `${indent}${code}\n${indent}${check(assigned[1]!)}`
    : indent + check(printed ? printed[1]! : value);
}

function wanted(comment: string): string | undefined {
  const should = SHOULD.exec(comment);
  const arrow = /^(?:->|=>|==)\s*(.+)$/.exec(comment);
  const bare = /^(-?\d[\d.]*|True|False|None|\[.*\]|\{.*\}|\(.*\)|'[^']*'|"[^"]*")$/.exec(comment);
  const value = (should ?? arrow ?? bare)?.[1];
  const cut = value
    ?.replace(/\s*[,;(]?\s*\b(but|not|instead|got|gives|returns|is)\b.*$/i, "")
    .replace(/[.,;]$/, "")
    .trim();
  return cut ? cut.replace(/^`|`$/g, "") : undefined;
}

function withoutComment(code: string): string {
  return /['"]/.test(code) ? code : code.replace(/\s+#.*$/, "");
}

/** "`f(1)` returns 2 but should return `3`" and the like. */
function sentencesOf(prose: string): string[] {
  const found: string[] = [];
  const pattern =
    /`([^`\n]+\([^`\n]*\)[^`\n]*)`([^`.]{0,80}?(?:`[^`\n]+`[^`.]{0,60}?)?)\b(should|must|expected)\b([^`.\n]{0,40})`([^`\n]+)`/gi;
  for (const [, call, , , words, value] of prose.matchAll(pattern)) {
    if (/\bnot\b|\bnever\b/i.test(words!)) continue;
    if (/raise/i.test(words!)) found.push(`_raises(lambda: (${call}), ${JSON.stringify(value)})`);
    else found.push(`_shows(lambda: (${call}), ${JSON.stringify(value)})`);
  }
  return found;
}

function dedented(body: string): string {
  const indents = body
    .split("\n")
    .flatMap((line) => (line.trim() === "" ? [] : /^[ \t]*/.exec(line)![0].length));
  const cut = indents.length === 0 ? 0 : Math.min(...indents);
  return body
    .split("\n")
    .map((line) => line.slice(cut))
    .join("\n");
}
