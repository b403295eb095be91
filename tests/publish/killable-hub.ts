// A hub in its own process that a test can kill. It reads requests and writes responses as lines of JSON.
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readBuildSource } from '../../src/built/build-source.ts'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import type { GitHubOptions } from '../../src/github/github-connection.ts'
import { copiesAhead, UNKNOWN_SOURCE } from '../../src/state/fresh-copies.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { openCopies, rememberCopies } from '../../src/state/stored-copies.ts'
import { BASE_URL, openHandlers } from '../hubs/handlers.ts'

/** The settings of the process, passed as JSON in its only argument. The process finds git through its PATH. */
export interface KillableSettings {
  contentDir: string
  blobsDir: string
  /**
   * The GitHub repository to publish to; if undefined, the hub publishes to the working tree around the content folder.
   */
  github?: GitHubOptions
}

/** A request to the hub. */
export interface KillableQuestion {
  id: number
  /**
   * `POST` publishes, `PUT` and `PATCH` make changes, and `GET` reads. `BUILD` builds the current content and serves it
   * from then on.
   */
  method: 'POST' | 'PUT' | 'PATCH' | 'GET' | 'BUILD'
  path: string
  body?: unknown
  key?: string
}

const settings: KillableSettings = JSON.parse(process.argv[2] ?? '')
const state = await openSqliteState(join(settings.blobsDir, 'state.db'))
const local = openLocalGit({ contentDir: settings.contentDir, environment: process.env })
const git = settings.github ? openGitHub(settings.github) : local
let source = UNKNOWN_SOURCE
const fresh = copiesAhead(rememberCopies(openCopies(state)), () => source)
const TOKEN_KEY = 'the-token-of-this-test'
const handlers = openHandlers({ git, state, fresh })
/** The token is the same in every run and process, because a retry is recognised by who sends it. */
const token = (await state.get(TOKEN_KEY))?.value ?? (await makeToken())

async function makeToken(): Promise<string> {
  const token = await handlers.makeToken({ days: 1, permissions: ['publish', 'label', 'maintain'] })
  await state.set(TOKEN_KEY, token)
  return token
}

/** Works like our own host: finishes interrupted publishes first, then reads the content folder. */
async function build(): Promise<Response> {
  if (!settings.github) await local.finishPublishes()
  const read_until = new Date().toISOString()
  const included = await readBuildSource(settings.contentDir, process.env)
  const { problems } = handlers.build(settings.contentDir)
  if (problems.length > 0) return Response.json({ problems }, { status: 500 })
  source = settings.github ? included : { ...UNKNOWN_SOURCE, read_until }
  return new Response('built')
}

async function answer({ method, path, body, key }: KillableQuestion): Promise<Response> {
  if (method === 'BUILD') return build()
  const headers = new Headers({ 'Content-Type': 'application/json', Authorization: `Bearer ${token}` })
  if (key !== undefined) headers.set('Idempotency-Key', key)
  const request = new Request(`${BASE_URL}${path}`, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  return method === 'GET' ? handlers.read(request) : handlers.publish(request)
}

// A killed process cannot store what it compiled, so every start would compile the hub again.
flushCompileCache()
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
