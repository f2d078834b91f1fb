/** What the editors of both function-call scaffolds can do, in words for the agent. */
export function editorText(name: string, more: readonly string[]): string {
  return [
    `${name}: views, creates and edits files.`,
    "  command (required): view, create, str_replace, insert or undo_edit.",
    "  path (required): of the file or folder, absolute, for example /testbed/src/a.py.",
    "  view shows a file with line numbers, or what is in a folder, two levels deep, without hidden names.",
    "    view_range (optional): [first, last], counted from 1; a last of -1 is the end of the file.",
    ...more,
    "  create makes a new file, and the folders that it needs; it never replaces one.",
    "    file_text (required): its content.",
    "  str_replace replaces a text that is in the file exactly once.",
    "    old_str (required): the text, white space included, with so many lines that it is the only one.",
    "    new_str (optional): what comes in its place; without it the text is taken out.",
    "  insert puts lines after a line.",
    "    insert_line (required): the number of that line; 0 is the top of the file.",
    "    new_str (required): the lines.",
    "  undo_edit takes back the last edit of the file that was made with this function.",
    "  Long answers are cut and end in <response clipped>.",
  ].join("\n");
}
