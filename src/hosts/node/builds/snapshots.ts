// Opens the catalogue of each build as a value: a new one shares what has not changed with the one before it. Files that combine several repositories are made from it when somebody asks.

import type { StoredFile, StoredPart } from '../../../build/data-sink.ts'
import { findSharedFile } from '../../../build/shared-files.ts'
import { readSiteDatabase } from '../../../built/site-database.ts'
import { type Bytes, cacheFiles, catalogueUnavailable, type SiteFiles } from '../../../built/site-files.ts'
import { type Catalogue, joinCatalogue, type Orders } from '../../../catalogue/catalogue.ts'
import type { OutlinedEntry } from '../../../catalogue/entry.ts'
import { joinOthers } from '../../../content/content-dir.ts'
import { compareText } from '../../../domain/text/plain-text.ts'
import { isDamage } from '../../../state/sqlite-errors.ts'
import { identify } from '../../../state/state-sqlite.ts'
import { SiteBuild } from './site-folder.ts'

/** The catalogue of one build. */
export interface Snapshot {
  build: SiteBuild
  catalogue: Catalogue<OutlinedEntry>
  /** Its data files, cached after the first read. */
  files: SiteFiles
  /** Ends a build that another has replaced: its database has its files no longer. Those that are not cached are then the newest build's. */
  end(): void
}

/** The parts of the last build. */
interface Parts {
  id: string
  number: number
  entries: Map<string, OutlinedEntry>
  others: Map<string, StoredFile>
  /** What the files of `others` say. */
  joined: ReturnType<typeof joinOthers>
}

/** The stored form of a catalogue's orders, without the names, which the entries have. */
export function formatOrders({ ranks, originals }: Orders, unreadableOwners: ReadonlySet<string>): string {
  const lists = Object.fromEntries(
    Object.entries(ranks).map(([sort, { buffer, byteOffset, byteLength }]) => [
      sort,
      Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
    ]),
  )
  return JSON.stringify({ ranks: lists, originals: [...originals], unreadableOwners: [...unreadableOwners] })
}

/** Reads what `formatOrders` returned. @param entries those of the same catalogue */
export function parseOrders(
  text: string,
  entries: ReadonlyMap<string, unknown>,
): { orders: Orders; unreadableOwners: ReadonlySet<string> } {
  const { ranks, originals, unreadableOwners } = JSON.parse(text)
  // Copied, because the bytes of a small Buffer begin anywhere in a shared one.
  const of = (sort: keyof Orders['ranks']) =>
    new Uint32Array(Uint8Array.from(Buffer.from(ranks[sort], 'base64')).buffer)
  const orders = {
    names: [...entries.keys()].sort(compareText),
    ranks: { top: of('top'), trending: of('trending'), new: of('new'), recent: of('recent') },
    originals: new Map<string, readonly string[]>(originals),
  }
  return { orders, unreadableOwners: new Set(unreadableOwners) }
}

/**
 * Opens the snapshots of a site's database.
 *
 * @returns a function that opens the newest build; it throws the errors of SQLite. `onDamage` is called once if a file cannot be read because the database is damaged
 */
export function openSnapshots(
  path: string,
  { baseUrl, isForReaders }: { baseUrl: string; isForReaders: boolean },
): (onDamage: () => void) => Snapshot {
  let last: Parts | undefined
  /** Reads a file of the newest build. */
  let readNewest: (path: string) => Bytes | undefined
  /** The database of the newest build, which file it is, because the builder replaces one that is damaged, and how many builds are read from it. */
  let current: { database: ReturnType<typeof readSiteDatabase>; identity: string | undefined; uses: number } | undefined
  return (onDamage) => {
    const identity = identify(path)
    const opened =
      current && current.identity === identity ? current : { database: readSiteDatabase(path), identity, uses: 0 }
    const { database } = opened
    opened.uses++
    const end = () => {
      opened.uses--
      if (opened.uses === 0) database.close()
    }
    try {
      const { id, build: text, orders: ordersText, isUpdate, parts } = database.readBuild(last)
      const build = SiteBuild.parse(JSON.parse(text))
      const entries = new Map(isUpdate ? last?.entries : [])
      const others = new Map(isUpdate ? last?.others : [])
      let joined = isUpdate ? last?.joined : undefined
      for (const { name, part: json } of parts) {
        const fullName = name.endsWith('/') ? name.slice(0, -1) : undefined
        const part: StoredPart | undefined = json === null ? undefined : JSON.parse(json)
        if (fullName !== undefined) {
          if (part && 'outline' in part) entries.set(fullName, { ...part.outline, digests: part.digests })
          else entries.delete(fullName)
          continue
        }
        if (part && 'parsed' in part) others.set(name, part)
        else others.delete(name)
        joined = undefined
      }
      const said = joined ?? joinOthers([...others.values()].map(({ parsed }) => parsed))
      last = { id, number: build.number, entries, others, joined: said }
      // Nobody asks for a list of most builds of a hub to which much is published.
      let catalogue: Snapshot['catalogue'] | undefined
      const catalogueOf = () => {
        if (catalogue) return catalogue
        const { orders, unreadableOwners } = parseOrders(ordersText, entries)
        catalogue = joinCatalogue({ ...said, entries }, { baseUrl, isForReaders, unreadableOwners }, orders)
        return catalogue
      }
      let isOld = false
      const read = (path: string): Bytes | undefined => {
        // A publish can wait in the queue for longer than an old build is kept. Then the build that replaced it is read.
        if (isOld) return readNewest(path)
        try {
          return database.read(path, build.number) ?? readShared(catalogueOf(), path)
        } catch (error) {
          if (isDamage(error)) onDamage()
          throw catalogueUnavailable(error)
        }
      }
      readNewest = read
      current = opened
      return {
        build,
        get catalogue() {
          return catalogueOf()
        },
        files: cacheFiles(read),
        end() {
          isOld = true
          end()
        },
      }
    } catch (error) {
      end()
      throw error
    }
  }
}

function readShared(catalogue: Catalogue<OutlinedEntry>, path: string): Bytes | undefined {
  const text = findSharedFile(catalogue, path)
  return text === undefined ? undefined : new TextEncoder().encode(text)
}
