// A private hub in this process, with its pages, downloads and stores, and everybody who may or may not read it.
import { createHash } from 'node:crypto'
import { Agent, type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { loadCatalogue } from '../../scripts/bench/load-catalogue.ts'
import { STARTING } from '../../src/hosts/node/health.ts'
import { openMetrics } from '../../src/hosts/node/metrics.ts'
import { blockPerson } from '../../src/state/people.ts'
import { openPeople } from '../../src/state/sessions.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { createToken } from '../../src/state/tokens.ts'
import { ISSUER, startIssuer } from '../oidc/issuer.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { writeSite } from './mcp.ts'
import { serveSite } from './serve-site.ts'

export const SITE_URL = 'https://hub.example'

/** The only address whose header is believed. Linux gives every address in 127.0.0.0/8 to the machine itself. */
export const PROXY = '127.0.0.77'

const versionFile = (text: string, more = '') =>
  `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: zephyrine\nchangelog: Tell the quokkas\n${more}---\n${text}`
const promptFile = (title: string) =>
  `---\ntitle: ${title}\ndescription: Briefs ${title} before the expedition.\ntags: [wombatry, narwhals]\nlicense: MIT\nlabels:\n  umbrellabird: 1.0.0\n---\n`

const TRUSTED = {
  repository: 'octo/prompts',
  repository_id: '1001',
  repository_owner_id: '2002',
  workflow: 'publish.yml',
}

/** The hub's content, whose names occur nowhere in the code of the project. */
export const MEMBERS_CONTENT = {
  'content/site.yml': 'security_contact: mailto:security@hub.example\n',
  'content/zephyrine/index.md': `---\nname: Zephyrine Works\nmembers: [octocat]\ntrusted_publishers:\n  - ${JSON.stringify({ ...TRUSTED, repos: ['quokka-brief'] })}\n---\nQuokkology.\n`,
  'content/zephyrine/quokka-brief/index.md': promptFile('Quokkalia'),
  'content/zephyrine/quokka-brief/versions/1.0.0.md': versionFile('Brief the quokkas of {{billabong}}.\n'),
  'content/zephyrine/quokka-brief/versions/1.1.0.md': versionFile('Brief all quokkas of the gondwana.\n'),
  'content/zephyrine/quokka-brief/results/1.0.0/marsupial-check.yml': `content_sha256: ${createHash('sha256').update('Brief the quokkas of {{billabong}}.\n').digest('hex')}\npassed: 1\nfailed: 0\nat: "2026-11-21T10:00:00Z"\nreported_by: zephyrine\n`,
  'content/pangolinarium/narwhal-notes/index.md': promptFile('Narwhalistics'),
  'content/pangolinarium/narwhal-notes/versions/1.0.0.md': versionFile(
    'Note the narwhals.\n',
    'skill: {description: Notes narwhals.}\n',
  ),
}

/** Every name and word of the content that a stranger must not see, in lower case. */
export const SECRET_WORDS = [
  ...['zephyrine', 'quokk', 'pangolinarium', 'narwhal', 'wombatry', 'umbrellabird', 'billabong', 'gondwana'],
  ...['expedition', 'marsupial'],
]

export interface Asked {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** How somebody sends requests. */
export interface Sender {
  headers: Record<string, string>
  /** The IP address that the connection comes from. */
  from?: string
}

export type MembersHub = Awaited<ReturnType<typeof openMembersHub>>

/** Opens a private hub. @param settings in addition to those of a private hub with sign-in by GitHub, CI jobs and a proxy */
export async function openMembersHub(settings: Readonly<Record<string, string>> = {}) {
  const { contentDir } = makeRepository('ready', { files: MEMBERS_CONTENT })
  const issuer = await startIssuer()
  const health = {
    ...STARTING,
    status: 'degraded',
    built_at: new Date().toISOString(),
    commit: 'c'.repeat(40),
  } as const
  const { server, stores, stop } = await serveSite({
    settings: {
      SITE_URL,
      CONTENT_DIR: contentDir,
      READ_ACCESS: 'members',
      READERS: 'github:octocat, github:blocked-bob',
      AUTH_PROXY_HEADER: 'X-Forwarded-User',
      TRUSTED_PROXIES: PROXY,
      RATE_LIMIT_PER_MINUTE: '0',
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      SESSION_SECRET: 'x'.repeat(32),
      OIDC_ISSUER: ISSUER,
      OIDC_JWKS_URL: issuer.jwksUrl,
      ...settings,
    },
    // `npm run build` is for a hub that everybody may read.
    write: (config, { siteDir }) => writeSite(loadCatalogue(config), siteDir, config.contentDir),
    serving: {
      port: 0,
      listenAt: ['127.0.0.1'],
      metrics: openMetrics(),
      healthOf: () => ({ ...health, broken: ['content/zephyrine/quokka-brief/index.md: title: expected a text'] }),
    },
  })
  const port = (server.address() as AddressInfo).port
  const signJob = () => issuer.sign({ aud: SITE_URL, exp: Math.floor(Date.now() / 1000) + 900 })
  const { readers, strangers, refused } = await makeSenders(stores.state, await signJob(), {
    untrusted: await issuer.sign({ aud: SITE_URL, repository: 'octo/other', repository_id: '1002' }),
    forged: await issuer.signWithAnother(),
  })
  return {
    port,
    server,
    state: stores.state,
    readers,
    strangers,
    refused,
    /** Sends a request exactly as given. */
    ask: (method: string, path: string, sender: Sender = { headers: {} }, body?: string) =>
      ask(port, { method, path, sender, body }),
    /** Gives the CI job a new token. Tokens of jobs are short-lived, and a slow machine takes longer. */
    async renewJob() {
      Object.assign(readers['a CI job that an owner trusts']!, bearing(await signJob()))
    },
    /** Sends a GET request through a proxy on this machine. */
    askThrough: (proxy: number, path: string, { headers }: Sender) =>
      ask(proxy, { method: 'GET', path, sender: { headers: { Host: `localhost:${proxy}`, ...headers } } }),
    async stop() {
      agent.destroy()
      await stop()
      await issuer.close()
    },
  }
}

async function makeSenders(state: StateStore, job: string, jobs: { untrusted: string; forged: string }) {
  const now = new Date()
  const people = openPeople(state)
  const octocat = { user_id: '7', login: 'octocat' }
  const stranger = { user_id: '8', login: 'other-person' }
  const bob = { user_id: '9', login: 'blocked-bob' }
  const tokenFor = async (permissions: readonly ('read' | 'publish')[], holder: object, days = 1, at = now) => {
    const wish = { holder: holder as { kind: 'operator' }, name: 'x', scope: 'zephyrine/*', permissions, days }
    const { token } = await createToken(state, wish, at)
    return bearing(token)
  }
  const sessionOf = async (person: typeof octocat) => {
    await people.bindLogin(person)
    return people.openSession(person, now)
  }
  const session = await sessionOf(octocat)
  const ended = await sessionOf(octocat)
  const other = await sessionOf(stranger)
  const blocked = await sessionOf(bob)
  await people.endSession(ended)
  const bobToken = await tokenFor(['read'], { kind: 'person', ...bob })
  const old = new Date(now.getTime() - 2 * 86_400_000)
  await blockPerson(state, bob.login, now)
  const operator = { kind: 'operator' }
  const octocats = { kind: 'person', ...octocat }
  const proxied = (name: string) => ({ headers: { 'X-Forwarded-User': name } })
  const readers: Record<string, Sender> = {
    'a reader who is signed in': cookie(session),
    'a token with read': await tokenFor(['read'], operator),
    'a token without read, but with another permission': await tokenFor(['publish'], operator),
    'a token of a reader': await tokenFor(['read'], octocats),
    'a CI job that an owner trusts': bearing(job),
    'a trusted proxy': { ...proxied('jo'), from: PROXY },
    'a trusted proxy, with an address': { ...proxied('Jo.Smith+x@acme.example'), from: PROXY },
  }
  const strangers: Record<string, Sender> = {
    'a stranger': { headers: {} },
    'an unknown token': bearing(`hub_${'0'.repeat(38)}`),
    'an expired token': await tokenFor(['read'], operator, 1, old),
    'another scheme': { headers: { Authorization: `Basic ${Buffer.from('octocat:octocat').toString('base64')}` } },
    'a CI job that nobody trusts': bearing(jobs.untrusted),
    'a CI job with a forged signature': bearing(jobs.forged),
    'a forged header of the proxy': { ...proxied('jo'), from: '127.0.0.1' },
    'a forged header, and a forged address': {
      headers: { 'X-Forwarded-User': 'jo', 'X-Forwarded-For': PROXY, Forwarded: `for=${PROXY}` },
    },
    'a proxy that names two people': { ...proxied('eve, jo'), from: PROXY },
    'a proxy that names nobody': { ...proxied(''), from: PROXY },
    'an unknown session': cookie('a'.repeat(43)),
    'an ended session': cookie(ended),
    'the session of somebody who was blocked': cookie(blocked),
    'a token of somebody who was blocked': bobToken,
  }
  const refused: Record<string, Sender> = {
    'somebody whom READERS does not admit': cookie(other),
    'a token of somebody whom READERS does not admit': await tokenFor(['read'], { kind: 'person', ...stranger }),
    'somebody who was blocked, behind the proxy': { ...proxied('blocked-bob'), from: PROXY },
  }
  return { readers, strangers, refused }
}

const bearing = (token: string): Sender => ({ headers: { Authorization: `Bearer ${token}` } })
const cookie = (secret: string): Sender => ({ headers: { Cookie: `__Host-session=${secret}` } })

interface Sent {
  method: string
  path: string
  sender: Sender
  body?: string | undefined
}

/** Keeps a connection for each address that requests come from. */
const agent = new Agent({ keepAlive: true })

function ask(port: number, { method, path, sender, body }: Sent): Promise<Asked> {
  return new Promise((done, fail) => {
    const headers = { Host: new URL(SITE_URL).host, ...sender.headers }
    const localAddress = sender.from === undefined ? {} : { localAddress: sender.from }
    const sent: ClientRequest = request(
      { host: '127.0.0.1', port, path, method, headers, agent, ...localAddress },
      (answer) =>
        buffer(answer).then((bytes) => done({ status: answer.statusCode ?? 0, headers: answer.headers, bytes }), fail),
    )
    sent.on('error', fail).end(body)
  })
}
