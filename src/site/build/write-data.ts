// Writes all data files of a site and its search index into folders, from nothing: what `npm run build` does beside Astro.
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { listRepositoryPaths } from '../../domain/catalogue/data-files.ts'
import { groupFiles, readUsage } from '../../stores/content/content-dir.ts'
import { readHistory } from '../../stores/content/content-history.ts'
import { fingerprintContent, listContent } from '../../stores/content/content-listing.ts'
import { findConverted } from '../../stores/content/converted-files.ts'
import { filesInto } from '../../stores/content/write-files.ts'
import { buildSearchIndex } from '../../stores/search/write-index.ts'
import { ContentError } from './content-error.ts'
import { type DataSink, openSiteData } from './site-data.ts'
import { writeRepositories } from './write-repositories.ts'

/** Where to write. */
interface DataPlaces {
  /** The folder of the site; nothing of its data may lie there yet. */
  siteDir: string
  /** The search index, a file. */
  indexPath: string
}

/** What was written. */
interface WrittenData {
  repositories: number
  /** How many data files there are. */
  files: number
  /** Of the content that it was made of (content-listing.ts). */
  fingerprint: string | undefined
  /** What editors and systems left in the content; it was passed by. */
  ignored: readonly string[]
}

/**
 * Writes the data of a site.
 *
 * @param onProgress told how far it is; of steps that nobody can count, `total` is 0
 * @param memory settles when there is memory for a second thread
 * @throws ContentError when anything in the content is wrong; what was written is then good for nothing
 */
export async function writeData(
  { contentDir, baseUrl, buildDay }: Pick<Config, 'contentDir' | 'baseUrl' | 'buildDay'>,
  { siteDir, indexPath }: DataPlaces,
  onProgress: (step: string, done: number, total: number) => void = () => {},
  memory: Promise<unknown> = Promise.resolve(),
): Promise<WrittenData> {
  const converted = await findConverted(contentDir, process.env)
  if (converted.length > 0) throw new ContentError(converted)
  const { sink, count } = openFolder(siteDir)
  const read = async () => {
    // Let go when it was read: of a hundred thousand prompts it takes as much memory as all that is written of them in lists.
    const listing = listContent(contentDir)
    const { alone, below } = groupFiles(listing.files)
    const usage = readUsage(contentDir, alone)
    const repositories = Array.from(below, ([fullName, files]) => ({
      ...{ fullName, files, stats: JSON.stringify(usage.get(fullName) ?? null) },
    }))
    const taken = new Int32Array(new SharedArrayBuffer(4))
    const share = { contentDir, baseUrl, siteDir, repositories, taken }
    const kept = await writeRepositories(share, memory, (done, total) => onProgress('Writing the data', done, total))
    const makeState = openSiteData({ contentDir, baseUrl, sink, kept })
    const history = await readHistory(contentDir, process.env, `${buildDay}T00:00:00Z`)
    const { catalogue } = makeState(listing, { day: buildDay, history, isStrict: true })
    const written = kept.reduce(
      (sum, [, part]) => sum + ('outline' in part ? listRepositoryPaths(part.outline).length : 0),
      0,
    )
    return { catalogue, fingerprint: fingerprintContent(listing), ignored: listing.ignored, written }
  }
  const { catalogue, written, ...about } = await read()
  onProgress('Writing the search index', 0, 0)
  writeIndex(catalogue, indexPath)
  return { repositories: catalogue.entries.size, files: written + count(), ...about }
}

/** An index that is deployed is never edited, and a fifth smaller for that. */
function writeIndex(catalogue: Catalogue, indexPath: string): void {
  mkdirSync(dirname(indexPath), { recursive: true })
  buildSearchIndex(catalogue, indexPath, { isEditable: false })
}

/** A folder as the place for data files. Nothing is kept for another state, because a build writes all of them. */
function openFolder(dir: string): { sink: DataSink; count: () => number } {
  const put = filesInto(dir)
  let files = 0
  const refuse = () => {
    throw new Error('A folder of data files is written once.')
  }
  return {
    count: () => files,
    sink: {
      read: (path) => readFileSync(join(dir, path), 'utf8'),
      write(path, text) {
        put(path, text)
        files++
      },
      remove: refuse,
      keep: () => {},
    },
  }
}
