/** The names on an absolute path, `.` and empty ones left out, `..` kept. */
export function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** `path` from `base` on, absolute, without `.` and `..`; symbolic links are not looked at. */
export function joined(base: string, path: string): string {
  const names: string[] = [];
  for (const name of namesOf(path.startsWith("/") ? path : `${base}/${path}`)) {
    if (name === "..") names.pop();
    else names.push(name);
  }
  return `/${names.join("/")}`;
}
