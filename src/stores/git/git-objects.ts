// Builds a commit from blobs and trees, without an index or a working tree.
import type { Git } from './git-command.ts'

interface FileChange {
  /** The path relative to the root of the tree. */
  path: string
  text: string
}

/** A line of a tree. The name is decoded as Latin-1, because names in git need not be UTF-8 and the names of other files must stay unchanged. */
interface TreeLine {
  kind: 'blob' | 'tree' | 'commit'
  mode: string
  id: string
}

/**
 * Writes a commit that adds or replaces files of its parent. It reads only the folders along the paths, so the cost does not grow with the catalogue. Creating an index of the whole tree took seconds with 20,000 prompts and unpacked objects.
 *
 * @returns the commit's ID
 * @throws Error if there is a file where a folder must be, or vice versa
 */
export async function writeCommit(
  git: Git,
  { parent, files, message }: { parent: string; files: readonly FileChange[]; message: string },
): Promise<string> {
  const placed: PlacedBlob[] = []
  for (const { path, text } of files) {
    const id = await git.run(['hash-object', '-w', '--no-filters', '--stdin'], { input: text })
    const segments = path.split('/').map((segment) => Buffer.from(segment).toString('latin1'))
    placed.push({ segments, id: id.toString().trim() })
  }
  const tree = await writeTree(git, `${parent}^{tree}`, placed)
  return (await git.run(['commit-tree', tree, '-p', parent, '-F', '-'], { input: message })).toString().trim()
}

interface PlacedBlob {
  segments: readonly string[]
  id: string
}

async function writeTree(git: Git, tree: string | undefined, blobs: readonly PlacedBlob[]): Promise<string> {
  const lines = tree === undefined ? new Map<string, TreeLine>() : await readTree(git, tree)
  const below = Map.groupBy(blobs, ({ segments }) => segments[0] ?? '')
  for (const [name, here] of below) {
    const present = lines.get(name)
    const file = here.find(({ segments }) => segments.length === 1)
    const kind = file ? 'blob' : 'tree'
    if (present && present.kind !== kind) throw new Error(`${name}: expected a ${kind} in git, got a ${present.kind}`)
    if (file) lines.set(name, { kind, mode: '100644', id: file.id })
    else {
      const inner = here.map(({ segments, id }) => ({ segments: segments.slice(1), id }))
      lines.set(name, { kind, mode: '040000', id: await writeTree(git, present?.id, inner) })
    }
  }
  const input = [...lines].map(([name, { mode, kind, id }]) => `${mode} ${kind} ${id}\t${name}\0`).join('')
  // With `--missing`, git does not check that every entry exists. The parent commit contains them, and the check is slow in a folder with many entries.
  const id = await git.run(['mktree', '-z', '--missing'], { input: Buffer.from(input, 'latin1') })
  return id.toString().trim()
}

async function readTree(git: Git, tree: string): Promise<Map<string, TreeLine>> {
  const listing = (await git.run(['ls-tree', '-z', '--full-tree', tree])).toString('latin1')
  const lines = new Map<string, TreeLine>()
  for (const line of listing.split('\0').filter((text) => text !== '')) {
    const [, mode, kind, id, name] = /^(\d+) (blob|tree|commit) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
    const isKnown = kind === 'blob' || kind === 'tree' || kind === 'commit'
    if (mode === undefined || !isKnown || id === undefined || name === undefined)
      throw new Error('expected a line of ls-tree')
    lines.set(name, { mode, kind, id })
  }
  return lines
}
