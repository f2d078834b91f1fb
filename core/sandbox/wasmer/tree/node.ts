/** Whoever may change a folder in place. Nobody else has the token, so what they see does not change. */
export type Owner = object;

interface Meta {
  /** Permission bits. */
  readonly mode: number;
  /** Of the tree's own clock: see `FileTree`. */
  readonly mtimeMs: number;
}

/** The content is never changed after it was put here, so any number of trees may share it. */
export interface FileNode extends Meta {
  readonly kind: "file";
  readonly content: Uint8Array;
}

export interface LinkNode extends Meta {
  readonly kind: "link";
  readonly target: string;
}

export interface FolderNode {
  readonly kind: "folder";
  mode: number;
  mtimeMs: number;
  readonly owner: Owner;
  readonly entries: Map<string, Node>;
}

export type Node = FileNode | LinkNode | FolderNode;

/** The folder itself if `owner` may change it in place, else a copy that it may; what is in it is shared. */
export function owned(folder: FolderNode, owner: Owner): FolderNode {
  return folder.owner === owner ? folder : { ...folder, owner, entries: new Map(folder.entries) };
}
