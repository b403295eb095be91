// Reviews a content folder: all problems and advice, with file, line, rule and fix.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../../domain/content/content-path.ts'
import { findLine } from '../../domain/content/prompt-file.ts'
import { findSecretOffset } from '../../domain/content/secrets.ts'
import { mendFile } from '../../domain/review/mechanical.ts'
import type { Remark, ReviewGiven } from '../../domain/review/review.ts'
import { isRuleName, RULES, type Severity } from '../../domain/review/review-rules.ts'
import { formatProblem } from '../../domain/text/problems.ts'
import { type Comparison, isPublished, openComparison } from '../content/content-changes.ts'
import type { Findings } from '../content/content-files.ts'
import { groupByRepository, walkContent } from '../content/content-walk.ts'
import { openRepositoryReader } from './review-repository.ts'

/** One thing that a review says. */
export interface ReviewEntry {
  /** As it stands in git, such as `content/acme/code-review/index.md`. */
  file: string
  /** From 1. */
  line: number
  rule: string
  /** What was expected, what came, and how to mend it. */
  message: string
  severity: Severity
}

/** What a review came to. */
export interface Review {
  /** In the order of files and lines. */
  entries: ReviewEntry[]
  /** Files whose spelling was mended. */
  mended: string[]
  ignored: string[]
  files: number
  repositories: number
  /** What the reviewer could not see. */
  notes: string[]
}

/** What to review. */
interface ReviewOrder {
  contentDir: string
  /** The commit that the folder is compared with; without it nothing is taken for new. */
  base?: string | undefined
  /** Whether to mend what is mechanical. Versions that the base has are never touched, and without a base no version is. */
  fix?: boolean
  environment: Readonly<Record<string, string | undefined>>
  /** Whom new versions may name; see ReviewGiven. */
  mayBePublisher?: ReviewGiven['mayBePublisher']
}

/** Reviews a content folder, prompt by prompt: what is kept of each has a fixed size. @throws Error when the base is no commit that is here */
export async function reviewContent({
  contentDir,
  base,
  fix = false,
  environment,
  mayBePublisher,
}: ReviewOrder): Promise<Review> {
  const comparison = base === undefined ? undefined : await openComparison(contentDir, base, environment)
  const mended = fix ? await mendFiles(contentDir, comparison) : []
  const findings: Findings = { problems: [], ignored: [] }
  const reader = openRepositoryReader(contentDir, comparison, { now: new Date(), mayBePublisher })
  const makeEntry = openEntries(contentDir)
  const entries: ReviewEntry[] = []
  for await (const group of groupByRepository(walkContent(contentDir, findings, comparison)))
    entries.push(...tidy((await reader.review(group)).map(makeEntry)))
  entries.unshift(...tidy(findings.problems.map(makeEntry)))
  entries.push(...reader.findLikeness().map(makeEntry))
  return {
    entries: entries.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
    mended,
    ignored: findings.ignored,
    ...reader.count(),
    notes: comparison?.isShallow
      ? ['This clone is shallow: numbers of versions that were deleted long ago are not known here.']
      : [],
  }
}

/** Leaves out what is said twice, and for a text that is certainly a secret the remark that it looks like one. */
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
  for await (const state of walkContent(dir, { problems: [], ignored: [] }, comparison)) {
    const place = state.isHere ? parsePath(state.path).value : undefined
    if (!place || (place.kind === 'version' && (!comparison || isPublished(state)))) continue
    const file = join(dir, state.path)
    const bytes = readFileSync(file)
    const text = bytes.toString()
    const better = Buffer.from(text).equals(bytes) ? mendFile(state.path, text) : undefined
    if (better === undefined) continue
    writeFileSync(file, better)
    mended.push(state.path)
  }
  return mended
}

/** Makes entries of problems; the text of the file that was named last is kept. */
function openEntries(dir: string) {
  let last = { file: '', text: '' }
  const readText = (file: string) => {
    if (last.file !== file) last = { file, text: readOrNothing(join(dir, file.replace(/^content\/?/, ''))) }
    return last.text
  }
  return (problem: Remark): ReviewEntry => {
    const { file, rule, key } = problem
    const isOfFile = [
      'path',
      'regular-file',
      'readable',
      'file-fits',
      'utf-8',
      'version-unchanged',
      'bytes-as-in-git',
      'no-attributes',
    ].includes(rule)
    const text = isOfFile ? '' : readText(file)
    const found =
      rule === 'holds-no-secret' && (key === 'content' || key === 'readme') ? findSecretOffset(text) : undefined
    const line = found === undefined ? findLine(text, problem) : text.slice(0, found).split('\n').length
    if (!isRuleName(rule)) throw new Error(`No rule is called ${rule}.`)
    const { severity, mend } = RULES[rule]
    return { file, line, rule, message: ownText(`${formatProblem(problem)}; ${mend}`), severity }
  }
}

/** Copies a text, because one that was cut out of a longer text keeps all of that in memory. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A file that cannot be read has a problem that says so, and that one names no line.
    return ''
  }
}
