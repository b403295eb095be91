// Measures `npm start`: how soon a change appears in lists, in search and on its page, how readers are affected during the build, and how soon a restarted server responds.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Limit, Measurement } from './measure.ts'
import { PROJECT_DIR, parametersOf, startNode } from './processes.ts'
import { measureReader } from './reader.ts'
import type { BenchSite } from './site.ts'

const FIRST_BUILD_MS = 1_200_000
const DEADLINE_MS = 120_000
/** The prompt to publish. Because it is new, it is listed first with `sort=new`; its owner already has a profile. */
const PUBLISHED = 'synthetic/published-meanwhile'
const ODD_WORD = 'zyzzyva'
/** The number of prompts to which the limits apply. */
const PROMISED_AT = 10_000

/** Measures the Node server while its content changes. */
export async function measureHost(site: BenchSite): Promise<Measurement[]> {
  const limit = (most: number, of: 'measured' | 'ratio' = 'measured'): { limit?: Limit } =>
    site.prompts === PROMISED_AT ? { limit: { of, most } } : {}
  const [first, firstStart] = await timeStart(site, FIRST_BUILD_MS)
  const measurements: Measurement[] = [{ name: 'host: first start → first answer', unit: 's', measured: firstStart }]
  try {
    const read = `/api/v1/repos/${site.catalogue.listed.top[0]!.full_name}`
    const idle = await measureReader(first.port, read, async () => {})
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${first.port}${path}`)).text()
    const publish = async () => {
      publishNew(site)
      const began = performance.now()
      const since = async (change: string, isShown: () => Promise<boolean>) => {
        while (!(await isShown())) {
          if (performance.now() > began + DEADLINE_MS)
            throw new Error(`the change was not shown within ${DEADLINE_MS / 1000} s`)
          await sleep(20)
        }
        const measured = (performance.now() - began) / 1000
        measurements.push({ name: `host: change → ${change}`, unit: 's', measured, ...limit(1) })
      }
      await Promise.all([
        since('first in sort=new', async () => firstOf(await ask('/api/v1/repos?sort=new')) === PUBLISHED),
        since('first in search', async () => firstOf(await ask(`/api/v1/repos?q=${ODD_WORD}`)) === PUBLISHED),
        since('its page', async () => (await ask(`/${PUBLISHED}`)).includes(ODD_WORD)),
      ])
    }
    const busy = await measureReader(first.port, read, publish)
    measurements.push({
      name: 'host: reads meanwhile p99',
      unit: 'ms',
      measured: busy.p99,
      floor: idle.p99,
      ...limit(3, 'ratio'),
      note: `${busy.count} reads; floor: the same while nothing changes`,
    })
  } finally {
    await first.stop()
  }
  const [again, restart] = await timeStart(site, DEADLINE_MS)
  await again.stop()
  return [...measurements, { name: 'host: restart → first answer', unit: 's', measured: restart, ...limit(2) }]
}

/** Adds a new file, as a publish would. */
function publishNew({ settings }: BenchSite): void {
  const file = join(settings.CONTENT_DIR!, PUBLISHED, 'versions/1.0.0.md')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `---\npublished_at: "2026-11-01T00:00:09Z"\npublished_by: synthetic\n---\nAn ${ODD_WORD}.\n`)
}

type Server = Awaited<ReturnType<typeof startNode>>

/** Starts the Node server and waits until it serves a build. @returns the server and how long this took, in seconds */
async function timeStart({ settings }: BenchSite, deadlineMs: number): Promise<[Server, number]> {
  const started = performance.now()
  const server = await startNode(parametersOf('start'), {
    cwd: PROJECT_DIR,
    settings: { ...settings, RATE_LIMIT_PER_MINUTE: '0', LOG_REQUESTS: 'off' },
  })
  while ((await fetch(`http://127.0.0.1:${server.port}/api/v1/repos`)).status !== 200) {
    if (performance.now() - started > deadlineMs) {
      await server.stop()
      throw new Error('the Node server did not serve a build in time')
    }
    await sleep(20)
  }
  return [server, (performance.now() - started) / 1000]
}

function firstOf(answer: string): string | undefined {
  const { data }: { data?: { full_name: string }[] } = JSON.parse(answer)
  return data?.[0]?.full_name
}
