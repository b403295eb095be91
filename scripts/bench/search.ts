// Owns measuring the search: opening the index, and answering questions beside the statements of a plain FTS5 table that finds whole words.
import { DatabaseSync } from 'node:sqlite'
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { splitWords } from '../../src/domain/search/words.ts'
import { openSearchIndex } from '../../src/stores/search-sqlite.ts'
import { type Measurement, quantile, time, timeAsync } from './measure.ts'
import { between, pick, seedRandom } from './random.ts'
import { mistype } from './search-questions.ts'
import type { BenchSite } from './site.ts'

const OPENINGS = 25
const QUESTIONS = 400
const ROUNDS = 5
const PAGE = { offset: 0, limit: 20 }

/** A question as a reader types it, and the same thing as SQLite takes it. */
interface Question {
  text: string
  tags: string[]
  match: string
  hasTypo: boolean
}

/** With fewer, the bare statements take a tenth of a millisecond, and what a question costs whatever it finds is most of it. */
const FEWEST_PROMISED = 1_000

/** Measures opening and answering. */
export async function measureSearch({ indexPath, catalogue, prompts }: BenchSite): Promise<Measurement[]> {
  const isPromised = prompts >= FEWEST_PROMISED
  const opening = measureOpening(indexPath)
  const search = openSearchIndex(indexPath)
  const bare = openBare(catalogue)
  try {
    const questions: Question[] = []
    for (const question of inventQuestions(catalogue)) {
      const { match, tags, text, hasTypo } = question
      const { total } = await search.find({ text, tags, sort: undefined, ...PAGE })
      // The floor must find something too; and what is meant to be mistyped must not be a word by chance.
      const isFair = hasTypo
        ? bare.count(prefixed(splitWords(text)), tags) === 0 && total > 0
        : bare.count(match, tags) > 0 && total > 0
      if (isFair) questions.push(question)
    }
    const samples = questions.map((question) => ({ question, ours: [] as number[], floor: [] as number[] }))
    for (let round = 0; round < ROUNDS; round++) {
      for (const { question, ours, floor } of samples) {
        const { text, tags, match } = question
        const ask = async () => ours.push(await timeAsync(() => search.find({ text, tags, sort: undefined, ...PAGE })))
        const askBare = async () => floor.push(time(() => bare.find(match, tags)))
        // Whoever asks second finds the pages of the index in memory, so they take turns at that as well.
        for (const work of round % 2 === 0 ? [ask, askBare] : [askBare, ask]) await work()
      }
    }
    const compare = (hasTypo: boolean, share: number) => {
      const chosen = samples.filter(({ question }) => question.hasTypo === hasTypo)
      return {
        measured: quantile(
          chosen.flatMap(({ ours }) => ours),
          share,
        ),
        floor: quantile(
          chosen.flatMap(({ floor }) => floor),
          share,
        ),
        note: `${chosen.length} questions; floor: bare statements`,
      }
    }
    return [
      opening,
      {
        name: 'search: answer p50',
        unit: 'ms',
        ...compare(false, 0.5),
        ...(isPromised && { limit: { of: 'ratio', most: 1.5 } as const }),
      },
      { name: 'search: answer p95', unit: 'ms', ...compare(false, 0.95) },
      { name: 'search: mistyped p50', unit: 'ms', ...compare(true, 0.5) },
      { name: 'search: mistyped p95', unit: 'ms', ...compare(true, 0.95) },
    ]
  } finally {
    search.close()
    bare.close()
  }
}

function measureOpening(indexPath: string): Measurement {
  const open = () => openSearchIndex(indexPath).close()
  const openBare = () => new DatabaseSync(indexPath, { readOnly: true }).close()
  const samples = Array.from({ length: OPENINGS }, () => ({ ours: time(open), floor: time(openBare) }))
  return {
    name: 'search: open',
    unit: 'ms',
    measured: quantile(
      samples.map(({ ours }) => ours),
      0.5,
    ),
    floor: quantile(
      samples.map(({ floor }) => floor),
      0.5,
    ),
    limit: { of: 'measured', most: 5 },
    note: 'floor: opening the file',
  }
}

