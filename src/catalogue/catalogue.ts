// Builds the catalogue from parsed files: latest versions, visibility, lists, tags and users.

import { type Addresses, addressesBelow, type Sort } from '../domain/api/data-paths.ts'
import type { RepositorySummary, TagRecord, User } from '../domain/api/schema.ts'
import { describeOwner, profileOf } from '../domain/catalogue/owner-records.ts'
import type { TrustedPublisher } from '../domain/content/front-matter.ts'
import type { Models } from '../domain/content/models.ts'
import type { TrustedRootFile } from '../domain/content/trusted-root-file.ts'
import { compareText } from '../domain/text/plain-text.ts'
import type { ContentTree } from './content-tree.ts'
import { type CatalogueEntry, makeEntry, type OutlinedEntry } from './entry.ts'
import { findOriginals, joinWords, type Originals } from './originals.ts'
import { listMemberships, listTrustedJobs } from './owners.ts'
import { type RankedRepository, type Ranks, rank } from './ranking.ts'
import type { Equivalents } from './search/equivalents.ts'

/** All repositories, and the lists in which they appear. */
export interface Catalogue<Entry extends OutlinedEntry = CatalogueEntry> {
  baseUrl: string
  /** All repositories by full name, sorted. */
  entries: ReadonlyMap<string, Entry>
  /** The listed repositories, in each sort order. */
  listed: Readonly<Record<Sort, readonly RepositorySummary[]>>
  /** The listed repositories, most recently updated first. */
  recent: readonly RepositorySummary[]
  /** All tags, highest count first, then by name. */
  tags: readonly TagRecord[]
  /** All owners by handle, sorted. */
  users: ReadonlyMap<string, User>
  /** Owners by the login of each member, sorted. */
  memberships: ReadonlyMap<string | number, readonly string[]>
  /** Whether only readers may read the hub. */
  isForReaders: boolean
  /** The trusted workflows of all owners by the ID of their GitHub repository; empty unless only readers may read the hub. */
  trustedJobs: ReadonlyMap<string, readonly TrustedPublisher[]>
  /** The orders of the repositories. */
  orders: Orders
  /** The owners that have a file or a repository. */
  handles: ReadonlySet<string>
  /** Search synonyms. */
  equivalents: Equivalents
  /** The models with an announced end. */
  models: Models
  /** The Sigstore instances whose attestations the hub accepts. */
  trustedRoot: TrustedRootFile | undefined
}

/** The inputs of a catalogue other than its files. */
interface CatalogueOptions {
  /** The hub's base URL, without a trailing slash. */
  baseUrl: string
  /** The build date in UTC, `YYYY-MM-DD`. Only this date and the files determine the order of `trending`. */
  day: string
  /** Whether only readers may read the hub. */
  isForReaders?: boolean
  /** Owners whose file cannot be read now. */
  unreadableOwners?: ReadonlySet<string>
}

/** The input of a catalogue: its files, and values derived from them. */
type CatalogueParts<Entry> = Pick<ContentTree, 'owners' | 'equivalents' | 'models' | 'trustedRoot'> & {
  entries: ReadonlyMap<string, Entry>
}

/** Builds the catalogue from valid files. */
export function buildCatalogue(tree: ContentTree, options: CatalogueOptions): Catalogue {
  const entries = new Map<string, CatalogueEntry>()
  for (const [fullName, files] of tree.repositories)
    entries.set(
      fullName,
      makeEntry(files, { ...options, models: tree.models, stats: tree.usage.get(fullName) ?? null }),
    )
  return joinCatalogue({ ...tree, entries }, options, orderCatalogue(entries, options))
}

/** The input of an order: a repository without its texts. */
type Orderable = RankedRepository &
  Pick<OutlinedEntry, 'isListed' | 'digests'> & { repository?: { content: string | null } }

/** Which repositories are listed, and in which orders. A plain value, so that a worker thread can make it. */
export interface Orders {
  /** The full names of all repositories, sorted. */
  names: readonly string[]
  /** The listed repositories in each order, as positions in `names`. */
  ranks: Ranks
  /** The originals of the listed copies, by full name. */
  originals: Originals
}

/**
 * Orders the repositories of a catalogue.
 *
 * @param day the build date in UTC, `YYYY-MM-DD`
 * @param last earlier orders, from which most follow: that is faster
 */
export function orderCatalogue(
  entries: ReadonlyMap<string, Orderable>,
  { day }: Pick<CatalogueOptions, 'day'>,
  last?: Orders,
): Orders {
  const names = [...entries.keys()].sort(compareText)
  const listed: number[] = []
  const shown: Orderable[] = []
  for (const [position, name] of names.entries()) {
    const entry = entries.get(name)!
    if (!entry.isListed) continue
    listed.push(position)
    shown.push(entry)
  }
  const originals = findOriginals(shown.map((entry) => ({ summary: entry.summary, words: wordsOf(entry) })))
  const ranks = rank(shown, {
    day,
    originals,
    last: last && mapRanks(last.ranks, placesNow(last.names, names, listed)),
  })
  return { names, originals, ranks: mapRanks(ranks, Uint32Array.from(listed)) }
}

