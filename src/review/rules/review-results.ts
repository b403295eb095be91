// Review rules for results of test suites, and for the labels that require them.

import { checkResults } from '../../catalogue/result-rules.ts'
import { listResults } from '../../domain/catalogue/results.ts'
import type { ResultEntry, VersionEntry } from '../../domain/content/content-tree.ts'
import type { OwnerFile, RepositoryFile } from '../../domain/content/prompt-file.ts'
import { findProtection } from '../../domain/content/protected-labels.ts'
import { describeMissing, findMissingEvidence } from '../../domain/managing/evidence.ts'
import { targetOf, versionsOf } from '../../domain/values/label-target.ts'
import type { RepositoryPlace } from '../../domain/values/names.ts'
import { createReporter, type ReviewContext, type ReviewFinding, reviewSender } from './review-findings.ts'
import type { RuleName } from './review-rules.ts'

/** A result, and where it comes from. */
export interface ReviewedResult {
  entry: ResultEntry
  /** Whether the change under review adds it or gives it other bytes. */
  isTouched: boolean
}

/** Reviews the results of a repository together with its versions. @param unread versions that cannot be parsed, whose results are judged as soon as they can */
export function reviewResults(
  { owner, name }: RepositoryPlace,
  versions: readonly Pick<VersionEntry, 'version' | 'content_sha256'>[],
  results: readonly ReviewedResult[],
  unread: ReadonlySet<string>,
  context: ReviewContext,
): ReviewFinding[] {
  const judged = results.map(({ entry }) => entry).filter(({ version }) => !unread.has(version))
  const remarks: ReviewFinding[] = checkResults({ owner, name }, versions, judged).problems
  for (const { entry, isTouched } of results) {
    if (!isTouched) continue
    const { version, suite, provenance, at, reported_by } = entry
    reviewSender(
      { owner, provenance, at: ['at', at], by: ['reported_by', reported_by] },
      { time: 'tested-by-now', author: 'reported-by-author' },
      context,
      createReporter(remarks, { kind: 'result', owner, name, version, suite }),
    )
  }
  return remarks
}

/** What a review of labels compares. */
export interface ReviewedLabels {
  /** The labels of the base; undefined without a base, when nobody knows which labels have moved. */
  before: RepositoryFile['labels'] | undefined
  after: RepositoryFile['labels']
  /** The owner's file in the base: a condition that the change itself drops still holds for it. `broken` if it cannot be read. */
  owner: OwnerFile | 'broken' | undefined
}

/** Reviews labels that require results: an error for each that the change moves without them, and advice for each that stands without them. */
export function reviewLabels(
  { owner: handle, name }: RepositoryPlace,
  { before, after, owner }: ReviewedLabels,
  versions: readonly Pick<VersionEntry, 'version' | 'content_sha256'>[],
  results: readonly ReviewedResult[],
  { mayReport }: ReviewContext,
): ReviewFinding[] {
  const remarks: ReviewFinding[] = []
  const report = createReporter(remarks, { kind: 'repository', owner: handle, name })
  const say = (rule: RuleName, label: string, message: string) => report(rule, `labels.${label}`, message)
  const isTrusted = mayReport === undefined || mayReport(handle)
  const pointing = Object.keys(after).flatMap((label) => {
    const was = before && targetOf(before, label)
    return versionsOf(after[label]!).map((version, place) => {
      // A share that grows asks for nothing, because its version had its results when the split began.
      const held = place === 0 ? was?.version === version : was && versionsOf(was).includes(version)
      return { label, version, isMoved: before !== undefined && !held }
    })
  })
  for (const { label, version, isMoved } of pointing) {
    const target = versions.find((one) => one.version === version)
    if (!target) continue
    if (owner === 'broken') {
      if (isMoved) say('labels-have-results', label, `expected content/${handle}/index.md in the base to be readable`)
      continue
    }
    const counting = results.filter(({ isTouched }) => !isMoved || !isTouched || isTrusted).map(({ entry }) => entry)
    const missing = findMissingEvidence(findProtection(owner, label), target, listResults(target, counting))
    if (missing.length === 0) continue
    const rule = isMoved ? 'labels-have-results' : 'label-without-results'
    const added = isMoved && !isTrusted && results.some(({ isTouched }) => isTouched)
    say(
      rule,
      label,
      `${describeMissing(label, { owner: handle, name, ...target }, missing)}${added ? ' Results in this pull request do not count, because its author may not publish.' : ''}`,
    )
  }
  return remarks
}
