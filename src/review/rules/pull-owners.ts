// Decides whose approval a pull request needs: a maintainer must approve it if the author is not a member of the owner, or if it takes away what protects others.

import { isMember, mayActFor } from '../../domain/access/memberships.ts'
import type { Person } from '../../domain/access/person.ts'
import { hasPublishingRule, type OwnerFile } from '../../domain/content/prompt-file.ts'
import { nameOfLabel, needsApproval } from '../../domain/content/protected-labels.ts'

/** What of an owner's file decides. */
type JudgedFile = Pick<OwnerFile, 'members' | 'publishing' | 'protected_labels'>

/** The verdict on one part of a pull request. */
export interface OwnerVerdict {
  /** The owner's handle, or undefined for the catalogue as a whole. */
  owner: string | undefined
  isAllowed: boolean
  /** Whether only the author’s login speaks for the author, which GitHub may have given to another account. */
  isByName: boolean
  /** A short reason for the verdict. */
  reason: string
}

/**
 * Checks every owner whose files a pull request changes. Uses the member lists at the base, because changes to them take effect only after the merge.
 *
 * @param changed paths relative to the content folder
 * @param author the user who opened it, according to GitHub
 * @param ownerAt the owner's file at the base; undefined if there is none, `broken` if it cannot be parsed
 */
export function checkApprovals(
  changed: readonly string[],
  author: Person,
  ownerAt: (owner: string) => JudgedFile | 'broken' | undefined,
): OwnerVerdict[] {
  const owners = new Set(changed.map((path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined)))
  return [...owners]
    .sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1))
    .map((owner) => {
      const addsVersions = changed.some((path) => path.startsWith(`${owner}/`) && path.split('/')[2] === 'versions')
      const file = owner === undefined ? undefined : ownerAt(owner)
      return { owner, ...decideApproval(owner, author, file, addsVersions) }
    })
}

function decideApproval(
  owner: string | undefined,
  author: Person,
  file: JudgedFile | 'broken' | undefined,
  addsVersions: boolean,
) {
  const refuse = (reason: string) => ({ isAllowed: false, isByName: false, reason })
  if (owner === undefined) return refuse('it belongs to the catalogue as a whole')
  if (file === 'broken') return refuse('its index.md on the main branch cannot be read')
  if (!mayActFor(author, owner, file)) return refuse(`${author.login} is not a member`)
  if (addsVersions && hasPublishingRule(file, 'reviewed'))
    return refuse('it accepts versions only after somebody else has approved them (publishing: reviewed)')
  if (file === undefined || file.members.length === 0)
    return { isAllowed: true, isByName: true, reason: 'it is the author’s own handle, by name' }
  const isByName = !isMember(author, { members: file.members.filter((member) => typeof member === 'number') })
  const how = isByName ? 'by name' : `by account ID ${author.user_id}`
  return { isAllowed: true, isByName, reason: `${author.login} is one of its members, ${how}` }
}

/** Checks that no owner loses `publishing: reviewed` or `new_capabilities: approve`, without which one person or a token could bring what nobody else has seen. @param owners the file of each changed owner at the base and after the merge; undefined if there is none, `broken` if it cannot be parsed */
export function checkProtections(
  owners: readonly {
    owner: string
    before: JudgedFile | 'broken' | undefined
    after: JudgedFile | 'broken' | undefined
  }[],
): OwnerVerdict[] {
  return owners.flatMap(({ owner, before, after }) => {
    const kept = protectionsOf(after)
    return protectionsOf(before)
      .filter((protection) => !kept.includes(protection))
      .map((protection) => ({
        owner,
        isAllowed: false,
        isByName: false,
        reason: `it takes ${protection} in its index.md`,
      }))
  })
}

/** What an owner's file protects, as the words with which it would be taken away. */
function protectionsOf(file: JudgedFile | 'broken' | undefined): string[] {
  if (file === undefined || file === 'broken') return []
  const approved = file.protected_labels.filter(needsApproval).map(nameOfLabel)
  return [
    ...(hasPublishingRule(file, 'reviewed') ? ['reviewed out of publishing'] : []),
    ...approved.map((label) => `new_capabilities: approve from the label ${label}`),
  ]
}

/** What `removed` of a prompt names at the base and after the merge; undefined if the file cannot be read. */
export interface RemovedNumbers {
  owner: string
  name: string
  before: readonly string[] | undefined
  after: readonly string[] | undefined
}

/** Checks that no entry of `removed` disappears: a takedown is undone only with the approval of a maintainer, whoever owns the prompt. */
export function checkTakedowns(prompts: readonly RemovedNumbers[]): OwnerVerdict[] {
  return prompts.flatMap(({ owner, name, before, after }) => {
    const verdict = { owner: `${owner}/${name}`, isAllowed: false, isByName: false }
    if (before === undefined)
      return [{ ...verdict, reason: 'removed in its index.md on the main branch cannot be read' }]
    const dropped = before.filter((version) => !after?.includes(version))
    if (dropped.length === 0) return []
    return [{ ...verdict, reason: `it takes ${dropped.join(', ')} out of removed` }]
  })
}
