// Measures relevance: how often what was wanted is among the first three, by class, beside another version of the search. @see tests/relevance/README.md
import { hash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readConfig } from '../../src/config.ts'
import { buildCatalogue, type Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import type { RepositoryEntry } from '../../src/domain/content/content-tree.ts'
import { RepositoryFrontMatter } from '../../src/domain/content/front-matter.ts'
import { openCatalogue } from '../../src/site/build/load-catalogue.ts'
import { PROJECT_DIR } from './site.ts'

const BASE_URL = 'http://localhost:8888'
const DAY = '2026-11-21'
/** The grade of what was looked for; lower grades do as well, or are related. */
const WANTED = 3
/** What each class, or all questions, of the set-aside half must reach. */
const MIN_SHARES: Readonly<Record<string, number>> = { abbreviation: 0.8, all: 0.93 }
const MIN_SHARE_OF_OTHERS = 0.9

type Question = Record<'q' | 'catalogue' | 'class' | 'half', string> & { grades: Record<string, number> }
type SearchModules = typeof import('../../src/stores/search/write-index.ts') &
  typeof import('../../src/stores/search/open-index.ts')

/** Loads the search of a version. @param root its project folder */
export async function loadSearch(root: string): Promise<SearchModules> {
  const load = (file: string) => import(pathToFileURL(`${root}/src/stores/search/${file}.ts`).href)
  return { ...(await load('write-index')), ...(await load('open-index')) }
}

/** A prompt of one version. */
type ShortPrompt = Record<'owner' | 'name' | 'title' | 'description' | 'content', string> & { tags: string[] }

const read = (file: string) => JSON.parse(readFileSync(`${PROJECT_DIR}tests/relevance/${file}`, 'utf8'))
/** Every question, those that were added for tuning alone too. */
export const readQuestions = (): Question[] => [...read('questions.json'), ...read('tuning.json')]

/** Both catalogues of the questions, with the equivalents that maintainers own. */
export function readCatalogues(): Record<'starter' | 'second', Catalogue> {
  const settings = { CONTENT_DIR: `${PROJECT_DIR}content`, SITE_URL: BASE_URL }
  const starter = openCatalogue(readConfig(settings)).load().catalogue
  return { starter, second: catalogueOf(read('catalogue.json'), starter.equivalents) }
}

/** The catalogue of such prompts. */
export function catalogueOf(prompts: readonly ShortPrompt[], equivalents: Catalogue['equivalents']): Catalogue {
  const repositories = new Map<string, RepositoryEntry>()
  for (const { owner, name, content, ...index } of prompts) {
    const version = { version: '1.0.0', published_at: `${DAY}T00:00:00Z`, published_by: owner, changelog: '', content }
    const size = { content_sha256: hash('sha256', content), size_bytes: Buffer.byteLength(content) }
    const file = { ...RepositoryFrontMatter.parse(index), readme: '' }
    const versions = [{ ...version, ...size, format: 'text' as const, variables: [], parameters: {} }]
    repositories.set(`${owner}/${name}`, { owner, name, file, versions })
  }
  const tree = { owners: new Map(), usage: new Map(), repositories, equivalents }
  return buildCatalogue(tree, { baseUrl: BASE_URL, day: DAY })
}

/** Puts every question to the search, and to that of another version. @param beside the folder of that version */
export async function measureRelevance(beside: string | undefined): Promise<{ text: string; isKept: boolean }> {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-relevance-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const engines = Object.entries({ ours: PROJECT_DIR, ...(beside && { beside }) })
  /** By half, class and engine: 1 for each question that was answered among the first three, 0 for any other. */
  const scores = new Map<string, number[]>()
  for (const [engine, root] of engines) {
    const { buildSearchIndex, openSearchIndex } = await loadSearch(root)
    for (const [name, catalogue] of Object.entries(readCatalogues())) {
      const path = join(dir, `${engine}-${name}.db`)
      buildSearchIndex(catalogue, path)
      const search = openSearchIndex(path)
      for (const { q, half, class: kind, grades } of readQuestions().filter((one) => one.catalogue === name)) {
        const { matches } = await search.find({ text: q, tags: [], sort: undefined, offset: 0, limit: 3 })
        const wanted = Math.min(WANTED, Math.max(...Object.values(grades)))
        const isFound = matches.some(({ full_name }) => (grades[full_name] ?? 0) >= wanted)
        for (const key of [`${half} ${kind} ${engine}`, `${half} all ${engine}`])
          scores.set(key, [...(scores.get(key) ?? []), Number(isFound)])
      }
      search.close()
    }
  }
  const share = (key: string) => scores.get(key)!.reduce((sum, one) => sum + one, 0) / scores.get(key)!.length
  const classes = [...new Set(scores.keys().map((key) => key.split(' ')[1]!))]
  const failed = classes.filter((kind) => share(`aside ${kind} ours`) < (MIN_SHARES[kind] ?? MIN_SHARE_OF_OTHERS))
  const rows = ['tuning', 'aside'].flatMap((half) =>
    classes.map((kind) => {
      const cells = engines.map(([engine]) => `${engine} ${share(`${half} ${kind} ${engine}`).toFixed(3)}`)
      const questions = String(scores.get(`${half} ${kind} ours`)!.length)
      return [half.padEnd(7), kind.padEnd(20), questions.padStart(4), ...cells].join('  ')
    }),
  )
  // Not which questions: whoever tunes search must not know them (tests/relevance/README.md).
  const verdict =
    failed.length > 0 ? `Too low: ${failed.join(', ')}.` : 'Every class of the set-aside half is good enough.'
  return { text: ['Wanted prompt among the first three', ...rows, verdict].join('\n'), isKept: failed.length === 0 }
}
