// The facade's GraphQL resolvers: repositories, commits, trees, blobs and the mutation, based on emulate's REST API.
import { GraphQLError } from 'graphql'
import { z } from 'zod'
import { askEmulate } from './ask-emulate.ts'

interface Context {
  token: string
}

const Sha = z.string().regex(/^[0-9a-f]{40}$/)
const RestRef = z.object({ object: z.object({ sha: Sha }) })
const CommitData = z.object({
  message: z.string(),
  tree: z.object({ sha: Sha }),
  committer: z.object({ date: z.string() }),
})
type CommitData = z.infer<typeof CommitData>
const RestCommit = CommitData.extend({ sha: Sha })
const RestListedCommit = z.array(z.object({ sha: Sha, commit: CommitData }))
const RestTree = z.object({ tree: z.array(z.object({ path: z.string(), type: z.string(), sha: Sha })) })
const RestBlob = z.object({ content: z.string() })
const Created = z.object({ sha: Sha })
const RepositoryArguments = z.object({ owner: z.string(), name: z.string() })
const Input = z.object({
  branch: z.object({ repositoryNameWithOwner: z.string(), branchName: z.string() }),
  expectedHeadOid: Sha,
  message: z.object({ headline: z.string(), body: z.string().nullish() }),
  fileChanges: z.object({
    additions: z.array(z.object({ path: z.string(), contents: z.string() })),
    deletions: z.array(
      z.object({ path: z.string().regex(/^content\/[^/]+\/[^/]+\/(?!index\.md$)/, 'the hub deletes no index.md') }),
    ),
  }),
})

/** The size at which GitHub truncates `Blob.text`. */
const TEXT_LIMIT_BYTES = 512_000

/** Creates an error with a type, as GitHub does. */
const refuse = (type: string, message: string) => new GraphQLError(message, { extensions: { type } })

/** A commit to write. */
interface NewCommit {
  /** The tree on which it is based. */
  base_tree: string
  /** Each file's bytes as Base64, or null to delete it. */
  files: readonly { path: string; mode?: string; contents: string | null }[]
  message: string
  parents: readonly string[]
  committer?: { name: string; email: string }
}

/**
 * Opens the objects of emulate's repositories, with the root resolvers of queries and mutations. A mutation runs under a
 * lock, because GitHub compares heads atomically.
 */
