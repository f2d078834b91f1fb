/** Which optional packages of the backend are not installed here, as a reason to skip a test, or "". */
export function missing(...names: readonly string[]): string {
  const absent = names.filter((name) => {
    try {
      return import.meta.resolve(name) === "";
    } catch {
      return true;
    }
  });
  return absent.length === 0 ? "" : `not installed: ${absent.join(", ")}`;
}
