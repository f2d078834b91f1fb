/** The rules of execute_bash, in words for the agent. */
export const BASH_RULES =
  "Each command has a new shell: folders and variables do not last. git, ipython, jupyter and nohup are refused as first words. Of more than 80 lines the first and last 40 are shown.";