/** A plain FTS5 table of the same prompts, in memory: how many match, which are the best twenty, and their summaries. */
function openBare({ listed, entries }: Catalogue) {
  const database = new DatabaseSync(':memory:')
  database.exec(`
    CREATE TABLE repositories (id INTEGER PRIMARY KEY, summary TEXT NOT NULL);
    CREATE TABLE repository_tags (tag TEXT NOT NULL, repository INTEGER NOT NULL, PRIMARY KEY (tag, repository)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE words USING fts5(full_name, title, tags, description, readme, content, content='', tokenize='ascii');
  `)
  const insertSummary = database.prepare('INSERT INTO repositories VALUES (?, ?)')
  const insertTag = database.prepare('INSERT INTO repository_tags VALUES (?, ?)')
  const insertWords = database.prepare(
    'INSERT INTO words(rowid, full_name, title, tags, description, readme, content) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const [index, summary] of listed.top.entries()) {
    const { readme, content } = entries.get(summary.full_name)!.repository
    const texts = [summary.full_name, summary.title, summary.tags.join(' '), summary.description, readme, content ?? '']
    insertSummary.run(index + 1, JSON.stringify(summary))
    for (const tag of summary.tags) insertTag.run(tag, index + 1)
    insertWords.run(index + 1, ...texts.map((text) => splitWords(text).join(' ')))
  }
  const tagged = 'AND +words.rowid IN (SELECT repository FROM repository_tags WHERE tag = ?)'
  const [plainStatements, taggedStatements] = ['', tagged].map((condition) => ({
    count: database.prepare(`SELECT count(*) AS total FROM words WHERE words MATCH ? ${condition}`),
    page: database.prepare(
      `SELECT rowid AS id FROM words WHERE words MATCH ? ${condition} ORDER BY bm25(words, 10.0, 10.0, 6.0, 4.0, 2.0, 1.0), rowid LIMIT 20`,
    ),
  }))
  const summary = database.prepare('SELECT summary FROM repositories WHERE id = ?')
  const statementsFor = (tags: readonly string[]) => (tags.length === 0 ? plainStatements! : taggedStatements!)
  const count = (match: string, tags: readonly string[]) => Number(statementsFor(tags).count.get(match, ...tags)?.total)
  return {
    count,
    find(match: string, tags: readonly string[]) {
      if (count(match, tags) === 0) return []
      return statementsFor(tags)
        .page.all(match, ...tags)
        .map(({ id }) => summary.get(id!))
    },
    close: () => database.close(),
  }
}

/** Words that stand together in some prompt, so that most questions find something, as they do in life. */
function inventQuestions({ entries, listed }: Catalogue): Question[] {
  const random = seedRandom(7)
  return Array.from({ length: QUESTIONS }, () => {
    const { repository } = entries.get(pick(random, listed.top).full_name)!
    const names = splitWords(`${repository.title} ${repository.name}`)
    const others = splitWords(repository.content ?? '').filter((word) => word.length > 4)
    const draw = () => pick(random, others.length > 0 && random() < 0.3 ? others : names)
    const words = Array.from({ length: between(random, 1, 3) }, draw)
    const kind = random()
    const last = words.at(-1)!
    if (kind < 0.3 && last.length > 4) words[words.length - 1] = last.slice(0, between(random, 3, last.length - 1))
    const tags = kind > 0.8 && repository.tags.length > 0 ? [pick(random, repository.tags)] : []
    const place = words.findIndex((word) => word.length > 5)
    const hasTypo = kind > 0.6 && kind < 0.8 && place >= 0
    const match = prefixed(words)
    const typed = hasTypo ? words.with(place, mistype(words[place]!, random)) : words
    return { text: typed.join(' '), tags, match, hasTypo }
  })
}

/** Every word, the last one as a prefix. docs/contract.md section 4. */
function prefixed(words: readonly string[]): string {
  return `${words.map((word) => `"${word}"`).join(' AND ')} *`
}
