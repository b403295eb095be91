// Shared by the tests of content files: the start of a file, and its problems as text.

/** How a version file begins, without its last line. */
export const HEAD = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: octocat\n'

/** The problems as one text each, or nothing when the file was read. */
export const problemsOf = (result: { problems?: { key: string; message: string }[] }) =>
  (result.problems ?? []).map(({ key, message }) => (key === '' ? message : `${key}: ${message}`))