const GONE = 0xffffffff

/** Returns the place in a list for each earlier name, `GONE` without one. @param before sorted @param names sorted @param listed positions in `names` */
function placesNow(before: readonly string[], names: readonly string[], listed: readonly number[]): Uint32Array {
  const placeAt = new Uint32Array(names.length).fill(GONE)
  for (const [place, position] of listed.entries()) placeAt[position] = place
  const places = new Uint32Array(before.length).fill(GONE)
  let at = 0
  for (const [position, name] of names.entries()) {
    while (at < before.length && compareText(before[at]!, name) < 0) at++
    if (before[at] === name) places[at] = placeAt[position]!
  }
  return places
}

/** Gives each rank other places. @param places by place, `GONE` for those that are left out */
function mapRanks(ranks: Ranks, places: Uint32Array): Ranks {
  const map = (order: Ranks['top']) => {
    const mapped = new Uint32Array(order.length)
    let length = 0
    for (const place of order) {
      const now = places[place]!
      if (now !== GONE) mapped[length++] = now
    }
    return mapped.subarray(0, length)
  }
  return { top: map(ranks.top), trending: map(ranks.trending), new: map(ranks.new), recent: map(ranks.recent) }
}

/**
 * Builds the catalogue from existing repository entries. Takes little time: what few readers need is made at its first use.
 *
 * @param orders those of the same entries, from `orderCatalogue`
 */
export function joinCatalogue<Entry extends OutlinedEntry>(
  parts: CatalogueParts<Entry>,
  options: Omit<CatalogueOptions, 'day'>,
  orders: Orders,
): Catalogue<Entry> {
  const { names, ranks } = orders
  const { baseUrl, isForReaders = false, unreadableOwners } = options
  const addresses = addressesBelow(baseUrl)
  const sorted = names.map((name) => parts.entries.get(name)!)
  const entries = new Map<string, Entry>()
  for (const [position, entry] of sorted.entries()) entries.set(names[position]!, entry)
  const inOrder = (rank: Uint32Array) => [...rank].map((position) => sorted[position]!.summary)
  const listed = lazily<Catalogue['listed']>({
    top: () => inOrder(ranks.top),
    trending: () => inOrder(ranks.trending),
    new: () => inOrder(ranks.new),
  })
  return lazily<Catalogue<Entry>>({
    baseUrl: () => baseUrl,
    orders: () => orders,
    entries: () => entries,
    listed: () => listed,
    recent: () => inOrder(ranks.recent),
    tags: () => countTags(listed.top, addresses),
    handles: () => listHandles(parts.owners, sorted),
    users: ({ handles, recent }) => buildUsers(parts, handles, recent, addresses),
    memberships: () => listMemberships(parts, unreadableOwners),
    isForReaders: () => isForReaders,
    trustedJobs: () => (isForReaders ? listTrustedJobs(parts) : new Map()),
    equivalents: () => parts.equivalents,
    models: () => parts.models,
    trustedRoot: () => parts.trustedRoot,
  })
}

/**
 * Makes an object whose fields are made when they are first read.
 *
 * @param makers functions that make the fields from the other fields
 */
function lazily<Whole extends object>(makers: { [Key in keyof Whole]: (whole: Whole) => Whole[Key] }): Whole {
  const whole = {} as Whole
  for (const key of Object.keys(makers) as (keyof Whole)[]) {
    const get = () => {
      const value = makers[key](whole)
      Object.defineProperty(whole, key, { value, enumerable: true })
      return value
    }
    Object.defineProperty(whole, key, { get, enumerable: true, configurable: true })
  }
  return whole
}

/** Returns a value that is the same for prompts with the same words. The record is read only if it must be, because a builder reads each from a file. */
function wordsOf(entry: Orderable): string | null {
  return entry.digests ? entry.digests.words : (joinWords(entry.repository?.content ?? '') ?? null)
}

function listHandles(owners: ReadonlyMap<string, unknown>, sorted: readonly OutlinedEntry[]): Set<string> {
  const handles = new Set(owners.keys())
  for (const { summary } of sorted) handles.add(summary.owner)
  return handles
}

function countTags(listed: readonly RepositorySummary[], addresses: Addresses): TagRecord[] {
  const counts = new Map<string, number>()
  for (const { tags } of listed) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count, url: addresses.tag(name) }))
    .sort((a, b) => b.count - a.count || compareText(a.name, b.name))
}

function buildUsers(
  tree: Pick<ContentTree, 'owners'>,
  handles: ReadonlySet<string>,
  recent: readonly RepositorySummary[],
  addresses: Addresses,
): Map<string, User> {
  const reposOf = new Map(Array.from(handles, (handle): [string, RepositorySummary[]] => [handle, []]))
  for (const summary of recent) reposOf.get(summary.owner)!.push(summary)
  const users = new Map<string, User>()
  for (const [handle, repos] of sortByKey(reposOf)) {
    users.set(handle, describeOwner(handle, profileOf(tree.owners.get(handle)), repos, addresses))
  }
  return users
}

function sortByKey<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => compareText(a, b))
}
