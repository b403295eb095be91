// The rules that an owner can set for new versions. docs/contract.md section 7

/** What an owner can require of a publish. */
export const PUBLISHING_RULES = ['trusted-only', 'signed-only', 'semver', 'reviewed'] as const
/** A rule for new versions. */
export type PublishingRule = (typeof PUBLISHING_RULES)[number]

/** The part of an owner's file that has the rules: one of them, or a list. */
interface Ruled {
  publishing: PublishingRule | readonly PublishingRule[] | null
}

/** Lists the rules of an owner for new versions. @param file undefined for an owner without a file */
export function listPublishingRules(file: Ruled | undefined): readonly PublishingRule[] {
  return [file?.publishing ?? []].flat() as PublishingRule[]
}

/** Returns whether an owner has a rule for new versions. */
export function hasPublishingRule(file: Ruled | undefined, rule: PublishingRule): boolean {
  return listPublishingRules(file).includes(rule)
}
