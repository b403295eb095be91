// Imports the versions of one prompt in order, and its labels, for tools that keep versions themselves.

import { sortVersions } from '../catalogue/versions.ts'
import { formatChat } from '../content/chat.ts'
import { formatPath } from '../content/content-path.ts'
import { editRepositoryFile, parseRepositoryFile, parseVersionFile } from '../content/prompt-file.ts'
import { isSameJson } from '../text/json.ts'
import { type ExistingRepository, type ImportedFiles, type ImportOrder, importPrompt } from './content-files.ts'
import type { PortablePrompt } from './portable.ts'

/**
 * Creates the files of a prompt and of its earlier versions. Versions that were imported before are found again in the same order, so that only new ones are added.
 *
 * @param existing undefined for a new repository
 */
export function importHistory(
  prompt: PortablePrompt,
  name: string,
  existing: ExistingRepository | undefined,
  order: ImportOrder,
): ImportedFiles {
  const indexPath = formatPath({ kind: 'repository', owner: order.owner, name })
  const versionPath = (version: string) => formatPath({ kind: 'version', owner: order.owner, name, version })
  const isSame = (one: PortablePrompt, only: ExistingRepository) =>
    importPrompt(one, name, only, order).status === 'unchanged'
  const all = [...(prompt.earlier ?? []), prompt]
  const known = existing && all.length > 1 ? new KnownVersions(existing, isSame) : undefined
  const written = new Map<string, string>()
  const labels: Record<string, string> = {}
  let current = existing
  let version = ''
  for (const one of all) {
    const found = known?.find(one)
    if (found === undefined) {
      const made = importPrompt(one, name, current, order, existing === undefined && current !== undefined)
      if (made.status === 'refused') return made
      for (const { path, text } of made.files) written.set(path, text)
      version = made.version
      current = {
        versions: [...new Set([...(current?.versions ?? []), version])],
        index: written.get(indexPath) ?? existing?.index,
        read: (number) => written.get(versionPath(number)) ?? existing!.read(number),
      }
    } else version = found
    for (const label of one.labels ?? []) labels[label] = version
  }
  const before = current?.index === undefined ? {} : (parseRepositoryFile(current.index).value?.labels ?? {})
  const after = { ...before, ...labels }
  if (!isSameJson(before, after)) written.set(indexPath, editRepositoryFile(current?.index, { labels: after }))
  const files = Array.from(written, ([path, text]) => ({ path, text }))
  // The labels of an index are written after the versions that they point at.
  const ordered = [...files.filter(({ path }) => path !== indexPath), ...files.filter(({ path }) => path === indexPath)]
  const isAdded = ordered[0] !== undefined && ordered[0].path !== indexPath
  const status = !existing ? 'new' : isAdded ? 'changed' : files.length > 0 ? 'updated' : 'unchanged'
  return { status, version, files: ordered }
}

type IsSame = (prompt: PortablePrompt, only: ExistingRepository) => boolean

/** Finds versions of the source among those of the hub, from the oldest to the newest. */
class KnownVersions {
  readonly #existing: ExistingRepository
  readonly #isSame: IsSame
  readonly #versions: readonly string[]
  /** The places of the versions with a content, in order. */
  readonly #places: ReadonlyMap<string | undefined, number[]>
  #next = 0

  constructor(existing: ExistingRepository, isSame: IsSame) {
    this.#existing = existing
    this.#isSame = isSame
    this.#versions = sortVersions(existing.versions).reverse()
    this.#places = Map.groupBy(this.#versions.keys(), (place) => this.#contentOf(place))
  }

  /** @returns the version on the hub; undefined if it is a new one */
  find(prompt: PortablePrompt): string | undefined {
    const content = prompt.body.format === 'chat' ? formatChat(prompt.body.messages) : prompt.body.text
    const place = this.#places.get(content)?.find((one) => one >= this.#next && this.#isSame(prompt, this.#only(one)))
    // The same place may be found again, because two versions of the source may differ only in what a hub does not store.
    if (place === undefined) this.#next = this.#versions.length
    else this.#next = place
    return place === undefined ? undefined : this.#versions[place]
  }

  /** The repository as if it had only one version. */
  #only(place: number): ExistingRepository {
    return { ...this.#existing, versions: [this.#versions[place]!] }
  }

  #contentOf(place: number): string | undefined {
    return parseVersionFile(this.#existing.read(this.#versions[place]!)).value?.content
  }
}
