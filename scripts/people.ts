// `npm run people`: lists the people who have signed in, ends their sessions and tokens, and blocks them. Run it on the hub's machine, or on one of the machines that share its database.
import { parseArgs } from 'node:util'
import { countOf } from '../src/domain/text/count-of.ts'
import { Handle } from '../src/domain/values/values.ts'
import { describeError } from '../src/ports/log.ts'
import type { StateStore } from '../src/ports/state-store.ts'
import { blockPerson, listPeople, signOutPerson, unblockPerson } from '../src/stores/state/people.ts'
import { inStore, printTable } from './operator.ts'

const USAGE = `Usage: npm run people -- list
       npm run people -- sign-out LOGIN
       npm run people -- block LOGIN
       npm run people -- unblock LOGIN`

const HELP = `${USAGE}

  list      lists everybody who has signed in with GitHub or is blocked
  sign-out  ends all sessions and tokens of a person, who can sign in again
  block     does the same; the person can then neither sign in nor publish
  unblock   lets a blocked person sign in again`

const COMMANDS: Readonly<Record<string, (state: StateStore, login: string) => Promise<string>>> = {
  'sign-out': async (state, login) => `Signed out: ${login}. ${revoked(await signOutPerson(state, login))}`,
  block: async (state, login) => `Blocked: ${login}. ${revoked(await blockPerson(state, login, new Date()))}`,
  async unblock(state, login) {
    if (!(await unblockPerson(state, login))) throw new Error(`${login} is not blocked. See npm run people -- list.`)
    return `Unblocked: ${login}. Tokens must be created again.`
  },
}

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  const [command = '', given = ''] = positionals
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  if (values.help) console.log(HELP)
  else if (command === 'list' && positionals.length === 1) await inStore(showPeople)
  else if (run && positionals.length === 2) {
    const login = Handle.safeParse(given.toLowerCase())
    if (!login.success) throw new Error(`expected a GitHub login, got "${given}"`)
    await inStore(async (state) => console.log(await run(state, login.data)))
  } else throw new Error('expected list, or sign-out, block or unblock with a login')
} catch (error) {
  console.error(`${describeError(error)}\n${USAGE}`)
  process.exitCode = 1
}

async function showPeople(state: StateStore): Promise<void> {
  const people = await listPeople(state)
  if (people.length === 0) return console.log('Nobody has signed in.')
  const rows = people.map(({ login, userId, tokens, blockedAt }) => [
    ...[login, userId ?? '-', String(tokens)],
    blockedAt?.slice(0, 10) ?? '-',
  ])
  printTable(['LOGIN', 'GITHUB ID', 'TOKENS', 'BLOCKED SINCE'], rows)
}

function revoked(tokens: number): string {
  return `Their sessions ended, and ${countOf(tokens, 'token')} ${tokens === 1 ? 'was' : 'were'} revoked.`
}
