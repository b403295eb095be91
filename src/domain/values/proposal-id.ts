// The ID of a proposal, which only those know who may read it.

/** Returns whether a segment of a path is the ID of a proposal: 128 random bits in hex. */
export const isProposalId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)
