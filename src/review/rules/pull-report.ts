// Formats the comment of a pull request review: problems, the impact on callers, and required approvals. Untrusted text appears only in fenced code.
import type { ReviewEntry } from './review-findings.ts'

/** The content of the comment. */
export interface PullReport {
  /** From `reviewContent`. */
  entries: readonly ReviewEntry[]
  /** Notes written by the hub, not by the author. */
  notes: readonly string[]
  owners: readonly { owner: string | undefined; isAllowed: boolean; reason: string }[]
  /** The commit that was reviewed. */
  head: string
  /** Whether a maintainer has approved in place of the owners. */
  isApproved: boolean
  /** What each new version means for callers, one line each. */
  impacts: readonly string[]
}

/** The label that a maintainer sets to approve a pull request. The workflow removes it on every later event. */
const APPROVAL_LABEL = 'owner approved'
/** Marks the comment so that the workflow can find and update it. */
const MARK = '<!-- prompt-hub: content review -->'
/** Maximum length of each part, because GitHub accepts 65,536 characters per comment, and Linux 128 KiB per environment variable. */
const MAX_BYTES = { entries: 20_000, impacts: 10_000 }

/** Returns the comment as Markdown, at most about 35,000 bytes. */
export function formatPullReport({ entries, notes, owners, head, isApproved, impacts }: PullReport): string {
  const errors = entries.filter(({ severity }) => severity === 'error')
  const advice = entries.filter(({ severity }) => severity === 'advice')
  const lines = [...errors, ...advice].map(
    ({ file, line, rule, message, severity }) =>
      `${file}:${line}  ${rule}${severity === 'advice' ? ' (advice)' : ''}  ${message}`,
  )
  const asked = owners.map(
    ({ owner, isAllowed, reason }) => `${isAllowed ? 'yes' : 'no '}  ${owner ?? '(the catalogue)'}: ${reason}`,
  )
  return [
    MARK,
    '### Content review',
    summarise(errors.length, advice.length),
    ...(lines.length === 0 ? [] : [fence(lines.join('\n'), 'text', MAX_BYTES.entries)]),
    ...(impacts.length === 0 ? [] : ['Impact on callers:', fence(impacts.join('\n'), 'text', MAX_BYTES.impacts)]),
    describeOwners(owners, isApproved),
    ...(asked.length === 0 ? [] : [fence(asked.join('\n'), 'text', 4_000)]),
    ...notes,
    `Reviewed: ${head}`,
  ].join('\n\n')
}

function summarise(errors: number, advice: number): string {
  const parts = [
    ...(errors > 0 ? [`**${errors} ${errors === 1 ? 'problem' : 'problems'}** to fix`] : []),
    ...(advice > 0
      ? [
          `${advice} ${advice === 1 ? 'suggestion' : 'suggestions'}, which ${advice === 1 ? 'does' : 'do'} not block the pull request`,
        ]
      : []),
  ]
  return parts.length === 0
    ? 'All checks passed, and there are no suggestions.'
    : `${parts.join(', ')}. To run the checks locally: \`npm run check:content -- --base origin/main\``
}

function describeOwners(owners: PullReport['owners'], isApproved: boolean): string {
  if (owners.every(({ isAllowed }) => isAllowed)) return 'The owners of the changed files approve:'
  return isApproved
    ? `A maintainer approved (label \`${APPROVAL_LABEL}\`):`
    : `It **needs approval from a maintainer**, who can set the label \`${APPROVAL_LABEL}\`. For the files of an owner, a member can open the pull request instead. The label approves only this commit; any later commit, label or edit of the pull request removes it:`
}

/** Puts text in a code block whose fence is longer than any run of backticks in the text, so that nothing in it becomes a link, an image, a mention or the end of the block. */
function fence(text: string, language: string, mostBytes: number): string {
  const clean = text.replace(/[^\n\t\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/gu, '·').toWellFormed()
  const cut = cutBytes(clean, mostBytes)
  const longest = Math.max(0, ...Array.from(cut.matchAll(/`+/g), ([row]) => row.length))
  const marks = '`'.repeat(Math.max(3, longest + 1))
  return `${marks}${language}\n${cut}${cut === clean ? '' : '\n(and more)'}\n${marks}`
}

function cutBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text)
  return bytes.length <= most ? text : new TextDecoder().decode(bytes.subarray(0, most)).replace(/\uFFFD$/, '')
}
