// Measures what the prompts of one owner, each as large as the limits allow, cost everybody else: how long another reader waits while somebody reads them, and how soon another owner's update is listed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { filesInto } from '../../src/content/write-files.ts'
import { formatPath } from '../../src/domain/content/content-path.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { ask, callTool, publishTo } from './hostile-clients.ts'
import { type HostileHub, startHostileHub } from './hostile-hub.ts'
import { type Measurement, quantile } from './measure.ts'
import { measureReader } from './reader.ts'
import { WORST_LINES, worstFiles } from './worst-skills.ts'

const MAX_WAIT_MS = 250
/** An update is listed as fast with the hostile prompt as without, up to what differs from run to run. */
const MAX_RATIO = 2
/** The hostile client's and the other reader's IP addresses. */
const [HOSTILE, READER] = ['127.0.3.1', '127.0.0.2']
const OWNER = 'attacker'
/** As many as a version may include. */
const LONG_PROMPTS = 16
/** One fewer than there can be, so that another one can be published. */
const VERSIONS = LIMITS.versionsPerRepository - 1
/** What a skill can do is kept for each version, so a client asks for each once. */
const SKILL_VERSIONS = 3
const READ_MS = 6_000
/** The requests of the client at a time. */
const AT_ONCE = 4
const UPDATES = 8
const LISTED_MS = 120_000

const versionFile = (more: string, content: string) =>
  `---\npublished_at: "2026-09-20T10:00:00Z"\npublished_by: ${OWNER}\n${more}---\n${content}\n`

/** Writes prompts with as many versions as there can be, each with as long a changelog. */
function writeLongPrompts(content: string): void {
  const write = filesInto(content)
  for (let prompt = 0; prompt < LONG_PROMPTS; prompt++)
    for (let minor = 0; minor < VERSIONS; minor++) {
      const place = { kind: 'version', owner: OWNER, name: `long-${prompt}`, version: `1.${minor}.0` } as const
      const changelog = `changelog: "${'\u{1f600}'.repeat(LIMITS.changelogCharacters - 10)}${minor}"\n`
      write(formatPath(place), versionFile(changelog, `Text ${prompt} ${minor}`))
    }
}

/** Writes the largest skills of the texts in which the rules for capabilities look longest, each in versions with other bytes. */
function writeLargeSkills(content: string): void {
  const write = filesInto(content)
  for (const [skill, line] of WORST_LINES.entries())
    for (let minor = 0; minor < SKILL_VERSIONS; minor++) {
      const place = { owner: OWNER, name: `skill-${skill}`, version: `1.${minor}.0` } as const
      const more = 'skill: {description: Does one thing. Use it to measure.}\n'
      write(formatPath({ kind: 'version', ...place }), versionFile(more, `Text ${skill} ${minor}`))
      for (const { path, bytes } of worstFiles(line)) {
        const other = Buffer.concat([Buffer.from(`${minor}\n`), bytes]).subarray(0, bytes.length)
        write(formatPath({ kind: 'file', ...place, path }), other)
      }
    }
}

/** Variables with other names in each version, as large as they may be. */
const largeVariables = (number: number) =>
  Array.from({ length: 64 }, (_, index) => ({
    name: `v${number}_${index}`,
    description: 'd'.repeat(100),
    required: false,
    default: 'x'.repeat(390),
    example: 'y'.repeat(390),
  }))
const placeholders = (number: number) =>
  largeVariables(number)
    .map(({ name }) => `{{${name}}}`)
    .join(' ')

function writeLargeVariables(content: string, versions: number): void {
  const write = filesInto(content)
  for (let minor = 0; minor < versions; minor++) {
    const place = { kind: 'version', owner: OWNER, name: 'large', version: `1.${minor}.0` } as const
    const variables = largeVariables(minor).map((each) => `  - ${JSON.stringify(each)}\n`)
    write(formatPath(place), versionFile(`variables:\n${variables.join('')}`, placeholders(minor)))
  }
}

/** The requests of one anonymous client, each for something that the hub has not just made. */
const READS: Readonly<Record<string, (hub: Client, count: number) => Promise<{ status: number }>>> = {
  'the page of a prompt': (hub, count) => ask(hub, `/${OWNER}/long-${count % LONG_PROMPTS}?${count}`),
  'the page of a version': (hub, count) => ask(hub, `/${OWNER}/long-${count % LONG_PROMPTS}/v/1.${count % VERSIONS}.0`),
  'pages of versions': (hub, count) => ask(hub, `/${OWNER}/long-${count % LONG_PROMPTS}/versions/${2 + (count % 19)}`),
  comparisons: (hub, count) =>
    ask(hub, `/${OWNER}/long-${count % LONG_PROMPTS}/compare/1.${count % 400}.0...1.${400 + (count % 400)}.0`),
  feeds: (hub, count) => ask(hub, `/${OWNER}/long-${count % LONG_PROMPTS}/feed.xml`),
  'lists of versions': (hub, count) =>
    ask(hub, `/api/v1/repos/${OWNER}/long-${count % LONG_PROMPTS}/versions?page=${1 + (count % 10)}`),
  activity: (hub, count) => ask(hub, `/api/v1/repos/${OWNER}/long-${count % LONG_PROMPTS}/activity`),
  'get_prompt over MCP': (hub, count) =>
    callTool(hub, 'get_prompt', { owner: OWNER, name: `long-${count % LONG_PROMPTS}` }),
  'list_versions over MCP': (hub, count) =>
    callTool(hub, 'list_versions', { owner: OWNER, name: `long-${count % LONG_PROMPTS}`, limit: 100, page: 3 }),
  'checks with 16 includes': (hub, count) => {
    const lines = Array.from({ length: 16 }, (_, prompt) => `{{include "${OWNER}/long-${prompt}@^1"}}`)
    const body = { content: `${lines.join('\n')}\nCheck ${count}\n`, compose: true }
    return ask(hub, `/api/v1/repos/${OWNER}/check-it/check`, { body })
  },
  'what the largest skills can do': (hub, count) => {
    const [skill, minor] = [count % WORST_LINES.length, Math.floor(count / WORST_LINES.length) % SKILL_VERSIONS]
    return ask(hub, `/api/v1/repos/${OWNER}/skill-${skill}/versions/1.${minor}.0/capabilities`)
  },
  'changes.json': (hub, count) => ask(hub, `/data/v1/repos/${OWNER}/long-${count % LONG_PROMPTS}/changes.json`),
  'versions.json': (hub, count) => ask(hub, `/data/v1/repos/${OWNER}/long-${count % LONG_PROMPTS}/versions.json`),
}

