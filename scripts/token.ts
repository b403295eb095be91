// `npm run token`: creates, lists and revokes operators' tokens on the hub's machine. When it creates a token, it writes only the token to standard output.
import { localSignInLink, makeSharedKey } from '../src/account/local-keys.ts'
import { readConfig } from '../src/config.ts'
import {
  DEFAULT_PERMISSIONS,
  PERMISSIONS,
  Permissions,
  parseScope,
  TOKEN_DAYS,
  TokenRecord,
} from '../src/domain/access/token.ts'
import type { StateStore } from '../src/state/state-store.ts'
import { createToken, listAllOperatorTokens, revokeOperatorToken } from '../src/state/tokens.ts'
import { inStore, printTable } from './operator.ts'
import { runCommand } from './run-command.ts'

const USAGE = `Usage: npm run token -- <owner>[/<name>] [--permissions LIST] [--days N] [--label text]
       npm run token -- --sign-in
       npm run token -- --list
       npm run token -- --revoke ID`

const HELP = `${USAGE}

Creates a token for an owner, or for one of its prompts, and prints it. The token is shown only once.

  --permissions LIST  a comma-separated list of ${PERMISSIONS.join(', ')}; default: ${DEFAULT_PERMISSIONS}
  --days N       days until it expires, ${TOKEN_DAYS.least} to ${TOKEN_DAYS.most}; default: ${TOKEN_DAYS.usual}
  --label text   a name to recognise it by
  --sign-in      prints a one-time link to sign in, for a hub in local mode (without
                 SITE_URL and sign-in settings); it is valid for 15 minutes
  --list         lists the tokens created this way, with their IDs
  --revoke ID    revokes a token immediately`

/** Options that are easily given as an owner, whose token nobody would expect. */
const MISTAKEN: ReadonlySet<string> = new Set(['list', 'revoke', 'sign-in'])

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = { permissions: text, days: text, label: text, list: flag, revoke: text, 'sign-in': flag } as const
await runCommand({ usage: USAGE, help: HELP, options, allowPositionals: true }, async ({ positionals, values }) => {
  const { list, revoke, 'sign-in': signIn, ...made } = values
  const isMaking =
    positionals.length > 0 || made.permissions !== undefined || made.days !== undefined || made.label !== undefined
  if ([isMaking, signIn, list, revoke !== undefined].filter(Boolean).length !== 1)
    throw new Error('expected exactly one of: an owner or owner/name, --sign-in, --list, or --revoke with an ID')
  else if (signIn) await printSignInLink()
  else if (list) await inStore(listTokens)
  else if (revoke !== undefined) await inStore((state) => revokeToken(state, revoke))
  else await makeToken(positionals, made)
})

async function makeToken(
  targets: string[],
  given: { permissions?: string; days?: string; label?: string },
): Promise<void> {
  const [target = ''] = targets
  const scope = target.includes('/') ? target : `${target}/*`
  if (targets.length !== 1 || !parseScope(scope))
    throw new Error(`expected one owner or owner/name, got "${targets.join(' ')}"`)
  if (MISTAKEN.has(target)) throw new Error(`Use --${target}. For an owner with this name, give ${target}/*.`)
  const days = given.days === undefined ? TOKEN_DAYS.usual : Number(given.days)
  if (!Number.isInteger(days) || days < TOKEN_DAYS.least || days > TOKEN_DAYS.most)
    throw new Error(`--days: expected a whole number from ${TOKEN_DAYS.least} to ${TOKEN_DAYS.most}`)
  const permissions = Permissions.safeParse(given.permissions?.split(',') ?? [...DEFAULT_PERMISSIONS])
  if (!permissions.success)
    throw new Error(
      `--permissions: expected some of ${PERMISSIONS.join(', ')}, without duplicates, separated by commas`,
    )
  const name = given.label ?? `npm run token, ${new Date().toISOString().slice(0, 10)}`
  if (!TokenRecord.shape.name.safeParse(name).success)
    throw new Error('--label: expected one line of 1 to 64 characters')
  await inStore(async (state) => {
    const { token } = await createToken(
      state,
      { holder: { kind: 'operator' }, name, scope, permissions: permissions.data, days },
      new Date(),
    )
    console.log(token)
  })
}

/** Prints a link for a hub in this folder, which `npm start` has started with the same settings. */
async function printSignInLink(): Promise<void> {
  const { isLocal, baseUrl, port } = readConfig(process.env)
  if (!isLocal)
    throw new Error(`Sign-in links are for a hub in local mode. This hub is public: sign in at ${baseUrl}/settings.`)
  await inStore(async (state) => console.log(localSignInLink(baseUrl, await makeSharedKey(state, new Date()))))
  if (process.env.PORT === undefined)
    console.error(`The link is for a hub on port ${port}. For another port, run PORT=8889 npm run token -- --sign-in`)
}

async function listTokens(state: StateStore): Promise<void> {
  const tokens = await listAllOperatorTokens(state)
  if (tokens.length === 0) return console.log('No tokens.')
  const rows = tokens.map((token) => [
    token.id,
    token.scope,
    token.permissions.join(','),
    token.last_four,
    token.created_at.slice(0, 10),
    token.expires_at.slice(0, 10),
    token.last_used_at?.slice(0, 10) ?? 'never',
    token.name,
  ])
  printTable([['ID', 'SCOPE', 'PERMISSIONS', 'LAST 4', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'], ...rows])
}

async function revokeToken(state: StateStore, id: string): Promise<void> {
  const revoked = await revokeOperatorToken(state, id)
  if (!revoked) throw new Error(`No operator token has the ID "${id}". See npm run token -- --list.`)
  console.log(`Revoked: ${revoked.scope}, ${revoked.name}.`)
}
