const TEXTS = {
  ENOENT: "no such file or directory",
  EEXIST: "file already exists",
  ENOTDIR: "not a directory",
  EISDIR: "illegal operation on a directory",
  ENOTEMPTY: "directory not empty",
  ELOOP: "too many symbolic links encountered",
  EINVAL: "invalid argument",
  EFBIG: "file too large",
} as const;

export type FaultCode = keyof typeof TEXTS;

/** A file operation that cannot be done, in the words of Node's own file system. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;

  constructor(code: FaultCode, path: string) {
    super(`${code}: ${TEXTS[code]}, '${path}'`);
    this.code = code;
  }
}
