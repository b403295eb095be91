// Measures what the threads for work on texts cost an ordinary request: the same jobs in place are the baseline.
import { openTextThreads } from '../../packages/node-server/text-threads.ts'
import type { TextWork } from '../../src/ports/text-work.ts'
import { TEXT_WORK_IN_PLACE } from '../../src/wiring/text-jobs.ts'
import { type Measurement, quantile, timeAsync } from './measure.ts'

const RUNS = 300
const BASE_URL = 'https://hub.test'
const PLACE = { owner: 'acme', name: 'review' }
const NOTHING = { prompts: 0, bytes: 0 }
const HUB = { baseUrl: BASE_URL, around: { isOriginKnown: true, usage: NOTHING, quota: NOTHING } }
const CLOCK = { nowMs: Date.parse('2026-11-20T10:00:00Z'), isShared: false }
const PUBLISHER = { published_by: 'octocat', clock: CLOCK, provenance: undefined }
const PARAGRAPH = 'Review this {{language}} change, and list each *problem* with its [line](https://example.com).\n\n'

/** The records of a prompt. */
type Records = Awaited<ReturnType<typeof publish>>

/** The jobs of each kind of request. */
const REQUESTS: Readonly<Record<string, (text: TextWork, content: string, records: Records) => Promise<unknown>>> = {
  'page with a readme': (text, content, { repository }) =>
    Promise.all([
      text.run('renderTexts', [content], repository.variables),
      text.run('renderMarkdown', content, { title: 'Review' }),
    ]),
  export: (text, _content, { repository, record }) => text.run('exportVersion', 'prompty', repository, record),
  publish,
}

/** Runs the jobs of a publish of a second version. */
async function publish(text: TextWork, content: string) {
  const latest = `---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\n---\n${content}Before`
  const index = '---\ntitle: Review\ndescription: Finds problems in a change.\ntags: [code]\n---\nA readme.\n'
  const body = await text.run('parsePublish', JSON.stringify({ content, changelog: 'Bench' }))
  const state = await text.run('readState', { ...PLACE, versions: ['1.0.0'], index })
  const { record, version, file } = await text.run(
    'decidePublish',
    body,
    state,
    { text: latest, files: [] },
    PUBLISHER,
    { ...HUB, parts: [] },
  )
  const parts = { ...PLACE, file, versions: [], latest: version, results: [], stats: null }
  return { record, repository: await text.run('describeRepository', parts, BASE_URL) }
}

/** Measures the jobs in threads and in place, in turns. */
export async function measureTexts(): Promise<Measurement[]> {
  const threads = openTextThreads()
  const text = threads.forClient('192.0.2.1')
  const measurements: Measurement[] = []
  try {
    for (const bytes of [1_500, 20_000])
      for (const [name, request] of Object.entries(REQUESTS)) {
        const content = PARAGRAPH.repeat(Math.ceil(bytes / PARAGRAPH.length))
        const records = await publish(TEXT_WORK_IN_PLACE, content)
        const samples: [inThreads: number[], inPlace: number[]] = [[], []]
        for (let run = 0; run < RUNS; run++) {
          samples[0].push(await timeAsync(() => request(text, content, records)))
          samples[1].push(await timeAsync(() => request(TEXT_WORK_IN_PLACE, content, records)))
        }
        const [inThreads, inPlace] = samples.map((times) => quantile(times, 0.5)) as [number, number]
        measurements.push({
          ...{ name: `texts: ${name} of ${bytes} bytes`, unit: 'ms', measured: inThreads, floor: inPlace },
          note: `p99 ${quantile(samples[0], 0.99).toFixed(2)} ms; floor: in place`,
        })
      }
    return measurements
  } finally {
    threads.close()
  }
}
