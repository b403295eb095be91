// A fake GitHub for tests: emulate for objects and sign-in, the facade for GraphQL, and injected faults.
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createEmulator } from 'emulate'
import { z } from 'zod'
import { freePort } from '../hubs/processes.ts'
import { listen, stop } from '../listen.ts'
import { askEmulate, BOT_TOKENS } from './ask-emulate.ts'
import { createFacade } from './facade.ts'
import { createFaults, type Faults } from './faults.ts'
import { createGitHttp } from './git-http.ts'
import { enforcePkce } from './pkce.ts'

/** A repository on the fake GitHub server. */
export interface StandInRepository {
  /** `owner/name`, as in `GITHUB_REPOSITORY`. */
  repository: string
  branch: 'main'
  /** A token of the repository's owner. */
  token: string
}

/** A running fake GitHub server. */
export type GitHubStandIn = Awaited<ReturnType<typeof startGitHubStandIn>>

/** Files by path: bytes, the target of a symbolic link, or null to delete the file. */
type CommittedFiles = Readonly<Record<string, string | Uint8Array | { target: string } | null>>

const OWNER = 'prompt-bot'
const LOGINS = ['alice', 'bob'] as const
const [TOKEN] = BOT_TOKENS as [string]
/** An organisation with the member alice, and a token that may read and change its members. */
export const ORGANISATION = { login: 'acme-org', token: TOKEN } as const
const STRANGER_TOKEN = 'ghp_strangertoken'
const Sha = z.object({ sha: z.string() })
const Head = z.object({ object: Sha })
const Commit = z.object({ tree: Sha, parents: z.array(Sha) })
const OAUTH = { clientId: 'Iv1.abc', clientSecret: 'sekret', logins: LOGINS }

/**
 * Starts a fake GitHub server. This takes about two seconds, so start one per test file and create a repository per
 * test.
 *
 * @param redirectUris the URLs to which a sign-in may return
 */
