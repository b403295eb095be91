// Writes all data files of a site and its search index into folders, from nothing: what `npm run build` does beside Astro.
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Catalogue } from '../../domain/catalogue/catalogue.ts'
import { fingerprintContent, listContent } from '../../stores/content-listing.ts'
import { findConverted } from '../../stores/converted-files.ts'
import { buildSearchIndex } from '../../stores/search-index.ts'
import { filesInto } from '../../stores/write-files.ts'
import { ContentError } from './content-error.ts'
import { type DataSink, openSiteData } from './site-data.ts'

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
 * @throws ContentError when anything in the content is wrong; what was written is then good for nothing
 */
export async function writeData(
  { contentDir, baseUrl, buildDay }: Pick<Config, 'contentDir' | 'baseUrl' | 'buildDay'>,
  { siteDir, indexPath }: DataPlaces,
  onProgress: (step: string, done: number, total: number) => void = () => {},
): Promise<WrittenData> {
  const converted = await findConverted(contentDir, process.env)
  if (converted.length > 0) throw new ContentError(converted)
  const { sink, count } = openFolder(siteDir)
  const makeState = openSiteData({
    ...{ contentDir, baseUrl, sink },
    onProgress: (done, total) => onProgress('Writing the data', done, total),
  })
  const read = () => {
    // Let go when it was read: of a hundred thousand prompts it takes as much memory as all that is written of them in lists.
    const listing = listContent(contentDir)
    const fingerprint = fingerprintContent(listing)
    const { catalogue } = makeState(listing, { day: buildDay, isStrict: true })
    return { catalogue, fingerprint, ignored: listing.ignored }
  }
  const { catalogue, ...about } = read()
  onProgress('Writing the search index', 0, 0)
  writeIndex(catalogue, indexPath)
  return { repositories: catalogue.entries.size, files: count(), ...about }
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
