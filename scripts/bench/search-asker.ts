// A process that searches in threads, as our own host does, and prints what each question took. Usage: search-asker.ts PROJECT_DIR INDEX QUESTIONS_FILE
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { quantile, timeAsync } from './measure.ts'
import type { QuestionGroup } from './search-catalogue.ts'

const ROUNDS = 3

/** What was seen, printed as JSON: the median of each question in ms, by group, and the memory that searching added. */
export interface Asked {
  groups: { name: string; isOrdinary: boolean; samples: { text: string; ms: number }[] }[]
  addedBytes: number
}

const [root = '', path = '', file = ''] = process.argv.slice(2)
const { openSearchThreads } = await import(pathToFileURL(`${root}/src/host/search-threads.ts`).href)
const given: QuestionGroup[] = JSON.parse(readFileSync(file, 'utf8'))
const before = process.memoryUsage.rss()
const asked: Asked = { groups: [], addedBytes: 0 }
const search = openSearchThreads(path, { deadlineMs: 60_000, queue: 10 })
for (const question of given.flatMap(({ questions }) => questions.slice(0, 10))) await search.find(question)
for (const { questions, ...group } of given) {
  const samples: Asked['groups'][number]['samples'] = []
  for (const question of questions) {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await timeAsync(() => search.find(question)))
    samples.push({ text: question.text, ms: quantile(rounds, 0.5) })
  }
  asked.groups.push({ ...group, samples })
  asked.addedBytes = Math.max(asked.addedBytes, process.memoryUsage.rss() - before)
}
console.log(JSON.stringify(asked))
search.close()
