// Orders the prompts of an import, so that a prompt comes after those that it includes, and finds what its references name.
import { findIncludeLines } from '../../../src/domain/compose/include-lines.ts'
import { parseRepositoryFile, parseVersionFile } from '../../../src/domain/content/prompt-file.ts'
import { kindOfRange } from '../../../src/domain/values/include-range.ts'
import { sortVersions } from '../../../src/domain/values/versions.ts'
import type { ExistingRepository } from './content-files.ts'
import type { PortablePrompt, PromptReference } from './portable.ts'
import type { ReferenceTarget } from './references.ts'

/** The order of an import. */
interface ImportSequence {
  /** The indexes of the prompts, parts first. */
  order: readonly number[]
  /** Finds the prompt that a reference of another one names; undefined if none does, or only after it. */
  find: (reference: PromptReference, from: number) => number | undefined
  /** Returns whether a name is that of a prompt which comes later, because it inserts the one at `from`, directly or through others. @param name one of `knownAs`, or a full name */
  isLater: (name: string, from: number) => boolean
}

type Ordered = Pick<PortablePrompt, 'knownAs' | 'references' | 'earlier' | 'file'>

/**
 * Orders prompts. Prompts that include each other keep the order of the import, and the first of them includes none of the others.
 *
 * @param fullNames the names on the hub, which include lines have
 */
export function orderImport(prompts: readonly Ordered[], fullNames: readonly string[]): ImportSequence {
  const byName = new Map<string, number>()
  for (const [index, { knownAs = [] }] of prompts.entries())
    for (const name of [...knownAs, fullNames[index]!]) if (!byName.has(name)) byName.set(name, index)
  const place = new Map<number, number>()
  const entered = new Set<number>()
  // A chain of references may be as long as the import, which would be too deep for recursion.
  for (const start of prompts.keys()) {
    const stack = [start]
    while (stack.length > 0) {
      const index = stack.at(-1)!
      const targets = entered.has(index) ? [] : targetsOf(prompts[index]!, byName)
      entered.add(index)
      const next = targets.filter((target) => !entered.has(target))
      if (next.length > 0) stack.push(...next)
      else {
        stack.pop()
        if (!place.has(index)) place.set(index, place.size)
      }
    }
  }
  return {
    order: [...place.keys()],
    find: ({ to }, from) => {
      const found = byName.get(to)
      return found !== undefined && place.get(found)! < place.get(from)! ? found : undefined
    },
    isLater: (name, from) => {
      const found = byName.get(name)
      return found !== undefined && place.get(found)! > place.get(from)!
    },
  }
}

function targetsOf({ references = [], earlier = [], file }: Ordered, byName: ReadonlyMap<string, number>): number[] {
  const all = [...references, ...earlier.flatMap((one) => one.references ?? [])].map(({ to }) => to)
  const { value: lines = [] } = file?.compose ? findIncludeLines(file.content) : {}
  all.push(...lines.map(({ repository }) => repository))
  return [...new Set(all.flatMap((name) => byName.get(name) ?? []))]
}

/** Decides which version of a prompt takes the place of a reference. @param part the prompt as it was read @param existing the prompt as it was written */
export function targetOf(
  { version, label }: PromptReference,
  repository: string,
  part: PortablePrompt,
  existing: ExistingRepository,
): ReferenceTarget {
  if (label !== undefined) {
    const { labels = {} } = parseRepositoryFile(existing.index ?? '').value ?? {}
    if (kindOfRange(label) === 'label' && Object.hasOwn(labels, label)) return { repository, range: label }
    return { reason: `${repository} has no label ${label.slice(0, 60)}` }
  }
  if (version === undefined) return { repository, range: '*' }
  const meant = [...(part.earlier ?? []), part].find(({ number }) => number === version)
  const found = meant && findVersion(meant, existing)
  if (found !== undefined) return { repository, range: found }
  return { reason: `version ${version.slice(0, 20)} of ${repository} is not in this import` }
}

/** Finds the highest version with the text of a prompt. */
function findVersion({ body, composed }: PortablePrompt, existing: ExistingRepository): string | undefined {
  const text = composed?.content ?? (body.format === 'text' ? body.text : undefined)
  return sortVersions(existing.versions).find(
    (version) => parseVersionFile(existing.read(version)).value?.content === text,
  )
}
