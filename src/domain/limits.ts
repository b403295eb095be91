// All limits of the API, with their sources.

/** Every limit of the service, defined once. docs/contract.md section 1. */
export const LIMITS = {
  ownerCharacters: 39,
  nameCharacters: 64,
  tagCharacters: 36,
  tagsPerRepository: 10,
  variableNameCharacters: 64,
  variablesPerVersion: 64,
  titleCharacters: 200,
  descriptionCharacters: 500,
  changelogCharacters: 500,
  skillDescriptionCharacters: 1_024,
  contentBytes: 262_144,
  /** https://agentskills.io/specification */
  /** Maximum number of `messages` in a publish request: each message uses two of the thousand keys allowed in a field. */
  messagesPerVersion: 500,
  requestBytes: 1_048_576,
  /** Maximum number of values in the lists and objects of a field: the number that fits into the size limit for parameters. */
  requestValues: 32_768,
  versionsPerRepository: 1_000,
  queryCharacters: 200,
  pageSize: 20,
  highestPage: 100_000,
  /** YAML and JSON serialisers overflow the stack only at much greater depths, and no readable document is nested more deeply. */
  parameterDepth: 32,
  parameterKeys: 1_000,
  parameterBytes: 65_536,
  /** The size of a filled text: four times the content limit, because values can be long too. */
  filledBytes: 1_048_576,
  /** Maximum number of problems in a message: nobody reads a longer list, and an unlimited list would grow with the input. */
  problemsNamed: 10,
  /** Long enough for any genuine text, and short enough for a form. */
  sentenceCharacters: 500,
  /** An SPDX licence expression is short; the limit only protects the page layout. */
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
} as const