type Client = Pick<HostileHub, 'port'> & { from: string }

/** Measures both. @param dir a new folder for the hubs */
export async function measureHostilePrompts(dir: string, prompts: number): Promise<Measurement[]> {
  const waits = await measureWaits(join(dir, 'long'), prompts)
  return [...waits, ...(await measureUpdates(dir, prompts))]
}

async function measureWaits(dir: string, prompts: number): Promise<Measurement[]> {
  const hub = await startHostileHub(dir, prompts, (content) => {
    writeLongPrompts(content)
    writeLargeSkills(content)
  })
  const path = `/data/v1/repos/${hub.prompt}.json`
  const measurements: Measurement[] = []
  const read = async (work: () => Promise<unknown>, name: string) => {
    const idle = await measureReader(hub.port, path, async () => {}, READER)
    const waits = await measureReader(hub.port, path, work, READER)
    measurements.push({
      name: `hostile prompts: ${name}`,
      unit: 'ms',
      measured: waits.worst,
      floor: idle.worst,
      limit: { of: 'measured', most: MAX_WAIT_MS },
      note: `worst of ${waits.count} reads; p50 ${show(waits.p50)}, p99 ${show(waits.p99)}; idle p50 ${show(idle.p50)}, p99 ${show(idle.p99)} ms`,
    })
  }
  try {
    for (const [index, [name, request]] of Object.entries(READS).entries()) {
      const client = { port: hub.port, from: `127.0.3.${index + 1}` }
      await request(client, 0)
      const statuses = new Map<number, number>()
      await read(async () => {
        const end = performance.now() + READ_MS
        let count = 1
        const ask = async () => {
          while (performance.now() < end) {
            const { status } = await request(client, count++)
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            // What is over the rate limit costs nothing, and would only fill the sample.
            if (status === 429) await sleep(500)
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, ask))
      }, name)
      const last = measurements.at(-1)!
      last.note = `${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}; ${last.note}`
    }
    await read(async () => {
      await publishTo({ ...hub, from: HOSTILE }, `${OWNER}/long-0`, { content: 'Another text.' })
    }, 'a publish of the last version')
    return measurements
  } finally {
    await hub.stop()
  }
}

const show = (ms: number) => ms.toFixed(1)

/** Measures how soon an update is listed: without a hostile prompt, with one, and with one that is published to every two seconds. */
async function measureUpdates(dir: string, prompts: number): Promise<Measurement[]> {
  const cases = await Promise.all(
    [0, 150, 575].map(async (versions) => {
      const write = (content: string) => writeLargeVariables(content, versions)
      return { versions, hub: await startHostileHub(join(dir, `large-${versions}`), prompts, write) }
    }),
  )
  const measurements: Measurement[] = []
  try {
    for (const isPublishing of [false, true]) {
      const found: { versions: number; times: number[] }[] = cases.map(({ versions }) => ({ versions, times: [] }))
      for (let count = 0; count < UPDATES; count++)
        for (const [index, { hub, versions }] of cases.entries()) {
          const hostile =
            isPublishing && versions > 0
              ? publishTo({ ...hub, from: HOSTILE }, `${OWNER}/large`, {
                  content: placeholders(versions + count),
                  variables: largeVariables(versions + count),
                })
              : undefined
          found[index]!.times.push(await timeUntilListed(hub, `update-${isPublishing}-${count}`))
          await hostile
        }
      const floor = quantile(found[0]!.times, 0.5)
      for (const { versions, times } of found)
        measurements.push({
          name: `hostile prompts: until another's update is listed, ${versions} large versions${isPublishing ? ', one more each time' : ''}`,
          unit: 'ms',
          measured: quantile(times, 0.5),
          floor,
          ...(versions > 0 && { limit: { of: 'ratio', most: MAX_RATIO } as const }),
          note: `median of ${times.length}; worst ${show(Math.max(...times))} ms`,
        })
    }
    return measurements
  } finally {
    for (const { hub } of cases) await hub.stop()
  }
}

/** Publishes a new prompt of another owner, and waits until the newest list has it. @throws Error if it is not listed */
async function timeUntilListed(hub: HostileHub, name: string): Promise<number> {
  const client = { ...hub, from: READER, token: hub.tokenOf('bystander') }
  const started = performance.now()
  const version = await publishTo(client, `bystander/${name}`, { content: `Text of ${name}.` })
  if (version === undefined) throw new Error(`bystander/${name} was not published.`)
  while (performance.now() - started < LISTED_MS) {
    const { text } = await ask(client, '/data/v1/lists/new/1.json')
    if (text.includes(`"bystander/${name}"`)) return performance.now() - started
    await sleep(20)
  }
  throw new Error(`bystander/${name} was not listed in time.`)
}
