// The ID of a proposal, which only those know who may read it.

/** The form of an ID: 128 random bits in hex. */
export const PROPOSAL_ID = /^[0-9a-f]{32}$/

/** Returns whether a segment of a path is the ID of a proposal. */
export const isProposalId = (text: string): boolean => PROPOSAL_ID.test(text)
