// The limits of skills and their files; apart from the others, because scripts of pages load those.

/** Every limit of skills and their files. docs/contract.md section 1. */
export const SKILL_LIMITS = {
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
} as const
