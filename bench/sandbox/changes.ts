/** How much was changed before a fork. */
export interface Change {
  readonly name: string;
  /** Makes it, in a folder of its own. */
  readonly script: string;
  /** What is there when it is done. */
  readonly made: string;
  /** The same as files, for a sandbox that is made with them. */
  readonly files: number;
}

/** Size of each file. */
export const FILE_BYTES = 20_000;

const write = (files: number) =>
  `mkdir -p /project && cd /project && head -c ${FILE_BYTES} /dev/urandom > seed && ` +
  `i=0; while [ $i -lt ${files} ]; do cp seed f$i; i=$((i+1)); done; rm seed`;

export const CHANGES: readonly Change[] = [
  { name: "nothing", script: "mkdir -p /project", made: "/project", files: 0 },
  { name: "4 MB in 200 files", script: write(200), made: "/project/f199", files: 200 },
  { name: "100 MB in 5,000 files", script: write(5_000), made: "/project/f4999", files: 5_000 },
];
