// Measures publishing on the fake GitHub server with PostgreSQL: one hub, three hubs that race for the branch, and three hubs that take turns. Prints JSON for `npm run bench -- --only publish-hubs`. Usage: measure-hubs.ts PUBLISHES FACTOR
import { setTimeout as sleep } from 'node:timers/promises'
import { openGitHub } from '../../packages/stores/github/git-store-github.ts'
import { createPublishTurns, shareTurns } from '../../packages/stores/publish-turns.ts'
import { shareCopies } from '../../packages/stores/state/fresh-copies-shared.ts'
import { openHubTurns } from '../../packages/stores/state/hub-turns.ts'
import { openPostgresState } from '../../packages/stores/state/state-postgres.ts'
import { copiesAhead, UNKNOWN_SOURCE } from '../../src/ports/fresh-copies.ts'
import { delayCalls } from '../github/delays.ts'
import { startGitHubStandIn } from '../github/stand-in.ts'
import { BASE_URL, type Handlers, openHandlers } from './handlers.ts'
import { startPostgres } from './postgres.ts'

const PUBLISHERS = 9
const PROMPTS = 20

const [publishes, factor] = process.argv.slice(2).map(Number) as [number, number]
const standIn = await startGitHubStandIn()
const postgres = await startPostgres()
try {
  const cases = [
    ['one hub', 1, true],
    ['three hubs, each with a queue of its own', 3, false],
    ['three hubs, one queue', 3, true],
  ] as const
  const results = []
  for (const [name, hubs, isShared] of cases) results.push({ name, ...(await measureHubs(hubs, isShared)) })
  console.log(JSON.stringify(results))
} finally {
  await Promise.all([postgres.close(), standIn.close()])
}

async function measureHubs(count: number, isShared: boolean) {
  const url = await postgres.createDatabase()
  const { repository, branch, token } = await standIn.createRepository()
  const close: (() => unknown)[] = []
  const openOne = async (): Promise<Handlers> => {
    const state = await openPostgresState(url)
    const copies = shareCopies(state)
    close.push(copies.close, state.close)
    const git = openGitHub({ repository, branch, credential: { kind: 'token', token }, apiUrl: standIn.url })
    const takeTurn = isShared ? shareTurns(createPublishTurns(), openHubTurns(state)) : createPublishTurns()
    return openHandlers({ git, state, fresh: copiesAhead(copies, () => UNKNOWN_SOURCE), takeTurn })
  }
  const hubs = await Promise.all(Array.from({ length: count }, openOne))
  const bearer = await hubs[0]!.makeToken()
  delayCalls(standIn, factor)
  const took: number[] = []
  let [next, refused] = [0, 0]
  const publishAll = async (publisher: number) => {
    while (next < publishes) {
      const number = next++
      const began = performance.now()
      const send = () =>
        hubs[publisher % count]!.publish(
          new Request(`${BASE_URL}/api/v1/repos/acme/prompt-${number % PROMPTS}/versions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
            body: JSON.stringify({ content: `Text ${number}\n` }),
          }),
        )
      for (let answer = await send(); answer.status !== 201; answer = await send()) {
        if (answer.status !== 503) throw new Error(`a publish returned ${answer.status}: ${await answer.text()}`)
        refused += 1
        await sleep((Number(answer.headers.get('retry-after')) * 1000) / factor)
      }
      took.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: PUBLISHERS }, (_, publisher) => publishAll(publisher)))
  const seconds = (performance.now() - began) / 1000
  const calls = standIn.counts().all / publishes
  standIn.forget()
  for (const end of close) await end()
  return { perMinute: (publishes / seconds) * 60, tookMs: took, refused, calls }
}
