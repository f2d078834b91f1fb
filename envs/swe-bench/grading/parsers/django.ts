import { type LogParser, type StatusMap, UnreadableLog } from "./log-parser.ts";
import { before, pattern, strip, words } from "./python-text.ts";

const PASSED = [" ... ok", " ... OK", " ...  OK"];
/** django-7188: the migration's own line runs into the test's. */
const MIGRATION = "Applying sites.0002_alter_domain_unique...test_no_migrations";
const VERSION = "--version is equivalent to version";

/** Results that other output cut in two, so that "ok" stands on a line of its own. */
const INTERRUPTED = [
  pattern("^(.*?)\\s\\.\\.\\.\\sTesting against Django installed in ([\\s\\S]*?) silenced\\)\\.\\nok$", "gm"),
  pattern("^(.*?)\\s\\.\\.\\.\\sInternal Server Error: \\/(.*)\\/\\nok$", "gm"),
  pattern("^(.*?)\\s\\.\\.\\.\\sSystem check identified no issues \\(0 silenced\\)\\nok$", "gm"),
];

/** Django's runner at verbosity 2. Ids are `test_x (module.Class)`, or the first line of the test's docstring. */
export const django: LogParser = (log) => {
  const statuses: StatusMap = new Map();
  let previous: string | null = null;
  for (const raw of log.split("\n")) {
    let line = strip(raw);
    if (line.includes(VERSION)) statuses.set(VERSION, "PASSED");
    if (line.includes(" ... ")) previous = before(line, " ... ");
    const suffix = PASSED.find((end) => line.endsWith(end));
    if (suffix !== undefined) {
      if (line.startsWith(MIGRATION)) line = strip(line.slice(line.indexOf("...") + 3));
      statuses.set(line.slice(0, -suffix.length), "PASSED");
    }
    if (line.includes(" ... skipped")) statuses.set(before(line, " ... skipped"), "SKIPPED");
    if (line.endsWith(" ... FAIL")) statuses.set(before(line, " ... FAIL"), "FAILED");
    if (line.startsWith("FAIL:")) statuses.set(named(line), "FAILED");
    if (line.endsWith(" ... ERROR")) statuses.set(before(line, " ... ERROR"), "ERROR");
    if (line.startsWith("ERROR:")) statuses.set(named(line), "ERROR");
    if (line.startsWith("ok") && previous !== null) statuses.set(previous, "PASSED");
  }
  for (const interrupted of INTERRUPTED) {
    for (const [, name] of log.matchAll(interrupted)) statuses.set(name!, "PASSED");
  }
  return statuses;
};

function named(line: string): string {
  const name = words(line)[1];
  if (name === undefined) throw new UnreadableLog(`grading: no test's name in "${line}"`);
  return name;
}
