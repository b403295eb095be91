// Owns the review of a content folder: every problem and all advice at once, each with its file, line and rule, and how to mend it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePath } from '../domain/content/content-path.ts'
import { mendFile } from '../domain/content/mechanical.ts'
import { formatProblem, type Problem } from '../domain/content/problems.ts'
import { findLine } from '../domain/content/prompt-file.ts'
import { reviewTree } from '../domain/content/review.ts'
import { isRuleName, RULES, type Severity } from '../domain/content/review-rules.ts'
import { findSecretOffset } from '../domain/content/secrets.ts'
import { readChanges } from './content-changes.ts'
import { openContentDir } from './content-dir.ts'
import { listContentFiles } from './content-files.ts'

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
}

/** Reviews a content folder. @throws Error when the base is no commit that is here */
export async function reviewContent({ contentDir, base, fix = false, environment }: ReviewOrder): Promise<Review> {
  const paths = [...listContentFiles(contentDir, { problems: [], ignored: [] })]
  const compare = () => (base === undefined ? undefined : readChanges(contentDir, base, paths, environment))
  const before = fix ? await compare() : undefined
  const mended = fix ? mendFiles(contentDir, paths, before?.changes.published) : []
  const { tree, problems, ignored, filesRead } = openContentDir(contentDir)()
  const compared = mended.length === 0 && before ? before : await compare()
  const remarks: (Problem & { offset?: number })[] = [
    ...problems,
    ...(compared?.problems ?? []),
    ...reviewTree(tree, compared?.changes),
  ]
  const entries = remarks.map(toEntry(contentDir))
  const seen = new Set<string>()
  const certain = new Set(entries.filter(({ rule }) => rule === 'holds-no-secret').map(placeOf))
  const isSaid = (entry: ReviewEntry) => entry.rule === 'secret' && certain.has(placeOf(entry))
  return {
    entries: entries
      .filter((entry) => !isSaid(entry) && !seen.has(JSON.stringify(entry)) && seen.add(JSON.stringify(entry)))
      .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
    mended,
    ignored,
    files: filesRead,
    repositories: tree.repositories.size,
    notes: compared?.isShallow
      ? ['This clone is shallow: numbers of versions that were deleted long ago are not known here.']
      : [],
  }
}

function placeOf({ file, line }: ReviewEntry): string {
  return `${file}:${line}`
}

function mendFiles(dir: string, paths: readonly string[], published: ReadonlySet<string> | undefined): string[] {
  return paths.filter((path) => {
    const place = parsePath(path).value
    if (!place || (place.kind === 'version' && (!published || published.has(path)))) return false
    const bytes = readFileSync(join(dir, path))
    const text = bytes.toString()
    const mended = Buffer.from(text).equals(bytes) ? mendFile(path, text) : undefined
    if (mended !== undefined) writeFileSync(join(dir, path), mended)
    return mended !== undefined
  })
}

function toEntry(dir: string) {
  let last = { file: '', text: '' }
  const readText = (file: string) => {
    if (last.file !== file) last = { file, text: readOrNothing(join(dir, file.replace(/^content\/?/, ''))) }
    return last.text
  }
  return (problem: Problem & { offset?: number }): ReviewEntry => {
    const { file, rule, key } = problem
    const isOfFile = ['path', 'regular-file', 'readable', 'file-fits', 'utf-8', 'version-unchanged'].includes(rule)
    const text = isOfFile ? '' : readText(file)
    const found =
      rule === 'holds-no-secret' && (key === 'content' || key === 'readme') ? findSecretOffset(text) : undefined
    const line = found === undefined ? findLine(text, problem) : text.slice(0, found).split('\n').length
    if (!isRuleName(rule)) throw new Error(`No rule is called ${rule}.`)
    const { severity, mend } = RULES[rule]
    return { file, line, rule, message: `${formatProblem(problem)}; ${mend}`, severity }
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // What cannot be read has a problem of its own, which names the file alone.
    return ''
  }
}
