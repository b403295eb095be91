// Reviews a content folder: reports all problems and suggestions, with file, line, rule and fix.

import { MAX_ANY_FILE_BYTES, MAX_FILE_BYTES } from '../content/content-file.ts'
import { type ListingProblems, pathOf } from '../content/content-files.ts'
import { groupByRepository, walkContent } from '../content/content-walk.ts'
import { replaceFile } from '../content/write-files.ts'
import { parsePath } from '../domain/content/content-path.ts'
import { openLines } from '../domain/content/prompt-file.ts'
import { findCertainSecret } from '../domain/content/secrets.ts'
import { lineOf } from '../domain/text/plain-text.ts'
import { formatProblem } from '../domain/text/problems.ts'
import { openFolder } from '../files/plain-files.ts'
import { type Comparison, isPublished, openComparison } from './content-changes.ts'
import { openSignedReview } from './review-attestations.ts'
import { openRepositoryReader } from './review-repository.ts'
import { fixFile } from './rules/mechanical.ts'
import type { OwnerVerdict } from './rules/pull-owners.ts'
import type { ReviewContext, ReviewEntry, ReviewFinding } from './rules/review-findings.ts'
import { isRuleName, RULES } from './rules/review-rules.ts'

/** The result of a review. */
export interface Review {
  /** Sorted by file and line. */
  entries: ReviewEntry[]
  /** The files in which mechanical problems were fixed. */
  mended: string[]
  ignored: string[]
  files: number
  repositories: number
  /** What each new version means for callers, one line each. */
  impacts: string[]
  /** What a maintainer must approve. */
  approvals: OwnerVerdict[]
  /** Notes on what could not be reviewed. */
  notes: string[]
}

interface ReviewOrder {
  contentDir: string
  /** The commit to compare with; if omitted, no file counts as new. */
  base?: string | undefined
  /** Whether to fix mechanical problems. Versions in the base are never changed; without a base, no version is changed. */
  fix?: boolean
  environment: Readonly<Record<string, string | undefined>>
  /** Returns whether a user may be the publisher of a new version; see ReviewContext. */
  mayBePublisher?: ReviewContext['mayBePublisher']
  /** Returns whether the author may report results; see ReviewContext. */
  mayReport?: ReviewContext['mayReport']
  /** The issuer of jobs that the hub accepts; by default, that of GitHub Actions. */
  issuer?: string
}

/** Reviews a content folder, prompt by prompt, with a bounded amount of memory per prompt. @throws Error if the base is not a known commit */
export async function reviewContent({
  contentDir,
  base,
  fix = false,
  environment,
  mayBePublisher,
  mayReport,
  issuer,
}: ReviewOrder): Promise<Review> {
  const comparison = base === undefined ? undefined : await openComparison(contentDir, base, environment)
  const mended = fix ? await mendFiles(contentDir, comparison) : []
  const findings: ListingProblems = { problems: [], ignored: [] }
  const reviewSigned = comparison && openSignedReview(comparison, issuer)
  const states = await walkContent(contentDir, findings, comparison)
  const owners = new Map(
    states.filter(({ path }) => parsePath(path).value?.kind === 'owner').map((one) => [one.path, one]),
  )
  const reader = openRepositoryReader(
    contentDir,
    comparison,
    { now: new Date(), mayBePublisher, mayReport, reviewSigned },
    owners,
  )
  const makeEntry = openEntries(contentDir)
  const entries: ReviewEntry[] = []
  for (const group of groupByRepository(states)) entries.push(...tidy((await reader.review(group)).map(makeEntry)))
  entries.unshift(...tidy(findings.problems.map(makeEntry)))
  return {
    entries: entries.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
    mended,
    ignored: findings.ignored,
    ...reader.count(),
    notes: comparison?.isShallow
      ? ['This clone is shallow, so the numbers of versions that were deleted long ago are unknown.']
      : [],
  }
}

/** Removes duplicates, and the "looks like a secret" warning for text that is certainly a secret. */
function tidy(entries: readonly ReviewEntry[]): ReviewEntry[] {
  const certain = new Set(entries.filter(({ rule }) => rule === 'holds-no-secret').map(placeOf))
  const said = new Map(entries.map((entry) => [JSON.stringify(entry), entry]))
  return [...said.values()].filter((entry) => entry.rule !== 'secret' || !certain.has(placeOf(entry)))
}

function placeOf({ file, line }: ReviewEntry): string {
  return `${file}:${line}`
}

async function mendFiles(dir: string, comparison: Comparison | undefined): Promise<string[]> {
  const mended: string[] = []
  const folder = openFolder(dir)
  for (const state of await walkContent(dir, { problems: [], ignored: [] }, comparison)) {
    const place = state.isHere ? parsePath(state.path).value : undefined
    if (
      !place ||
      place.kind === 'file' ||
      place.kind === 'attestation' ||
      (place.kind === 'version' && (!comparison || isPublished(state)))
    )
      continue
    const { value: bytes } = folder.read(state.path, MAX_FILE_BYTES)
    const text = bytes?.toString() ?? ''
    const better = bytes && Buffer.from(text).equals(bytes) ? fixFile(state.path, text) : undefined
    if (better === undefined) continue
    replaceFile(folder.prepare(state.path), better)
    mended.push(state.path)
  }
  return mended
}

/** Rules about a file as a whole, so that no line of it is looked for. */
const ABOUT_FILES: ReadonlySet<string> = new Set([
  ...['path', 'regular-file', 'readable', 'file-fits', 'files-fit', 'files-need-skill', 'utf-8', 'version-unchanged'],
  ...['bytes-as-in-git', 'no-attributes', 'attestations-listed', 'attestation-verified'],
])

/** Converts problems to entries, and caches the content of the last file. */
function openEntries(dir: string) {
  const folder = openFolder(dir)
  let last = { file: '', text: '', lineIn: openLines('') }
  const readText = (file: string) => {
    if (last.file === file) return last
    const text = folder.read(file.replace(/^content\/?/, ''), MAX_ANY_FILE_BYTES).value?.toString() ?? ''
    last = { file, text, lineIn: openLines(text) }
    return last
  }
  return (problem: ReviewFinding): ReviewEntry => {
    const { file, rule, key } = problem
    const { text, lineIn } = ABOUT_FILES.has(rule) ? { text: '', lineIn: openLines('') } : readText(file)
    const found =
      rule === 'holds-no-secret' && (key === 'content' || key === 'readme')
        ? findCertainSecret(text)?.offset
        : undefined
    const isSkillFile = parsePath(pathOf(file)).value?.kind === 'file'
    const line =
      found !== undefined ? lineOf(text, found) : isSkillFile ? lineOf(text, problem.offset ?? 0) : lineIn(problem)
    if (!isRuleName(rule)) throw new Error(`Unknown rule: ${rule}`)
    const { severity, fix } = RULES[rule]
    return { file, line, rule, message: ownText(`${formatProblem(problem)}; ${fix}`), severity }
  }
}

/** Copies a string, because a substring keeps the whole original string in memory. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
