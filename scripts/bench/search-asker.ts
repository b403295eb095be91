// A process that searches as our own host does, in threads, and tells what each question took. Usage: search-asker.ts INDEX QUESTIONS_FILE
import { readFileSync } from 'node:fs'
import { openSearchThreads } from '../../src/host/search-threads.ts'
import { quantile } from './measure.ts'
import type { QuestionGroup } from './search-questions.ts'

/** Each question is asked so often; the median counts. */
const ROUNDS = 5
/** Until the code is compiled. */
const WARM_UP = 100

/** What was seen, printed as JSON. */
export interface Asked {
  groups: { name: string; isOrdinary: boolean; samples: { text: string; ms: number; processorMs: number }[] }[]
  /** What it took to start a thread, to open the index in it and to warm it. */
  warmMs: number
  /** What the first question took then. */
  firstMs: number
  /** What this process held before the search was opened, and the most while it was asked. */
  bytes: { before: number; peak: number }
}

const [path = '', file = ''] = process.argv.slice(2)
const given: QuestionGroup[] = JSON.parse(readFileSync(file, 'utf8'))
const bytes = { before: process.memoryUsage.rss(), peak: 0 }
setInterval(() => (bytes.peak = Math.max(bytes.peak, process.memoryUsage.rss())), 20).unref()
const search = openSearchThreads(path, { deadlineMs: 60_000, queue: 10 })
const ask = async (question: QuestionGroup['questions'][number]) => {
  const usage = process.cpuUsage()
  const started = performance.now()
  await search.find(question)
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(usage)
  return { ms, processorMs: (user + system) / 1000 }
}
const started = performance.now()
await search.warm()
const warmMs = performance.now() - started
const first = await ask(given[0]!.questions[0]!)
for (const question of given.flatMap(({ questions }) => questions.slice(0, 10)).slice(0, WARM_UP)) await ask(question)
const groups: Asked['groups'] = []
for (const { name, isOrdinary, questions } of given) {
  const samples: Asked['groups'][number]['samples'] = []
  for (const question of questions) {
    const rounds: Awaited<ReturnType<typeof ask>>[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await ask(question))
    const median = (of: 'ms' | 'processorMs') =>
      quantile(
        rounds.map((one) => one[of]),
        0.5,
      )
    samples.push({ text: question.text, ms: median('ms'), processorMs: median('processorMs') })
  }
  groups.push({ name, isOrdinary, samples })
}
const asked: Asked = { groups, warmMs, firstMs: first.ms, bytes }
console.log(JSON.stringify(asked))
search.close()
