import { readFile, realpath, stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { walk } from "./walk.ts";

/**
 * The working tree of a repository as names and contents, without `.git`: for a sandbox that takes its files so. That
 * keeps less than `archiveOf(folder, { git: false })`: a link to a file of the folder becomes a copy of the file, other
 * links are left out, as are empty folders; whether a file can be executed is lost.
 * @throws {InputError} if something is neither file, folder nor link.
 */
export async function filesOf(folder: string): Promise<Record<string, Uint8Array>> {
  const top = await realpath(folder);
  const files: [string, Uint8Array][] = [];
  for await (const { name, path, stats } of walk(top, { git: false })) {
    if (stats.isFile() || (stats.isSymbolicLink() && (await leadsToFile(top, path.toString())))) {
      files.push([name.toString(), await readFile(path)]);
    }
  }
  return Object.fromEntries(files);
}

async function leadsToFile(top: string, link: string): Promise<boolean> {
  try {
    const target = await realpath(link);
    const [first] = relative(top, target).split(sep);
    return first !== ".." && first !== ".git" && (await stat(target)).isFile();
  } catch {
    return false;
  }
}
