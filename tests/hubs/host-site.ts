// Creates builds in a site database inside a test process, as the host's builder does.
import { DatabaseSync } from 'node:sqlite'
import type { StoredPart } from '../../src/build/data-sink.ts'
import { findSharedFile, listSharedPaths } from '../../src/build/shared-files.ts'
import { type MadeBuild, openSiteData } from '../../src/build/site-data.ts'
import { openSiteDatabase } from '../../src/built/site-database.ts'
import type { ContentReader } from '../../src/content/content-files.ts'
import { openObjects } from '../../src/content/content-reader.ts'
import { openContentSource } from '../../src/content/content-source.ts'
import { formatOrders, type Snapshot } from '../../src/hosts/node/builds/snapshots.ts'

/**
 * Opens the database at a path.
 *
 * @param wrap changes how files are read
 * @param code identifies the version of the code that writes to it
 */
export function openHostSite(
  path: string,
  {
    contentDir,
    baseUrl,
    wrap = (reader) => reader,
  }: { contentDir: string; baseUrl: string; wrap?: (reader: ContentReader) => ContentReader },
  code = '1',
) {
  const database = openSiteDatabase<StoredPart>(path, code)
  const source = openContentSource({ contentDir, dir: `${path}.git`, environment: process.env })
  const makeBuild = openSiteData({ baseUrl, sink: database })
  let catalogue: MadeBuild['catalogue'] | undefined
  let number = database.build === undefined ? 0 : Number(database.build)
  return {
    /** Creates the next build. Each build is recorded, and the files of the previous build are discarded. */
    async makeBuild(day: string, added: ReadonlyMap<string, string> = new Map()): Promise<MadeBuild> {
      const { listing } = await source.look()
      database.begin(++number)
      const history = { since: `${day}T00:00:00Z`, changes: new Map(), added }
      const made = makeBuild(listing, () => wrap(openObjects(source.git, listing)), { day, history })
      const orders = formatOrders(made.orders, made.unreadableOwners)
      const isDifferent = made.isDifferent || orders !== database.orders
      database.save(String(number), orders)
      database.forgetBefore(number)
      catalogue = made.catalogue
      return { ...made, isDifferent }
    },
    /** Returns every file of the last build with its bytes, as Latin-1, sorted by path. */
    readAll: () => readDatabase(path, number, catalogue!),
    close: database.close,
  }
}

/** Returns every file of a build with its bytes, as Latin-1, sorted by path. @param catalogue the catalogue of the build */
export function readDatabase(path: string, number: number, catalogue: Snapshot['catalogue']): Map<string, string> {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database
    .prepare(
      'SELECT path, bytes FROM files AS one WHERE since = (SELECT max(since) FROM files WHERE path = one.path AND since <= ?) AND bytes IS NOT NULL',
    )
    .all(number)
  database.close()
  const stored = rows.map(({ path, bytes }) => [String(path), Buffer.from(bytes as Uint8Array)] as const)
  const shared = listSharedPaths(catalogue).map(
    (path) => [path, Buffer.from(findSharedFile(catalogue, path)!)] as const,
  )
  return new Map(
    [...stored, ...shared]
      .map(([path, bytes]): [string, string] => [path, bytes.toString('latin1')])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
