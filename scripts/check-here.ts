// Checks a publish as a hub does, but on this machine: for a job that signs what it publishes, and must not take the digests from the hub.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bytes, SiteFiles } from '../src/built/site-files.ts'
import { runInPlace } from '../src/concurrency/long-work.ts'
import { HubError } from '../src/domain/api/errors.ts'
import { parseArchive } from '../src/hub/parse-archive.ts'
import { handleCheck } from '../src/server/publish/handle-check.ts'
import { runCommand } from './run-command.ts'

const USAGE = 'Usage: node scripts/check-here.ts HUB OWNER/NAME FILE MEDIA_TYPE [QUERY]'
const HELP = `${USAGE}

Prints what the hub should answer to a check of the file: the digests of the version that it would become. The file
decides everything that it says. From the hub come only published records: what the file leaves out, and its parts.`

/** The time limit of one read. */
const READ_MS = 30_000
/** How often a read is tried while the hub limits it. */
const MAX_TRIES = 4
/** The longest wait before the next try. */
const MAX_WAIT_SECONDS = 60

await runCommand({ usage: USAGE, help: HELP, allowPositionals: true }, async ({ positionals }) => {
  const [hub = '', fullName = '', file = '', media = '', query = '', ...rest] = positionals
  if (media === '' || rest.length > 0) throw new Error('expected a hub, a prompt, a file and its media type')
  const url = `${hub}/api/v1/repos/${fullName}/check?${query}`
  const request = new Request(url, { method: 'POST', headers: { 'Content-Type': media }, body: readFileSync(file) })
  const [owner = '', name = ''] = fullName.split('/')
  const answer = await handleCheck(request, { owner, name }, () => ({
    siteFiles: readRemote(hub),
    // The API of the hub answers with what was published since its last build.
    fresh: { find: async () => undefined, listNames: async () => [] },
    runLong: runInPlace,
    parseArchive: async (archive, query) => parseArchive(archive, query),
    limiter: { take: () => 0 },
    clientAddress: '',
    quota: { prompts: 0, bytes: 0 },
    baseUrl: hub,
    isOwnHost: () => true,
    isPrivate: false,
    // A warning of a name that is almost another's needs the search of the hub.
    search() {
      throw new HubError('unavailable', 'There is no search here.')
    },
    pages() {
      throw new Error('a check needs no pages')
    },
  }))
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(JSON.parse(text).error.message)
  console.log(text)
})

/** Reads the data files of a hub from its API, which has the same records, and knows each publish at once. */
function readRemote(hub: string): SiteFiles {
  return {
    async read(path) {
      const record = /^\/data\/v1\/(repos\/[a-z0-9/.-]+)\.json$/.exec(path)?.[1]
      return readUrl(record === undefined ? `${hub}${path}` : `${hub}/api/v1/${record}`)
    },
  }
}

/** @returns undefined if there is nothing */
async function readUrl(url: string): Promise<Bytes | undefined> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(READ_MS), redirect: 'error' })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (answer.status === 200) return bytes
    if (answer.status === 404) return undefined
    if (answer.status !== 429 || tries === MAX_TRIES) throw new Error(`${url} answered ${answer.status}`)
    await sleep(Math.min(MAX_WAIT_SECONDS, Number(answer.headers.get('Retry-After')) || 1) * 1_000)
  }
}
