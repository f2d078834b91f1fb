/** What the official harnesses write into logs, and look for. */
export const START = ">>>>> Start Test Output";
export const END = ">>>>> End Test Output";
export const EXIT_CODE = ">>>>> Test Exit Code";
export const PATCH_FAILED = ">>>>> Patch Apply Failed";
export const TIMED_OUT = ">>>>> Tests Timed Out";
