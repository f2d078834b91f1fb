import { emptyState, FileTree } from "./tree/file-tree.ts";

const FOLDERS = ["/dev", "/etc", "/home/user", "/tmp", "/usr/bin", "/var/tmp"];

/** What is in a sandbox before anything is put there: a name for each command, so that `which` and `ls /bin` find it. */
export function baseTree(commands: readonly string[]): FileTree {
  const tree = new FileTree(emptyState());
  for (const folder of FOLDERS) tree.mkdirs(folder);
  for (const folder of ["/tmp", "/var/tmp"]) tree.chmod(folder, 0o1777);
  tree.write("/dev/null", new Uint8Array());
  const content = new TextEncoder().encode("#!/bin/sh\n# A command of the sandbox itself.\n");
  for (const name of commands) {
    tree.write(`/usr/bin/${name}`, content);
    tree.chmod(`/usr/bin/${name}`, 0o755);
  }
  tree.symlink("usr/bin", "/bin");
  return tree;
}
