// Measures a publish after many earlier publishes; the baseline is a publish to an empty repository.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createGit } from '../../src/git/git-command.ts'
import { type LocalGit, maintain, openLocalGit } from '../../src/git/git-store-local.ts'
import { type Measurement, quantile, timeAsync } from './measure.ts'

/** The number of publishes from which each median is taken. */
const SAMPLES = 15
const VERSIONS_EACH = 20
const OWNERS = 20

/** Makes as many publishes as there are prompts, then measures further publishes, including the lookup of an Idempotency-Key. */
export async function measurePublish(dir: string, prompts: number): Promise<Measurement[]> {
  const folders = [makeRepository(join(dir, 'publish-first'), 0), makeRepository(join(dir, 'publish-last'), prompts)]
  // Repeated as in real use, because each run packs at most 50,000 objects.
  for (const folder of folders) for (let times = 0; times < 4; times++) await maintain(createGit(folder, process.env))
  const stores = folders.map((folder) =>
    openLocalGit({ contentDir: join(folder, 'content'), environment: process.env }),
  )
  const [first, last] = [[], []] as [number[], number[]]
  for (let number = 0; number < SAMPLES; number++) {
    first.push(await timePublish(stores[0]!, number))
    last.push(await timePublish(stores[1]!, number))
  }
  const [floor, measured] = [quantile(first, 0.5), quantile(last, 0.5)]
  const limit = { of: 'ratio', most: 1.5 } as const
  return [{ name: `publish number ${prompts}, compared with the first`, unit: 'ms', measured, floor, limit }]
}

/** Creates a repository with this many publishes, each a commit of one file, with loose objects. */
function makeRepository(folder: string, publishes: number): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'content'), { recursive: true })
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      ...(input !== undefined && { input }),
      stdio: ['pipe', 'ignore', 'pipe'],
      maxBuffer: 1 << 30,
    })
  git(['init', '-q', '-b', 'main'])
  const lines: string[] = []
  for (let number = 0; number <= publishes; number++) {
    const repository = Math.floor(number / VERSIONS_EACH)
    const path = `content/owner-${repository % OWNERS}/prompt-${repository}/versions/1.0.${number % VERSIONS_EACH}.md`
    const text = `Text ${number}\n${'words of a prompt '.repeat(30)}\n`
    const message = `Publish ${number}\n\nOperation-Id: ${number}`
    lines.push(
      `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + number} +0000\ndata ${message.length}\n${message}`,
      `M 100644 inline ${path}\ndata ${text.length}\n${text}`,
    )
  }
  git(['-c', `fastimport.unpackLimit=${1 << 30}`, 'fast-import', '--quiet'], `${lines.join('\n')}\n`)
  git(['reset', '-q', '--hard'])
  return folder
}

function timePublish(store: LocalGit, number: number): Promise<number> {
  const options = { signal: AbortSignal.timeout(60_000) }
  const place = { owner: `owner-${number % OWNERS}`, name: 'timed' }
  const version = { version: '1.0.0', text: `Timed ${number}\n` }
  const message = {
    headline: `Publish ${place.owner}/timed 1.0.0`,
    trailers: [['Operation-Id', String(number)]],
  } as const
  return timeAsync(async () => {
    const base = await store.readFolder({ ...place, withPublishes: true }, options)
    const outcome = await store.commit({ ...place, base, message, version, index: undefined }, options)
    if (outcome.kind !== 'committed') throw new Error(`a publish was ${outcome.kind}`)
  })
}
