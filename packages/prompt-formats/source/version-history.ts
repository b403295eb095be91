// Imports the versions of one prompt in order, and its labels, for tools that keep versions themselves.

import type { ConversionProblem } from '../../../src/domain/api/export-formats.ts'
import { formatPath } from '../../../src/domain/content/content-path.ts'
import {
  editRepositoryFile,
  isSameVersion,
  parseRepositoryFile,
  parseVersionFile,
  type VersionFile,
} from '../../../src/domain/content/prompt-file.ts'
import { isSameJson } from '../../../src/domain/text/json.ts'
import { formatTarget } from '../../../src/domain/values/label-target.ts'
import { sortVersions } from '../../../src/domain/values/versions.ts'
import type { PromptSource } from './assign-names.ts'
import {
  describeVersion,
  type ExistingRepository,
  type ImportedFiles,
  type ImportOrder,
  importPrompt,
} from './content-files.ts'
import type { PortablePrompt } from './portable.ts'

/**
 * Creates the files of a prompt and of its earlier versions. Versions that were imported before are found again in the same order, so that only new ones are added.
 *
 * @param source where the prompt was read
 * @param existing undefined for a new repository
 */
export function importHistory(
  prompt: PortablePrompt,
  source: PromptSource,
  name: string,
  existing: ExistingRepository | undefined,
  order: ImportOrder,
): ImportedFiles {
  const alone = importPrompt(prompt, source, name, existing, order)
  const { earlier = [], labels: given = [] } = prompt
  const isOver = alone.status === 'refused' || (existing !== undefined && alone.files.length === 0)
  if (isOver || (earlier.length === 0 && given.length === 0)) return alone
  const indexPath = formatPath({ kind: 'repository', owner: order.owner, name })
  const versionPath = (version: string) => formatPath({ kind: 'version', owner: order.owner, name, version })
  const known = existing && earlier.length > 0 ? new KnownVersions(existing) : undefined
  const written = new Map<string, string>()
  const labels = new Map<string, string>()
  const lost: ConversionProblem[] = []
  let current = existing
  let version = ''
  for (const one of [...earlier, prompt]) {
    const found = known?.find(one)
    // The last one also brings the details that the source states now.
    if (found !== undefined && (one !== prompt || found !== known?.newest)) version = found
    else {
      const isHistory = existing === undefined && current !== undefined
      const made = importPrompt(one, source, name, current, order, { isChecked: true, isHistory })
      lost.push(...made.lost)
      if (made.status === 'refused') return { ...made, lost }
      for (const { path, text } of made.files) written.set(path, text)
      version = made.version
      current = {
        versions: [...new Set([...(current?.versions ?? []), version])],
        index: written.get(indexPath) ?? existing?.index,
        read: (number) => written.get(versionPath(number)) ?? existing!.read(number),
        // No source with several versions has files.
        describeFiles: (number) => (written.has(versionPath(number)) ? [] : existing!.describeFiles(number)),
      }
    }
    for (const label of one.labels ?? []) labels.set(label, version)
  }
  const before = current?.index === undefined ? {} : (parseRepositoryFile(current.index).value?.labels ?? {})
  const moved = Array.from(labels, ([label, version]) => [label, { version, split: null }] as const)
  const after = {
    ...before,
    ...Object.fromEntries(moved.filter(([label, { version }]) => before[label]?.version !== version)),
  }
  const isRelabelled = !isSameJson(before, after)
  if (isRelabelled)
    written.set(
      indexPath,
      editRepositoryFile(current?.index, {
        labels: Object.fromEntries(Object.entries(after).map(([label, target]) => [label, formatTarget(target)])),
        imported_from: source,
      }),
    )
  const files = Array.from(written, ([path, text]) => ({ path, text }))
  // The labels of an index are written after the versions that they point at.
  const ordered = [...files.filter(({ path }) => path !== indexPath), ...files.filter(({ path }) => path === indexPath)]
  const isAdded = ordered[0] !== undefined && ordered[0].path !== indexPath
  const isUpdated = isRelabelled || alone.status === 'updated'
  const status = !existing ? 'new' : isAdded ? 'changed' : isUpdated ? 'updated' : 'unchanged'
  return { status, version, files: ordered, lost }
}

/** Finds versions of the source among those of the hub, from the oldest to the newest. */
class KnownVersions {
  readonly #versions: readonly string[]
  readonly #files: readonly (VersionFile | undefined)[]
  /** The places of the versions with a content, in order. */
  readonly #places: ReadonlyMap<string | undefined, number[]>
  #next = 0

  constructor(existing: ExistingRepository) {
    this.#versions = sortVersions(existing.versions).reverse()
    this.#files = this.#versions.map((version) => parseVersionFile(existing.read(version)).value)
    this.#places = Map.groupBy(this.#versions.keys(), (place) => this.#files[place]?.content)
  }

  get newest(): string | undefined {
    return this.#versions.at(-1)
  }

  /** @returns the version on the hub; undefined if it is a new one */
  find(prompt: PortablePrompt): string | undefined {
    const said = describeVersion(prompt, null)
    const place = this.#places
      .get(said.content)
      ?.find((one) => one >= this.#next && isSameVersion(this.#files[one]!, said))
    // The same place may be found again, because two versions of the source may differ only in what a hub does not store.
    this.#next = place ?? this.#versions.length
    return place === undefined ? undefined : this.#versions[place]
  }
}
