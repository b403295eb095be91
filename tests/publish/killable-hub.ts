// Owns a hub in a process of its own, so that a test can kill it: the real handlers over real stores, asked and answering by lines of JSON.
import { createInterface } from 'node:readline'
import { buildCatalogue } from '../../src/domain/catalogue/catalogue.ts'
import { listDataFiles } from '../../src/domain/catalogue/data-files.ts'
import { digestText } from '../../src/ports/measure.ts'
import { UNLIMITED } from '../../src/ports/rate-limiter.ts'
import { answerPublish } from '../../src/server/publish/publish.ts'
import { createQueue } from '../../src/server/publish/queue.ts'
import { answerRead } from '../../src/server/read/read.ts'
import { startLocalBlobs } from '../../src/stores/blob-store-local.ts'
import { openContentDir } from '../../src/stores/content-dir.ts'
import { freshInBlobs, rememberFresh } from '../../src/stores/fresh-copies-blobs.ts'
import { openGitHub } from '../../src/stores/git-store-github.ts'
import { openLocalGit } from '../../src/stores/git-store-local.ts'
import type { GitHubOptions } from '../../src/stores/github-connection.ts'
import { createToken, findToken } from '../../src/stores/tokens-blobs.ts'

/** What the process is given, as JSON in its one argument; git it finds by its PATH. */
export interface KillableSettings {
  contentDir: string
  blobsDir: string
  /** Where it publishes; the work tree around the content folder when undefined. */
  github?: GitHubOptions
}

/** One question to it. */
export interface KillableQuestion {
  id: number
  /** `POST` publishes, `GET` reads, `BUILD` builds the content as it lies there and serves that from then on. */
  method: 'POST' | 'GET' | 'BUILD'
  path: string
  body?: unknown
  key?: string
}

const BASE_URL = 'https://hub.example'
const settings: KillableSettings = JSON.parse(process.argv[2] ?? '')
const { blobs } = await startLocalBlobs(settings.blobsDir)
const local = openLocalGit({ contentDir: settings.contentDir, environment: process.env })
const git = settings.github ? openGitHub(settings.github) : local
const fresh = rememberFresh(freshInBlobs(blobs))
const TOKEN_KEY = 'the-token-of-this-test'
/** The same in every life and every process: a retry is known by who retries. */
const token = (await blobs.get(TOKEN_KEY)) ?? (await makeToken())
let files = new Map<string, string>()
const siteFiles = {
  read: async (path: string) => {
    const text = files.get(path)
    return text === undefined ? undefined : Buffer.from(text)
  },
}
const readTools = {
  baseUrl: BASE_URL,
  siteFiles,
  fresh,
  search: () => {
    throw new Error('publishing needs no search')
  },
  limiter: UNLIMITED,
  clientAddress: '192.0.2.1',
}
const publishTools = {
  baseUrl: BASE_URL,
  git,
  siteFiles,
  fresh,
  findToken: (given: string) => findToken(blobs, given),
  holdsLogin: async () => true,
  verifyJob: async () => {
    throw new Error('no job publishes here')
  },
  spendJob: async () => false,
  noteUse: async () => {},
  limiter: UNLIMITED,
  failedTokens: UNLIMITED,
  clientAddress: '192.0.2.1',
  purge: async () => {},
  enqueue: createQueue(),
}

async function makeToken(): Promise<string> {
  const made = { holder: { kind: 'operator' }, name: 'test', scope: 'acme/*', days: 1 } as const
  const { token } = await createToken(blobs, made, new Date())
  await blobs.set(TOKEN_KEY, token)
  return token
}

/** As our own host does it: what a publish left unfinished first, then the content folder. */
async function build(): Promise<Response> {
  if (!settings.github) await local.finishPublishes()
  const began = new Date()
  const { tree, problems } = openContentDir(settings.contentDir)()
  if (problems.length > 0) return Response.json({ problems }, { status: 500 })
  files = new Map(listDataFiles(buildCatalogue(tree, { baseUrl: BASE_URL, day: '2026-11-20' }), digestText))
  if (!settings.github) fresh.forgetBefore(began)
  return new Response('built')
}

async function answer({ method, path, body, key }: KillableQuestion): Promise<Response> {
  if (method === 'BUILD') return build()
  const headers = new Headers({ 'Content-Type': 'application/json', Authorization: `Bearer ${token}` })
  if (key !== undefined) headers.set('Idempotency-Key', key)
  const request = new Request(`${BASE_URL}${path}`, {
    method,
    headers,
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  })
  return method === 'POST' ? answerPublish(request, () => publishTools) : answerRead(request, () => readTools)
}

process.stdout.write('ready\n')
for await (const line of createInterface(process.stdin)) {
  const question: KillableQuestion = JSON.parse(line)
  void answer(question)
    .catch((error: Error) => new Response(error.message, { status: 599 }))
    .then(async (response) =>
      process.stdout.write(
        `${JSON.stringify({ id: question.id, status: response.status, text: await response.text() })}\n`,
      ),
    )
}
process.exit(0)
