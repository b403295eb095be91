// The load of the table of faults: readers, an agent and publishers, who do what real clients do, and count what they notice.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** What was noticed during a fault. */
interface Noticed {
  reads: number
  failed: string[]
  slowestMs: number
  calls: number
  failedCalls: string[]
  published: number
  triedAgain: number
}

const PATHS = ['/', '/acme/first', '/api/v1/repos/acme/first', '/api/v1/repos/acme/first/raw', '/data/v1/tags.json']

/** Starts the load. @param front what clients know of the hub @param tokens one for each publisher */
export function startLoad(front: string, tokens: readonly string[]) {
  let noticed = empty()
  let isOver = false
  const acknowledged: string[] = []

  const read = async (from: number): Promise<void> => {
    for (let at = from; !isOver; at++) {
      const path = PATHS[at % PATHS.length]!
      const mine = noticed
      const beganMs = performance.now()
      const answer = await fetch(front + path).catch((error: Error) => error)
      const text = answer instanceof Response ? await answer.text().catch(() => '') : ''
      mine.reads++
      mine.slowestMs = Math.max(mine.slowestMs, performance.now() - beganMs)
      if (!(answer instanceof Response && answer.ok && text !== '')) mine.failed.push(`${path}: ${describe(answer)}`)
      await sleep(40)
    }
  }
  const call = async (): Promise<void> => {
    const params = { name: 'get_prompt', arguments: { owner: 'acme', name: 'first' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    while (!isOver) {
      const mine = noticed
      const answer = await fetch(`${front}/mcp`, { method: 'POST', headers, body }).catch((error: Error) => error)
      const text = answer instanceof Response ? await answer.text().catch(() => '') : ''
      mine.calls++
      if (!text.includes('"version":"1.0.0"')) mine.failedCalls.push(`MCP: ${describe(answer)} ${text.slice(0, 120)}`)
      await sleep(80)
    }
  }
  /** Publishes as the clients do: again, with the same key, until there is an answer. */
  const publish = async (token: string, which: number): Promise<void> => {
    const url = `${front}/api/v1/repos/acme/load${which}/versions`
    for (let number = 0; !isOver; number++) {
      const content = `From ${which}, number ${number}\n`
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      }
      const body = JSON.stringify({ content, changelog: 'Made.', bump: 'patch' })
      for (let isDone = false; !isDone && !isOver; ) {
        const mine = noticed
        const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
        // The answer to a repeated publish is 200.
        isDone = (answer?.ok ?? false) && (await answer?.text())?.includes('"version"') === true
        if (isDone) {
          acknowledged.push(content)
          mine.published++
        } else {
          mine.triedAgain++
          await sleep(500)
        }
      }
      await sleep(1_000)
    }
  }
  const running = [read(0), read(3), call(), ...tokens.map(publish)]
  return {
    /** Begins to count from zero. @returns what is counted from now on */
    next: (): Readonly<Noticed> => {
      noticed = empty()
      return noticed
    },
    /** Ends the load. @returns what was acknowledged, and which of it the hub does not have, or has twice */
    async end() {
      isOver = true
      await Promise.all(running)
      const stored = (await Promise.all(tokens.map((_, which) => listStored(front, `acme/load${which}`)))).flat()
      return {
        acknowledged: acknowledged.length,
        lost: acknowledged.filter((content) => !stored.includes(content)),
        doubled: stored.filter((content, at) => stored.indexOf(content) !== at),
      }
    },
  }
}

const empty = (): Noticed => ({
  reads: 0,
  failed: [],
  slowestMs: 0,
  calls: 0,
  failedCalls: [],
  published: 0,
  triedAgain: 0,
})

const describe = (answer: Response | Error) =>
  answer instanceof Response ? String(answer.status) : String(answer.cause ?? answer)

/** Reads the content of all versions of a prompt. */
async function listStored(front: string, fullName: string): Promise<string[]> {
  const stored: string[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const answer = await fetch(`${front}/api/v1/repos/${fullName}/versions?page=${page}`)
    if (answer.status === 404) break
    const { data, meta } = await answer.json()
    for (const { version } of data)
      stored.push(await (await fetch(`${front}/api/v1/repos/${fullName}/raw?version=${version}`)).text())
    pages = meta.pages
  }
  return stored
}
