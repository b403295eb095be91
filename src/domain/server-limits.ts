// The limits of skills and their files, of includes, of models, of attestations, of results, and of members. limits.ts has the others.

/** The limits that no script of a prompt page needs, by subject. docs/contract.md section 1. */
export const SERVER_LIMITS = {
  /** https://agentskills.io/specification */
  skillCompatibilityCharacters: 500,
  skillMetadataKeys: 32,
  skillMetadataCharacters: 500,
  /** Enough for 98 of 100 public skills; `npx skills` accepts up to 1,000 files. */
  filesPerVersion: 200,
  /** The size of all files of a version together. */
  filesBytes: 1_000_000,
  fileBytes: 262_144,
  fileSegments: 8,
  /** The body of a publish with files: a megabyte of files in base64, and the content. */
  requestBytesWithFiles: 2_097_152,
  /** A subject or an email address of an OpenID Connect account; a file is named after it, in hex. */
  providerMemberCharacters: 100,
  includesPerVersion: 32,
  /** Each is read from git when a version is published. */
  includedRepositories: 16,
  modelCharacters: 200,
  attestationsPerVersion: 5,
  /** GitHub's attestations have 10 to 20 kB. */
  attestationBytes: 65_536,
  /** Test suites with a result for one version: each result is in the record of the latest version and on its page. */
  suitesPerVersion: 20,
  /** Test cases of a suite with one outcome; far more than anybody runs on one prompt. */
  testsPerSuite: 1_000_000,
  /** Suites that a protected label may require. */
  suitesPerLabel: 10,
  retiringModels: 2_000,
} as const
