// Owns making a tree of parsed files, in which whatever did not change is the same object as the last time.
import { hash } from 'node:crypto'
import type { ContentTree, RepositoryEntry, VersionEntry } from '../domain/content/content-tree.ts'
import type { OwnerFile, RepositoryFile } from '../domain/content/prompt-file.ts'
import type { Equivalents } from '../domain/search/equivalents.ts'
import type { ParsedFile } from './content-file.ts'

/** What is known of a file that a tree is made of. */
interface GrowingFile {
  sha256: string
  /** As it is now. */
  parsed: { value?: ParsedFile }
  /** As it was when nothing was wrong with it. */
  good: { sha256: string } | undefined
}

interface Grown {
  /** The parsed files it was made of. */
  parts: readonly ParsedFile[]
  entry: RepositoryEntry
}

/** Makes a function that grows trees, in which a repository whose files are the same objects as the last time is the same object too. */
export function growTrees<File extends GrowingFile>() {
  let before = new Map<string, Grown>()
  return (files: ReadonlyMap<string, File>, choose: (file: File) => ParsedFile | undefined): ContentTree => {
    const owners = new Map<string, OwnerFile>()
    const parts = new Map<string, ParsedFile[]>()
    const digests = new Map<string, string[]>()
    let usage: ContentTree['usage'] = new Map()
    let equivalents: Equivalents = []
    for (const [path, known] of files) {
      const file = choose(known)
      if (!file) continue
      if (file.kind === 'usage') usage = new Map(Object.entries(file.value))
      else if (file.kind === 'equivalents') equivalents = file.value
      else if (file.kind === 'owner') owners.set(file.owner, file.value)
      else {
        const fullName = `${file.owner}/${file.name}`
        const sha256 = known.parsed.value === file ? known.sha256 : (known.good?.sha256 ?? '')
        parts.set(fullName, [...(parts.get(fullName) ?? []), file])
        digests.set(fullName, [...(digests.get(fullName) ?? []), `${path} ${sha256}`])
      }
    }
    const grown = new Map<string, Grown>()
    for (const [fullName, files] of parts) {
      const same = before.get(fullName)
      const isSame = same?.parts.length === files.length && files.every((file, index) => file === same.parts[index])
      const digest = () => hash('sha256', digests.get(fullName)!.toSorted().join('\n'))
      grown.set(fullName, isSame ? same : { parts: files, entry: growRepository(files, digest()) })
    }
    before = grown
    const repositories = new Map([...grown].map(([fullName, { entry }]) => [fullName, entry]))
    return { owners, repositories, usage, equivalents }
  }
}

function growRepository(files: readonly ParsedFile[], digest: string): RepositoryEntry {
  let file: RepositoryFile | undefined
  let place = { owner: '', name: '' }
  const versions: VersionEntry[] = []
  for (const part of files) {
    if (part.kind !== 'repository' && part.kind !== 'version') continue
    place = { owner: part.owner, name: part.name }
    if (part.kind === 'version') versions.push(part.value)
    else file = part.value
  }
  return { ...place, file, versions, digest }
}
