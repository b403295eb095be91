// A process that searches in threads, as our own host does, and prints what each question took. Usage: search-asker.ts PROJECT_DIR INDEX QUESTIONS_FILE
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { quantile } from './measure.ts'
import type { QuestionGroup } from './search-catalogue.ts'

const ROUNDS = 3

/** What was seen, printed as JSON: the median of each question in ms, by group, and the memory of this process before and at most. */
export interface Asked {
  groups: { name: string; isOrdinary: boolean; samples: { text: string; ms: number }[] }[]
  bytes: { before: number; peak: number }
}

const [root = '', path = '', file = ''] = process.argv.slice(2)
const { openSearchThreads } = await import(pathToFileURL(`${root}/src/host/search-threads.ts`).href)
const given: QuestionGroup[] = JSON.parse(readFileSync(file, 'utf8'))
const bytes = { before: process.memoryUsage.rss(), peak: 0 }
setInterval(() => (bytes.peak = Math.max(bytes.peak, process.memoryUsage.rss())), 20).unref()
const search = openSearchThreads(path, { deadlineMs: 60_000, queue: 10 })
await search.warm()
for (const question of given.flatMap(({ questions }) => questions.slice(0, 10))) await search.find(question)
const groups: Asked['groups'] = []
for (const { name, isOrdinary, questions } of given) {
  const samples: Asked['groups'][number]['samples'] = []
  for (const question of questions) {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      await search.find(question)
      rounds.push(performance.now() - started)
    }
    samples.push({ text: question.text, ms: quantile(rounds, 0.5) })
  }
  groups.push({ name, isOrdinary, samples })
}
console.log(JSON.stringify({ groups, bytes } satisfies Asked))
search.close()
