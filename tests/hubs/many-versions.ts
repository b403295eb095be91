// A prompt with more versions than fit on a page of its list.

/** The versions of `acme/many`, highest first: 120 of 2.0, then 30 of 1.0, which are all on the second page. */
export const MANY_VERSIONS: readonly string[] = [
  ...Array.from({ length: 120 }, (_, index) => `2.0.${119 - index}`),
  ...Array.from({ length: 30 }, (_, index) => `1.0.${29 - index}`),
]

/** The files of `acme/many`. */
export const manyVersions = (): Record<string, string> =>
  Object.fromEntries(
    MANY_VERSIONS.map((version) => [
      `content/acme/many/versions/${version}.md`,
      `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: octocat\nchangelog: Change of ${version}\n---\nText of ${version}\n`,
    ]),
  )