export function openObjects(emulateUrl: string) {
  const unchanging = new Map<string, unknown>()
  let lock: Promise<unknown> = Promise.resolve()

  const call = async (context: Context, method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `token ${context.token}`, 'content-type': 'application/json' }
    const answer = await askEmulate(`${emulateUrl}/repos/${path}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    })
    if (answer.ok) return await answer.json()
    const isWrite = method !== 'GET'
    if (answer.status === 404 || !isWrite) throw refuse('NOT_FOUND', `Could not resolve ${path}.`)
    if (answer.status === 401 || answer.status === 403)
      throw refuse('FORBIDDEN', 'Resource not accessible by this token.')
    throw refuse('UNPROCESSABLE', `emulate answered ${answer.status} to ${method} ${path}: ${await answer.text()}`)
  }
  /**
   * Caches git objects, because they never change and emulate allows only 5,000 calls per token. The key includes the
   * token, because permissions differ.
   */
  const callOnce = async (context: Context, path: string): Promise<unknown> => {
    const key = `${context.token} ${path}`
    if (!unchanging.has(key)) unchanging.set(key, await call(context, 'GET', path))
    return unchanging.get(key)
  }

  const commitObject = (repo: string, sha: string, { message, tree, committer }: CommitData) => ({
    __typename: 'Commit',
    oid: sha,
    url: `https://github.com/${repo}/commit/${sha}`,
    message,
    committedDate: committer.date,
    file: ({ path }: { path: string }, context: Context) => fileAt(context, repo, tree.sha, path),
    history: async (args: { path?: string; first?: number }, context: Context) => {
      if (args.first === undefined || args.first < 1 || args.first > 100)
        throw refuse('MISSING_PAGINATION_BOUNDARIES', 'You must provide a `first` or `last` value of 1 to 100.')
      const query = new URLSearchParams({ sha, per_page: String(args.first) })
      if (args.path !== undefined) query.set('path', args.path)
      const listed = RestListedCommit.parse(await call(context, 'GET', `${repo}/commits?${query}`))
      return { nodes: listed.map(({ sha, commit }) => commitObject(repo, sha, commit)) }
    },
  })
  const readCommit = async (context: Context, repo: string, sha: string) => {
    const commit = RestCommit.parse(await callOnce(context, `${repo}/git/commits/${sha}`))
    return { ...commitObject(repo, sha, commit), treeSha: commit.tree.sha }
  }
  const listTree = async (context: Context, repo: string, sha: string) =>
    RestTree.parse(await callOnce(context, `${repo}/git/trees/${sha}`)).tree

  const blobObject = async (context: Context, repo: string, oid: string) => {
    const { content } = RestBlob.parse(await callOnce(context, `${repo}/git/blobs/${oid}`))
    const bytes = Buffer.from(content, 'base64')
    const isBinary = bytes.subarray(0, 8000).includes(0)
    return {
      __typename: 'Blob',
      oid,
      byteSize: bytes.length,
      isTruncated: bytes.length > TEXT_LIMIT_BYTES,
      text: isBinary ? null : bytes.subarray(0, TEXT_LIMIT_BYTES).toString('utf8'),
    }
  }
  const entryObject = (repo: string, entry: { path: string; type: string; sha: string }) => ({
    name: entry.path,
    oid: entry.sha,
    type: entry.type,
    object: async (_: unknown, context: Context) => {
      if (entry.type === 'blob') return await blobObject(context, repo, entry.sha)
      const entries = await listTree(context, repo, entry.sha)
      return { __typename: 'Tree', oid: entry.sha, entries: entries.map((each) => entryObject(repo, each)) }
    },
  })
  const fileAt = async (context: Context, repo: string, treeSha: string, path: string) => {
    let tree = treeSha
    const segments = path.split('/')
    for (const [depth, segment] of segments.entries()) {
      const entry = (await listTree(context, repo, tree)).find((each) => each.path === segment)
      if (!entry) return null
      if (depth === segments.length - 1) return entryObject(repo, entry)
      if (entry.type !== 'tree') return null
      tree = entry.sha
    }
    return null
  }
  const readHead = async (context: Context, repo: string, branch: string) => {
    const path = `${repo}/git/ref/heads/${branch}`
    return RestRef.parse(await call(context, 'GET', path)).object.sha
  }

  const repository = async (args: unknown, context: Context) => {
    const { owner, name } = RepositoryArguments.parse(args)
    const repo = `${owner}/${name}`
    await call(context, 'GET', repo)
    return {
      nameWithOwner: repo,
      object: async ({ oid }: { oid: string }) => await blobObject(context, repo, oid).catch(absentIsNull),
      ref: async ({ qualifiedName }: { qualifiedName: string }) => {
        const branch = /^refs\/heads\/(.+)$/.exec(qualifiedName)?.[1]
        const sha = branch && (await readHead(context, repo, branch).catch(absentIsNull))
        return sha ? { name: branch, target: await readCommit(context, repo, sha) } : null
      },
    }
  }

  /** As GitHub, and git itself: a folder without files is not in a tree. `emulate` keeps it. @returns the ID of the tree */
  const withoutEmptyFolders = async (context: Context, repo: string, id: string): Promise<string> => {
    const { tree } = Listed.parse(await call(context, 'GET', `${repo}/git/trees/${id}?recursive=1`))
    const empty = tree.filter(({ type, sha }) => type === 'tree' && sha === EMPTY_TREE)
    if (empty.length === 0) return id
    const gone = empty.map(({ path }) => ({ path, mode: '040000', type: 'tree', sha: null }))
    const made = Created.parse(await call(context, 'POST', `${repo}/git/trees`, { base_tree: id, tree: gone }))
    return withoutEmptyFolders(context, repo, made.sha)
  }

  /** @returns the commit's ID */
  const writeCommit = async (context: Context, repo: string, { base_tree, files, ...commit }: NewCommit) => {
    const create = async (kind: 'blobs' | 'trees' | 'commits', body: object) =>
      Created.parse(await call(context, 'POST', `${repo}/git/${kind}`, body)).sha
    const tree = []
    for (const { path, mode = '100644', contents } of files) {
      // A path whose object is null is deleted. GitHub refuses to delete a file that does not exist.
      const sha = contents === null ? null : await create('blobs', { content: contents, encoding: 'base64' })
      tree.push({ path, mode, type: 'blob', sha })
    }
    const made = await create('trees', { base_tree, tree })
    const hasDeleted = tree.some(({ sha }) => sha === null)
    return create('commits', { ...commit, tree: hasDeleted ? await withoutEmptyFolders(context, repo, made) : made })
  }

  const apply = async ({ branch, expectedHeadOid, message, fileChanges }: z.infer<typeof Input>, context: Context) => {
    const repo = branch.repositoryNameWithOwner
    const head = await readHead(context, repo, branch.branchName)
    if (head !== expectedHeadOid)
      throw refuse('STALE_DATA', `Expected branch to point to "${expectedHeadOid}" but it did not.`)
    const parent = await readCommit(context, repo, head)
    const sha = await writeCommit(context, repo, {
      base_tree: parent.treeSha,
      files: [...fileChanges.additions, ...fileChanges.deletions.map(({ path }) => ({ path, contents: null }))],
      message: message.body ? `${message.headline}\n\n${message.body}` : message.headline,
      parents: [head],
      committer: { name: 'GitHub', email: 'noreply@github.com' },
    })
    await call(context, 'PATCH', `${repo}/git/refs/heads/${branch.branchName}`, { sha, force: false })
    return { commit: await readCommit(context, repo, sha) }
  }
  const createCommitOnBranch = ({ input }: { input: unknown }, context: Context) => {
    const done = lock.then(() => apply(Input.parse(input), context))
    lock = done.catch(() => {})
    return done
  }
  return { root: { repository, createCommitOnBranch }, call, callOnce, writeCommit }
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const Listed = z.object({ tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string() })) })

function absentIsNull(error: unknown): null {
  if (error instanceof GraphQLError && error.extensions.type === 'NOT_FOUND') return null
  throw error
}
