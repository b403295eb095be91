// Defines what a token may do with the prompts in its scope, and what an owner can require of new versions. docs/contract.md section 7
import * as z from 'zod'

/** Every permission, in display order. */
export const PERMISSIONS = ['read', 'publish', 'label', 'maintain'] as const

/** The permissions of a token: `read` reads a private hub, `publish` adds versions, `label` moves labels, and `maintain` changes everything else in `index.md` and moves all labels, including protected labels. */
export const Permission = z
  .enum(PERMISSIONS)
  .describe('read (a private hub), publish (versions), label (move labels) or maintain (everything else, and labels).')
export type Permission = z.infer<typeof Permission>

/** The permissions of a token or trusted workflow: at least one, without duplicates. */
export const Permissions = z
  .array(Permission)
  .min(1, 'expected at least one permission')
  .refine((all) => new Set(all).size === all.length, 'expected each permission only once')

/** The permissions of a new token or a trusted workflow for which none are given. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = ['publish']

/** Returns whether permissions are sufficient: each of them includes `read`, and `maintain` includes `label`, but never `publish`. */
export function hasPermission(has: readonly Permission[], needed: Permission): boolean {
  if (needed === 'read') return has.length > 0
  return has.includes(needed) || (needed === 'label' && has.includes('maintain'))
}

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
