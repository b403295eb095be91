// Owns measuring relevance: success in the first three, mean reciprocal rank and nDCG by class, ours beside three floors, and what got worse.

import { type RelevanceQuestion, readCatalogues, readQuestions } from './relevance-data.ts'
import { type CompareSearch, openSearches } from './relevance-searches.ts'

/** What was looked for; other grades do as well, or are related. */
const WANTED = 3
const HALVES = ['tuning', 'aside'] as const
/** Of every class, so much of the set-aside half must have what was wanted in the first three. */
const LEAST_SUCCESS = 0.9

interface Score {
  success: number
  reciprocalRank: number
  gain: number
}

/** A question with what each search made of it. */
interface Judged {
  question: RelevanceQuestion
  scores: Record<string, Score>
}

/** The result as text for people, and whether the set-aside half is good enough. */
export interface RelevanceReport {
  text: string
  isKept: boolean
}

/** Puts every question to every search. @see tests/relevance/README.md */
export async function measureRelevance(): Promise<RelevanceReport> {
  const catalogues = readCatalogues()
  const searches = { starter: openSearches(catalogues.starter), second: openSearches(catalogues.second) }
  const judged: Judged[] = []
  for (const question of readQuestions()) {
    const scores: Record<string, Score> = {}
    for (const [name, search] of Object.entries(searches[question.catalogue]))
      scores[name] = await judgeAnswer(question, search)
    judged.push({ question, scores })
  }
  const worse = judged.filter(({ scores }) => scores.ours!.reciprocalRank < scores.before!.reciprocalRank)
  const missed = judged.filter(({ question, scores }) => question.half === 'aside' && scores.ours!.success === 0)
  const aside = groupByClass(judged.filter(({ question }) => question.half === 'aside'))
  const failed = [...aside].filter(([, group]) => mean(group, 'ours', 'success') < LEAST_SUCCESS).map(([name]) => name)
  return {
    text: [
      ...HALVES.map((half) =>
        formatHalf(
          half,
          judged.filter(({ question }) => question.half === half),
        ),
      ),
      `Worse than before: ${worse.length}`,
      ...worse.map(({ question: { q, half, class: kind }, scores }) => {
        const ranks = [scores.before!, scores.ours!].map(({ reciprocalRank }) => sayRank(reciprocalRank))
        return `  ${half}, ${kind}: ${JSON.stringify(q)}: ${ranks.join(' → ')}`
      }),
      // Not which they are: whoever tunes search must not know them (tests/relevance/README.md).
      `Not in the first three, set aside: ${missed.length}`,
      failed.length === 0
        ? `Every class of the set-aside half: at least ${LEAST_SUCCESS} in the first three.`
        : `Below ${LEAST_SUCCESS} in the first three: ${failed.join(', ')}.`,
    ].join('\n'),
    isKept: failed.length === 0,
  }
}

async function judgeAnswer({ q, grades }: RelevanceQuestion, search: CompareSearch): Promise<Score> {
  const found = (await search(q)).map((name) => grades[name] ?? 0)
  const best = Math.max(...Object.values(grades))
  const rank = found.findIndex((grade) => grade >= Math.min(WANTED, best)) + 1
  const ideal = Object.values(grades).sort((a, b) => b - a)
  return {
    success: rank > 0 && rank <= 3 ? 1 : 0,
    reciprocalRank: rank === 0 ? 0 : 1 / rank,
    gain: gainOf(found) / gainOf(ideal),
  }
}

/** Discounted cumulative gain of the first ten. https://en.wikipedia.org/wiki/Discounted_cumulative_gain */
function gainOf(grades: readonly number[]): number {
  return grades.slice(0, 10).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0)
}

function sayRank(reciprocalRank: number): string {
  return reciprocalRank === 0 ? 'not found' : `place ${Math.round(1 / reciprocalRank)}`
}

function groupByClass(judged: readonly Judged[]): Map<string, Judged[]> {
  const groups = new Map<string, Judged[]>()
  for (const one of judged) groups.set(one.question.class, [...(groups.get(one.question.class) ?? []), one])
  return groups
}

function mean(judged: readonly Judged[], search: string, measure: keyof Score): number {
  return judged.reduce((sum, { scores }) => sum + scores[search]![measure], 0) / judged.length
}

/** success@3, MRR and nDCG@10 of each search, a line a class. */
function formatHalf(half: string, judged: readonly Judged[]): string {
  const names = Object.keys(judged[0]?.scores ?? {})
  const cells = (group: readonly Judged[]) =>
    names.map((name) =>
      (['success', 'reciprocalRank', 'gain'] as const)
        .map((measure) => mean(group, name, measure).toFixed(2))
        .join(' '),
    )
  const rows = [
    [`${half}: success@3, MRR, nDCG@10`, 'questions', ...names],
    ...[...groupByClass(judged)].map(([name, group]) => [name, String(group.length), ...cells(group)]),
    ['all', String(judged.length), ...cells(judged)],
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return `${rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`
}
