/** What an issue's text calls things in the code. */
export interface IssueNames {
  /** Functions, classes, modules. */
  readonly words: ReadonlySet<string>;
  /** Files, without what stands before the repository. */
  readonly paths: readonly string[];
}

const COMMON = new Set(
  `self print assert import from return def class for while with the and not None True False python python3 pip test
   tests src lib str int float list dict set tuple len range type object init py txt rst md version main`.split(
    /\s+/,
  ),
);

/** Words count as names if they look like code: in code, in back-quotes, with a call, an underscore, a dot or a hump. */
export function namesOf(issue: string): IssueNames {
  const paths = [...issue.matchAll(/(?:[\w.-]+\/)*[\w-]+\.(?:py|pyx|cfg|toml)\b/g)].map(([path]) =>
    path.replace(/^.*(?:site-packages|dist-packages|testbed)\//, ""),
  );
  const code = [
    ...issue.matchAll(/```[\s\S]*?```|`[^`\n]+`|^\s*>>> .*$|^\s*(?:from|import) .*$/gm),
    ...issue.matchAll(/\b\w+(?:\.\w+)+|\b\w+(?=\()|\b[a-z]+(?:_\w+)+|\b[A-Z]\w*[a-z]\w*[A-Z]\w*/g),
  ].map(([text]) => text.replace(/(['"])(?:\\.|(?!\1)[^\\\n])*\1/g, " "));
  const words = code.flatMap((text) => text.match(/[A-Za-z_]\w{2,}/g) ?? []);
  return { words: new Set(words.filter((word) => !COMMON.has(word))), paths };
}

/** Whether the issue names a file, by its path or by the name of its module. */
export function isNamed({ words, paths }: IssueNames, path: string): boolean {
  if (paths.some((named) => `/${path}`.endsWith(`/${named}`) || `/${named}`.endsWith(`/${path}`)))
    return true;
  const stem = path.replace(/^.*\//, "").replace(/\.\w+$/, "");
  return words.has(stem) || words.has(stem.replace(/^_+/, ""));
}

/** Files that a listing shows to define something that the issue names: lines of grep, or the file that was viewed. */
export function definingFiles(names: IssueNames, text: string, viewed: readonly string[]): string[] {
  const found: string[] = [];
  for (const [line, name] of text.matchAll(/^.*\b(?:def|class) (\w+).*$/gm)) {
    if (!names.words.has(name!)) continue;
    const path = /^([\w./-]+\.py)[:-]/.exec(line)?.[1];
    if (path !== undefined) found.push(path);
    else if (viewed.length === 1) found.push(viewed[0]!);
  }
  return found;
}
