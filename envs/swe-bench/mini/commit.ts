/**
 * The one commit of every `swe-mini` repository: its branch is `main`, author and committer are the same, every
 * file has mode 100644. With these facts the files give the `base_commit` of the row.
 */
export const MINI_COMMIT = {
  message: "swe-mini",
  name: "ForkGym",
  email: "forkgym@example.invalid",
  /** ISO 8601, as GIT_AUTHOR_DATE and GIT_COMMITTER_DATE take it. */
  date: "2024-01-01T00:00:00+00:00",
} as const;
