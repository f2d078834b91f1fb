/** Puts before what a tool says the line that R2E-Gym and rLLM put there. */
export function outputOf(name: string): (text: string) => string {
  return (text) => `Execution output of [${name}]:\n${text}`;
}
