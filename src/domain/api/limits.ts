// All limits of the API, with their sources.

/** Every limit of the service, each once. docs/contract.md section 1. */
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
  /** https://agentskills.io/specification */
  skillDescriptionCharacters: 1_024,
  contentBytes: 262_144,
  /** As many as a publish can hold as `messages`: each has two keys of the thousand that a field may have. */
  messagesPerVersion: 500,
  requestBytes: 1_048_576,
  /** Values of lists and objects in one field of a publish: as many as fit into the bytes that parameters may have. */
  requestValues: 32_768,
  versionsPerRepository: 1_000,
  queryCharacters: 200,
  pageSize: 20,
  highestPage: 100_000,
  /** YAML and JSON writers overflow the stack far above this, and nothing readable nests deeper. */
  parameterDepth: 32,
  parameterKeys: 1_000,
  parameterBytes: 65_536,
  /** A text after filling: four times a content, for values are long too. */
  filledBytes: 1_048_576,
  /** Nobody reads a longer list, and without a limit the message would grow with what was sent. */
  problemsNamed: 10,
  /** A readable sentence for people; long enough for any honest one, short enough for a form. */
  sentenceCharacters: 500,
  /** An SPDX licence expression is short; the limit only keeps a page from breaking. */
  licenseCharacters: 100,
  /** Longer than any honest range; it also bounds the time that reading one takes. */
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
