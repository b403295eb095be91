// `npm run people`: lists the people who have signed in, ends their sessions and tokens, blocks them, and forgets them. Run it on the hub's machine, or on one of the machines that share its database.

import { readConfig } from '../src/config.ts'
import { countOf } from '../src/domain/text/plain-text.ts'
import { Handle } from '../src/domain/values/values.ts'
import { isByInvitation } from '../src/hub/people.ts'
import { logAudit } from '../src/log.ts'
import { INVITATION_HOURS, invitationLink, invite } from '../src/state/invitations.ts'
import { blockPerson, findLogins, forgetPerson, listPeople, signOutPerson, unblockPerson } from '../src/state/people.ts'
import type { StateStore } from '../src/state/state-store.ts'
import { inStore, printTable } from './operator.ts'
import { runCommand } from './run-command.ts'

const USAGE = `Usage: npm run people -- list
       npm run people -- invite LOGIN
       npm run people -- sign-out LOGIN
       npm run people -- block LOGIN
       npm run people -- unblock LOGIN
       npm run people -- forget LOGIN`

const HELP = `${USAGE}

  list      lists everybody who has signed in with a provider or is blocked
  invite    prints a link that signs a person in once, within 72 hours, as a reader of a private
            hub without a provider; it replaces the person's earlier link
  sign-out  ends all sessions and tokens of a person, who can sign in again
  block     does the same; the person can then neither sign in, publish nor read a private hub
  unblock   lets a blocked person sign in again
  forget    ends all sessions and tokens, and deletes what the hub knows about a person

LOGIN is the name in the list, or a verified email address. Each change is also written to standard error, as
a line of JSON for the audit log.`

const COMMANDS: Readonly<Record<string, (state: StateStore, login: string) => Promise<string>>> = {
  invite: printInvitation,
  'sign-out': async (state, login) => `Signed out: ${login}. ${revoked(await signOutPerson(state, login))}`,
  block: async (state, login) => `Blocked: ${login}. ${revoked(await blockPerson(state, login, new Date()))}`,
  async unblock(state, login) {
    if (!(await unblockPerson(state, login))) throw new Error(`${login} is not blocked. See npm run people -- list.`)
    return `Unblocked: ${login}. Tokens must be created again.`
  },
  async forget(state, login) {
    const tokens = await forgetPerson(state, login)
    if (tokens === undefined) throw new Error(`Nobody has signed in as ${login}. See npm run people -- list.`)
    return `Forgotten: ${login}. ${revoked(tokens)} What ${login} published stays, in git.`
  },
}

await runCommand({ usage: USAGE, help: HELP, allowPositionals: true }, async ({ positionals }) => {
  const [command = '', given = ''] = positionals
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  if (command === 'list' && positionals.length === 1) await inStore(showPeople)
  else if (run && positionals.length === 2) {
    await inStore(async (state) => console.log(await run(state, await findLogin(state, given.toLowerCase()))))
  } else throw new Error('expected list, or invite, sign-out, block, unblock or forget with a login')
})

/** Returns the login that the operator means. @throws Error if it is none, or if an email address belongs to nobody or to several accounts */
async function findLogin(state: StateStore, given: string): Promise<string> {
  if (Handle.safeParse(given).success) return given
  const logins = given.includes('@') ? await findLogins(state, given) : []
  if (logins.length > 1) throw new Error(`${given} has several logins: ${logins.join(', ')}. Give one of them.`)
  const [login] = logins
  if (login === undefined) throw new Error(`expected a login or a known email address, got "${given}"`)
  return login
}

async function printInvitation(state: StateStore, login: string): Promise<string> {
  const config = readConfig(process.env)
  if (!isByInvitation(config))
    throw new Error(
      config.isLocal
        ? 'Invitations are for a private hub with a SITE_URL. On this machine, run npm run token -- --sign-in.'
        : 'Invitations are for a private hub (READ_ACCESS=members) without settings for sign-in. Where people sign in with a provider, name them in READERS.',
    )
  const { person, key } = await invite(state, login, new Date())
  logAudit('person_invited', { login, user_id: person.user_id })
  return `${invitationLink(config.baseUrl, key)}\nSend this link to ${login} alone. It works once, for ${INVITATION_HOURS} hours.`
}

async function showPeople(state: StateStore): Promise<void> {
  const people = await listPeople(state)
  if (people.length === 0) return console.log('Nobody has signed in.')
  const rows = people.map(({ login, userId, email, tokens, blockedAt }) => [
    ...[login, userId ?? '-', email ?? '-', String(tokens)],
    blockedAt?.slice(0, 10) ?? '-',
  ])
  printTable([['LOGIN', 'ACCOUNT', 'EMAIL', 'TOKENS', 'BLOCKED SINCE'], ...rows])
}

function revoked(tokens: number): string {
  return `Their sessions ended, and ${countOf(tokens, 'token')} ${tokens === 1 ? 'was' : 'were'} revoked.`
}
