/**
 * What the editors of both function-call scaffolds can do, in words for the agent. `view`: more lines on that command.
 * `undo`: whether undo_edit is told of; the tools have it all the same.
 */
export function editorText(
  name: string,
  { view, undo }: { readonly view: readonly string[]; readonly undo: boolean },
): string {
  return [
    `${name}: views, creates and edits files.`,
    `  command (required): ${undo ? "view, create, str_replace, insert or undo_edit" : "view, create, str_replace or insert"}.`,
    "  path (required): of the file or folder, absolute, for example /testbed/src/a.py.",
    "  view shows a Python file (.py) with line numbers, and no other; of a folder the Python files and folders in it,",
    "    two levels deep, without hidden names.",
    "    view_range (optional): [first, last], counted from 1; a last of -1 is the end of the file.",
    ...view,
    "  create makes a new file, and the folders that it needs; it never replaces one.",
    "    file_text (required): its content.",
    "  str_replace replaces a text that is in the file exactly once.",
    "    old_str (required): the text, white space included, with so many lines that it is the only one.",
    "    new_str (optional): what comes in its place; without it the text is taken out.",
    "  insert puts lines after a line.",
    "    insert_line (required): the number of that line; 0 is the top of the file.",
    "    new_str (required): the lines.",
    ...(undo ? ["  undo_edit takes back the last edit of the file that was made with this function."] : []),
    "  Long answers are cut and end in <response clipped>.",
  ].join("\n");
}
