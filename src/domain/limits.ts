// The limits of the API, with their sources.
import { PAGE_LIMITS } from './page-limits.ts'

/** How far the clocks of the machines that date versions and results may differ. docs/contract.md section 2. */
export const CLOCK_SKEW_MS = 300_000

/** Limits of records, requests and people. Code that a prompt page loads uses `PAGE_LIMITS`: the page may weigh 50,000 bytes, and a script that names one of these loads all of them. docs/contract.md section 1. */
export const LIMITS = {
  ...PAGE_LIMITS,
  ownerCharacters: 39,
  nameCharacters: 64,
  tagsPerRepository: 10,
  variableNameCharacters: 64,
  variablesPerVersion: 64,
  titleCharacters: 200,
  descriptionCharacters: 500,
  changelogCharacters: 500,
  /** https://agentskills.io/specification */
  skillDescriptionCharacters: 1_024,
  skillCompatibilityCharacters: 500,
  skillMetadataKeys: 32,
  skillMetadataCharacters: 2_000,
  skillTools: 64,
  skillToolCharacters: 200,
  skillHintCharacters: 200,
  contentBytes: 262_144,
  requestBytes: 1_048_576,
  /** Maximum number of values in the lists and objects of a field: the number that fits into the size limit for parameters. */
  requestValues: 32_768,
  versionsPerRepository: 1_000,
  /** Deleted by authors: each stays in `index.md` for ever. */
  removedVersions: 200,
  /** Files that one deletion may remove, which is one call to the git host. */
  deletedFiles: 2_000,
  queryCharacters: 200,
  /** Of the key of a caller, who gets one of two versions of a label. */
  callerKeyCharacters: 1_000,
  pageSize: 20,
  /** Versions per page of a repository's list. */
  versionPageSize: 100,
  highestPage: 100_000,
  /** YAML and JSON serialisers overflow the stack only at much greater depths, and no readable document is nested more deeply. */
  parameterDepth: 32,
  parameterKeys: 1_000,
  parameterBytes: 65_536,
  /** As JSON, of a version: they are in its record, and with the content they must fit into one request. */
  variableBytes: 65_536,
  /** As JSON: the list of what changed between versions has the newest entries up to this size. */
  changesBytes: 262_144,
  /** Long enough for any genuine text, and short enough for a form. */
  sentenceCharacters: 500,
  /** An SPDX license expression is short; the limit only protects the page layout. */
  licenseCharacters: 100,
  /** Longer than any genuine range; also limits the parsing time. */
  rangeCharacters: 100,
  addressCharacters: 500,
  optionsPerVariable: 100,
  advisoriesPerRepository: 100,
  membersPerOwner: 1_000,
  trustedPublishersPerOwner: 100,
  protectedLabelsPerOwner: 100,
  tokensPerPerson: 50,
  publishesPerMinute: 30,
  toolValueCharacters: 10_000,
  /** Enough for 99 of 100 public skills; `npx skills` accepts up to 1,000 files. */
  filesPerVersion: 500,
  /** The size of all files of a version together. */
  filesBytes: 8_000_000,
  fileBytes: 2_000_000,
  fileSegments: 8,
  /** The body of a publish with files: all files in base64, and the content. An unpacked archive has no more. */
  requestBytesWithFiles: 12_582_912,
  /** A subject or an email address of an OpenID Connect account; a file is named after it, in hex. */
  providerMemberCharacters: 100,
  includesPerVersion: 32,
  /** Each is read from git when a version is published. */
  includedRepositories: 16,
  /** Those that the parts include are counted too, however deep. */
  includedThrough: 64,
  modelCharacters: 200,
  attestationsPerVersion: 5,
  /** GitHub's attestations have 10 to 20 kB. */
  attestationBytes: 65_536,
  /** Test suites with a result for one version: each result is in the record of the latest version and on its page. */
  suitesPerVersion: 20,
  /** Test cases of a suite with one outcome; far more than anybody runs on one prompt. */
  testsPerSuite: 1_000_000,
  /** Labels that a publish may move. */
  labelsPerPublish: 10,
  /** Prompts whose label one request may move: each is read from git. */
  promptsPerMove: 50,
  /** Suites that a protected label may require. */
  suitesPerLabel: 10,
  /** Each is an address that the hub sends requests to. */
  webhooksPerOwner: 10,
  retiringModels: 2_000,
} as const
