// A hub in its own process that a test can kill. It writes its URL and token once it listens.
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { openGitHub } from '../../src/github/git-store-github.ts'
import type { GitHubOptions } from '../../src/github/github-connection.ts'
import { UNKNOWN_SOURCE } from '../../src/state/fresh-copies.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { openHub, serve } from '../hubs/publishing.ts'

/** The settings of the process, passed as JSON in its only argument. The process finds git through its PATH. */
export interface KillableSettings {
  contentDir: string
  blobsDir: string
  /**
   * The GitHub repository to publish to; if undefined, the hub publishes to the working tree around the content folder.
   */
  github?: GitHubOptions
}

const { contentDir, blobsDir, github }: KillableSettings = JSON.parse(process.argv[2] ?? '')
const state = await openSqliteState(join(blobsDir, 'state.db'))
const local = openLocalGit({ contentDir, environment: process.env })
const hub = await openHub(
  { openStore: () => (github ? openGitHub(github) : local), contentDir: async () => contentDir },
  { state, isRemembering: true },
)

/** Works like our own host: finishes interrupted publishes first, then reads the content folder. */
async function build(): Promise<Response> {
  if (!github) await local.finishPublishes()
  const read_until = new Date().toISOString()
  const { source } = await hub.readContent()
  await hub.build({ contentDir, source: github ? source : { ...UNKNOWN_SOURCE, read_until } })
  return new Response('built')
}

/** The token is the same in every run and process, because a retry is recognised by who sends it. */
const TOKEN_KEY = 'the-token-of-this-test'
const made = await hub.makeToken({ days: 1, permissions: ['publish', 'label', 'maintain'] })
await state.add(TOKEN_KEY, made)
const token = (await state.get(TOKEN_KEY))?.value

const { url } = await serve(async (request) =>
  new URL(request.url).pathname === '/build' ? build() : hub.answer(request),
)
// A killed process cannot store what it compiled, so every start would compile the hub again.
flushCompileCache()
process.stdout.write(`${JSON.stringify({ url, token })}\n`)
process.stdin.resume().on('end', () => process.exit())
