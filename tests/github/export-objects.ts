// Exports emulate's objects to a real git repository, so that real git can check them.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { z } from 'zod'

const Person = z.object({ name: z.string(), email: z.string(), date: z.string() })
const Ref = z.object({ object: z.object({ sha: z.string() }) })
const Commit = z.object({
  message: z.string(),
  author: Person,
  committer: Person,
  tree: z.object({ sha: z.string() }),
  parents: z.array(z.object({ sha: z.string() })),
})
const Tree = z.object({
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: z.string() })),
})
const Blob = z.object({ content: z.string() })

/**
 * Writes the branch `main` and all objects reachable from it to a bare repository. Each object is rebuilt from REST
 * data, and its ID must match. Objects already in the folder are not requested again.
 *
 * @param read returns the data at a path below the repository, such as `/git/commits/{sha}`
 * @param folder the folder of the bare repository
 */
export async function exportObjects(read: (path: string) => Promise<unknown>, folder: string): Promise<void> {
  const head = Ref.parse(await read('/git/ref/heads/main')).object.sha
  const placeOf = (id: string) => join(folder, 'objects', id.slice(0, 2), id.slice(2))
  const has = (id: string) => existsSync(placeOf(id))

  const write = async (type: string, body: Uint8Array, expected: string): Promise<void> => {
    const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
    const id = createHash('sha1').update(bytes).digest('hex')
    if (id !== expected) throw new Error(`emulate calls a ${type} ${expected} that git calls ${id}`)
    const path = placeOf(id)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, deflateSync(bytes))
  }
  const writeTree = async (sha: string): Promise<void> => {
    if (has(sha)) return
    const { tree } = Tree.parse(await read(`/git/trees/${sha}`))
    for (const entry of tree) {
      if (entry.type === 'tree') await writeTree(entry.sha)
      if (entry.type !== 'blob' || has(entry.sha)) continue
      await write('blob', Buffer.from(Blob.parse(await read(`/git/blobs/${entry.sha}`)).content, 'base64'), entry.sha)
    }
    // Git sorts a folder as if its name ended in a slash.
    const sortName = ({ path, type }: { path: string; type: string }) =>
      Buffer.from(type === 'tree' ? `${path}/` : path)
    const lines = tree
      .sort((a, b) => Buffer.compare(sortName(a), sortName(b)))
      .flatMap(({ mode, path, sha: id }) => [
        Buffer.from(`${mode.replace(/^0/, '')} ${path}\0`),
        Buffer.from(id, 'hex'),
      ])
    await write('tree', Buffer.concat(lines), sha)
  }

  const missing = new Map<string, z.infer<typeof Commit>>()
  for (const next = [head]; next.length > 0; ) {
    const sha = next.pop()!
    if (missing.has(sha) || has(sha)) continue
    const commit = Commit.parse(await read(`/git/commits/${sha}`))
    missing.set(sha, commit)
    next.push(...commit.parents.map((parent) => parent.sha))
  }
  // A commit is written after everything that it refers to, so that an existing commit is always complete.
  const writeCommit = async (sha: string): Promise<void> => {
    const commit = missing.get(sha)
    if (!commit || has(sha)) return
    await writeTree(commit.tree.sha)
    await write('commit', Buffer.from(formatCommit(commit)), sha)
  }
  for (const sha of [...missing.keys()].reverse()) await writeCommit(sha)
  await mkdir(join(folder, 'refs', 'heads'), { recursive: true })
  // Replaces the file atomically, because git may be reading it.
  const replace = async (path: string, text: string) => {
    await writeFile(`${path}.next`, text)
    await rename(`${path}.next`, path)
  }
  await replace(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  await replace(join(folder, 'refs', 'heads', 'main'), `${head}\n`)
}

function formatCommit({ message, author, committer, tree, parents }: z.infer<typeof Commit>): string {
  const person = ({ name, email, date }: z.infer<typeof Person>) =>
    `${name} <${email}> ${Math.floor(Date.parse(date) / 1000)} +0000`
  const lines = [
    `tree ${tree.sha}`,
    ...parents.map(({ sha }) => `parent ${sha}`),
    `author ${person(author)}`,
    `committer ${person(committer)}`,
  ]
  return `${lines.join('\n')}\n\n${message.endsWith('\n') ? message : `${message}\n`}`
}
