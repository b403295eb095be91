// Helpers for the tests of content files: the start of a file, and its problems as strings.

/** The start of a version file's front matter, without the closing `---` line. */
export const HEAD = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\n'

/** Returns one string for each problem, or an empty list if the file was read. */
export const problemsOf = (result: { problems?: { key: string; message: string }[] }) =>
  (result.problems ?? []).map(({ key, message }) => (key === '' ? message : `${key}: ${message}`))
