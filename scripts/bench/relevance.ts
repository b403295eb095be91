// Measures relevance: how often the wanted prompt is among the first three results, by class of question. @see tests/relevance/README.md
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { buildCatalogue, type Catalogue } from '../../src/catalogue/catalogue.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import type { RepositoryEntry } from '../../src/domain/content/content-tree.ts'
import { RepositoryFrontMatter } from '../../src/domain/content/front-matter.ts'
import { measure } from '../../src/files/measure.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import { buildSearchIndex } from '../../src/search/write-index.ts'
import type { Measurement } from './measure.ts'
import { PROJECT_DIR } from './processes.ts'

const BASE_URL = 'http://localhost:8888'
const DAY = '2026-11-21'
/** Prompts published on or after this day have no grades, because they are newer than the questions. */
const LAST_GRADED = '2026-11-22'
/** The grade of the wanted prompt; lower grades are acceptable or related. */
const WANTED = 3
/** Minimum share of found prompts in the set-aside half, by class and for all questions. */
const MIN_SHARES: Readonly<Record<string, number>> = { abbreviation: 0.8, all: 0.93 }
const MIN_SHARE_OF_OTHERS = 0.9

type Question = Record<'q' | 'catalogue' | 'class' | 'half', string> & { grades: Record<string, number> }

/** A prompt with one version. */
type ShortPrompt = Record<'owner' | 'name' | 'title' | 'description' | 'content', string> & { tags: string[] }

const read = (file: string) => readFileSync(`${PROJECT_DIR}tests/relevance/${file}`, 'utf8')

/** Reads the questions of `questions.csv` or `tuning.csv`. */
export function readQuestions(file: string): Question[] {
  const rows = parse<Record<keyof Question, string>>(read(file), { columns: true })
  return rows.map((row) => {
    const grades = row.grades.split(' ').map((grade) => grade.split('='))
    return { ...row, grades: Object.fromEntries(grades.map(([name, grade]) => [name, Number(grade)])) }
  })
}

/** Reads all questions, including those used only for tuning. */
export const readAllQuestions = (): Question[] => ['questions.csv', 'tuning.csv'].flatMap(readQuestions)

/** Reads both of the questions' catalogues, with the maintainers' synonyms. Starter prompts newer than the questions have no grades and are omitted. */
export function readCatalogues(): Record<'starter' | 'second', Catalogue> {
  const { tree } = readContentDir(`${PROJECT_DIR}content`)
  const graded = [...tree.repositories].filter(([, { versions }]) =>
    versions.some((one) => one.published_at < LAST_GRADED),
  )
  const starter = buildCatalogue({ ...tree, repositories: new Map(graded) }, { baseUrl: BASE_URL, day: DAY })
  return { starter, second: catalogueOf(JSON.parse(read('catalogue.json')), tree.equivalents) }
}

/** Builds a catalogue of such prompts. */
export function catalogueOf(prompts: readonly ShortPrompt[], equivalents: Catalogue['equivalents']): Catalogue {
  const repositories = new Map<string, RepositoryEntry>()
  for (const { owner, name, content, ...index } of prompts) {
    const version = { version: '1.0.0', published_at: `${DAY}T00:00:00Z`, published_by: owner, changelog: '', content }
    const file = { ...RepositoryFrontMatter.parse(index), readme: '' }
    const versions = [{ ...version, ...measure(content), format: 'text' as const, variables: [], parameters: {} }]
    repositories.set(`${owner}/${name}`, { owner, name, file, versions })
  }
  const tree = { owners: new Map(), usage: new Map(), repositories, equivalents, models: new Map() }
  return buildCatalogue(tree, { baseUrl: BASE_URL, day: DAY })
}

/** Runs every question. Missed questions are not listed, because whoever tunes the search must not know them. */
export async function measureRelevance(): Promise<Measurement[]> {
  const questions = readAllQuestions()
  const found = await findWanted(questions)
  return ['tuning', 'aside'].flatMap((half) =>
    ['all', ...new Set(questions.map((one) => one.class))].flatMap((kind): Measurement[] => {
      const asked = questions.filter((one) => one.half === half && [one.class, 'all'].includes(kind))
      if (asked.length === 0) return []
      const least = MIN_SHARES[kind] ?? MIN_SHARE_OF_OTHERS
      return [
        {
          name: `relevance: wanted prompt in the first three, ${half}, ${kind}`,
          unit: 'share',
          measured: asked.filter((one) => found.has(one)).length / asked.length,
          ...(half === 'aside' && { limit: { of: 'measured', least } }),
          note: `${asked.length} questions`,
        },
      ]
    }),
  )
}

/** Finds the questions whose wanted prompt is among the first three results. */
async function findWanted(questions: readonly Question[]): Promise<ReadonlySet<Question>> {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-relevance-'))
  const found = new Set<Question>()
  for (const [name, catalogue] of Object.entries(readCatalogues())) {
    const path = join(dir, `${name}.db`)
    buildSearchIndex(catalogue, path)
    const search = openSearchIndex(path)
    for (const question of questions.filter((one) => one.catalogue === name)) {
      const { matches } = await search.find({ text: question.q, tags: [], sort: undefined, offset: 0, limit: 3 })
      const wanted = Math.min(WANTED, Math.max(...Object.values(question.grades)))
      if (matches.some(({ full_name }) => (question.grades[full_name] ?? 0) >= wanted)) found.add(question)
    }
    search.close()
  }
  rmSync(dir, { recursive: true })
  return found
}
