// What a token may do with the prompts that its scope covers. docs/contract.md section 7
import * as z from 'zod'

/** Every permission, in the order in which it is shown. */
export const PERMISSIONS = ['publish', 'label', 'maintain'] as const

/** What a token may do: `publish` adds versions; `label` moves labels; `maintain` changes everything else of `index.md`, and labels too, protected ones included. */
export const Permission = z
  .enum(PERMISSIONS)
  .describe('publish (versions), label (move labels) or maintain (everything else, and labels).')
export type Permission = z.infer<typeof Permission>

/** The permissions of a token or of a trusted workflow: each once, at least one. */
export const Permissions = z
  .array(Permission)
  .min(1, 'expected at least one permission')
  .refine((all) => new Set(all).size === all.length, 'expected each permission once')

/** What a token has that says nothing of permissions, as those that were made before there were any. */
export const USUAL_PERMISSIONS: readonly Permission[] = ['publish']

/** Whether what somebody has is enough: `maintain` is more than `label`, but never `publish`. */
export function permits(has: readonly Permission[], needed: Permission): boolean {
  return has.includes(needed) || (needed === 'label' && has.includes('maintain'))
}
