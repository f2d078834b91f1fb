/** How much was changed before a fork. */
export interface Change {
  readonly name: string;
  /** Makes it, in a folder of its own. */
  readonly script: string;
}

const write = (files: number, bytes: number) =>
  `mkdir -p /project && cd /project && head -c ${bytes} /dev/urandom > seed && ` +
  `i=0; while [ $i -lt ${files} ]; do cp seed f$i; i=$((i+1)); done; rm seed`;

export const CHANGES: readonly Change[] = [
  { name: "nothing", script: "mkdir -p /project" },
  { name: "4 MB in 200 files", script: write(200, 20_000) },
  { name: "100 MB in 5,000 files", script: write(5_000, 20_000) },
];
