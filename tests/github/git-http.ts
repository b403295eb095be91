// Serves the fake GitHub server's repositories over the git protocol, read-only: `git http-backend` in front of a bare
// repository with emulate's objects.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'
import { exportObjects } from './export-objects.ts'
import type { Handler } from './facade.ts'

/** Dependencies of the git server. */
interface GitHttpOptions {
  /** Handles everything that is not a git request. */
  next: Handler
  /** Returns whether a token covers the repository `owner/name`. */
  mayRead: (token: string, repository: string) => boolean
  /** Reads a path below a repository, such as `/git/commits/{sha}`, from emulate. */
  read: (repository: string, path: string) => Promise<unknown>
}

/** A git server in front of the other handlers. */
interface GitHttp {
  handle: Handler
  /** Returns the bare repository of `owner/name` on this machine, as it is now. */
  folderOf(repository: string): Promise<string>
}

const ADDRESS = /^\/([^/]+\/[^/]+)\.git\/(info\/refs|git-upload-pack)$/

/**
 * Puts a git server in front of a handler. As on GitHub, reading requires `Authorization: Basic` with a token as the
 * password.
 */
export function createGitHttp({ next, mayRead, read }: GitHttpOptions): GitHttp {
  const folder = temporaryFolder('stand-in-git-')
  const updates = new Map<string, Promise<void>>()
  /** Updates the bare repository. Only one call runs at a time. */
  const folderOf = async (repository: string): Promise<string> => {
    const place = join(folder, `${repository}.git`)
    const updated = (updates.get(repository) ?? Promise.resolve())
      .catch(() => {})
      .then(() => exportObjects((path) => read(repository, path), place))
    updates.set(repository, updated)
    await updated
    return place
  }
  return {
    folderOf,
    async handle(request) {
      const { pathname, search } = new URL(request.url)
      const [, repository = '', service = ''] = ADDRESS.exec(pathname) ?? []
      if (service === '') return await next(request)
      const token = readPassword(request.headers.get('authorization'))
      if (token === undefined)
        return new Response('Repository not found.', {
          status: 401,
          headers: { 'www-authenticate': 'Basic realm="GitHub"' },
        })
      if (!mayRead(token, repository)) return new Response('Repository not found.', { status: 404 })
      try {
        if (service === 'info/refs') await folderOf(repository)
      } catch {
        // The repository does not exist or has no commits.
        return new Response('Repository not found.', { status: 404 })
      }
      return await runBackend(folder, request, pathname, search)
    },
  }
}

function readPassword(authorization: string | null): string | undefined {
  const [, encoded] = /^basic (.+)$/i.exec(authorization ?? '') ?? []
  return encoded && Buffer.from(encoded, 'base64').toString('utf8').split(':')[1]
}

/** Runs the git server for one request through the Common Gateway Interface (RFC 3875). */
async function runBackend(folder: string, request: Request, pathname: string, search: string): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer())
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers.get('content-type') ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: request.headers.get('content-encoding') ?? '',
      GIT_PROTOCOL: request.headers.get('git-protocol') ?? '',
    },
    cwd: dirname(folder),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const closed = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve())
  })
  child.stdin.on('error', () => {})
  child.stdin.end(body)
  await closed
  const answer = Buffer.concat(chunks)
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) throw new Error('git http-backend answered nothing')
  const headers = new Headers(
    answer
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const status = Number(headers.get('status')?.slice(0, 3) ?? 200)
  headers.delete('status')
  return new Response(answer.subarray(end + 4), { status, headers })
}