export async function startGitHubStandIn({
  redirectUris = ['http://localhost:8888/auth/callback'],
}: {
  redirectUris?: readonly string[]
} = {}) {
  const emulator = await createEmulator({ service: 'github', port: 0, seed: makeSeed(redirectUris) })
  const emulateUrl = `http://127.0.0.1:${new URL(emulator.url).port}`
  const privateKey = emulator.generatedSecrets.find(({ kind }) => kind === 'github.app_private_key')?.value
  if (privateKey === undefined) throw new Error('emulate made no key for the GitHub App')
  const facade = createFacade(emulateUrl, [...BOT_TOKENS, STRANGER_TOKEN])
  let made = 0

  const { call, callOnce, writeCommit } = facade.objects
  /** Requests an object only once, because it never changes. The branch is requested each time. */
  const read = (repository: string, path: string) =>
    path.startsWith('/git/ref/')
      ? call({ token: TOKEN }, 'GET', repository + path)
      : callOnce({ token: TOKEN }, repository + path)
  const commit = async (
    { repository }: StandInRepository,
    files: CommittedFiles,
    parentsOf: (head: string, itsParents: string[]) => string[],
  ) => {
    const head = Head.parse(await read(repository, '/git/ref/heads/main')).object.sha
    const { tree, parents } = Commit.parse(await read(repository, `/git/commits/${head}`))
    const sha = await writeCommit({ token: TOKEN }, repository, {
      base_tree: tree.sha,
      files: Object.entries(files).map(([path, file]) => {
        if (file === null) return { path, contents: null }
        const isLink = typeof file === 'object' && 'target' in file
        const contents = Buffer.from(isLink ? file.target : file).toString('base64')
        return { path, mode: isLink ? '120000' : '100644', contents }
      }),
      message: 'Somebody else',
      parents: parentsOf(
        head,
        parents.map((parent) => parent.sha),
      ),
    })
    await call({ token: TOKEN }, 'PATCH', `${repository}/git/refs/heads/main`, { sha, force: true })
    return sha
  }
  const git = createGitHttp({
    next: enforcePkce(facade.handle),
    mayRead: (token, repository) =>
      facade.isGood(token) && token !== STRANGER_TOKEN && repository.startsWith(`${OWNER}/`),
    read,
  })
  const { handle, ...faults } = createFaults(git.handle)
  const server = await serve(handle)
  return {
    ...faults,
    /**
     * The base URL, for both `GITHUB_API_URL` and `GITHUB_OAUTH_URL`. Repositories can be cloned from
     * `/{owner}/{name}.git` below it.
     */
    url: server.url,
    /** A GitHub App with `contents: write`, installed on every repository of the owner. */
    app: { appId: '12345', privateKey },
    /** The OAuth app; any user in `logins` may sign in. */
    oauth: OAUTH,
    /** A valid token that covers none of these repositories. */
    strangerToken: STRANGER_TOKEN,
    /** Creates a private repository, which has one commit with a README.md unless it is empty. */
    async createRepository({ isEmpty = false } = {}): Promise<StandInRepository> {
      const name = `catalogue-${++made}`
      const answer = await askEmulate(`${emulateUrl}/user/repos`, {
        method: 'POST',
        headers: { authorization: `token ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, private: true, auto_init: !isEmpty }),
      })
      if (!answer.ok) throw new Error(`emulate answered ${answer.status} to a new repository`)
      return { repository: `${OWNER}/${name}`, branch: 'main', token: TOKEN }
    },
    /** Commits files as another user, without faults and without counting the calls. @returns the new head */
    commitOutside: (place: StandInRepository, files: CommittedFiles) => commit(place, files, (head) => [head]),
    /** Replaces the newest commit, as a force push does. @param files changes relative to the replaced commit */
    rewriteOutside: (place: StandInRepository, files: CommittedFiles) => commit(place, files, (_, parents) => parents),
    /** Returns a bare git repository with every object on the branch as it is now, for `git fsck --full --strict`. */
    gitFolder: ({ repository }: StandInRepository) => git.folderOf(repository),
    /** Stops everything. @throws Error if a query used something that GitHub lacks or that the facade does not support */
    async close() {
      await server.close()
      await emulator.close()
      if (facade.problems.length > 0) throw new Error(`GitHub would refuse:\n${facade.problems.join('\n')}`)
    },
  }
}

/** The first user has no rights, because emulate treats every unknown token as a token of that user. */
function makeSeed(redirectUris: readonly string[]) {
  const permissions = { contents: 'write', metadata: 'read' }
  const scopes = ['repo', 'user']
  return {
    tokens: {
      ...Object.fromEntries(BOT_TOKENS.map((token) => [token, { login: OWNER, scopes }])),
      [STRANGER_TOKEN]: { login: 'alice', scopes },
    },
    github: {
      users: [
        { login: 'nobody' },
        { login: OWNER, name: 'Prompt Bot', email: 'bot@example.com' },
        ...LOGINS.map((login) => ({ login })),
      ],
      orgs: [
        {
          login: ORGANISATION.login,
          members: [
            { login: OWNER, role: 'admin' },
            { login: 'alice', role: 'member' },
          ],
        },
      ],
      oauth_apps: [
        { client_id: OAUTH.clientId, client_secret: OAUTH.clientSecret, name: 'Hub', redirect_uris: redirectUris },
      ],
      apps: [
        {
          app_id: 12345,
          slug: 'pub',
          name: 'Pub',
          permissions,
          installations: [{ installation_id: 100, account: OWNER, permissions }],
        },
      ],
    },
  }
}

/** A handler that answers nothing closes the socket. */
async function serve(handle: Faults['handle']): Promise<{ url: string; close(): Promise<void> }> {
  const listener = getRequestListener(
    async (request, { outgoing }) => {
      const answer = await handle(request)
      if (!answer) outgoing.destroy()
      return answer ?? RESPONSE_ALREADY_SENT
    },
    // Never looks like a response from GitHub, so that an error in the fake server is not mistaken for one.
    { errorHandler: (error) => new Response(String(error), { status: 599 }), overrideGlobalObjects: false },
  )
  // The hub must see only the disconnects that a test scripts. See ask-emulate.ts.
  const server = createServer({ keepAliveTimeout: 0 }, listener)
  return { url: await listen(server, await freePort()), close: () => stop(server) }
}
