// Writes all of a site's data files and its search index from scratch: everything in `npm run build` except the Astro build.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { readHistory } from '../content/content-history.ts'
import { isFolderUnreadable, listIgnored } from '../content/content-listing.ts'
import { openObjects } from '../content/content-reader.ts'
import { type ContentSource, describeMissing, lookOnce } from '../content/content-source.ts'
import { findFirstFiles, listProblems } from '../content/first-files.ts'
import { filesInto } from '../content/write-files.ts'
import { buildSearchIndex } from '../search/write-index.ts'
import { ContentError } from './content-error.ts'
import type { DataSink } from './data-sink.ts'
import type { ParsedAhead, PromptFiles } from './make-in-order.ts'
import { findSharedFile, listSharedPaths } from './shared-files.ts'
import { openSiteData } from './site-data.ts'

/** The output locations. */
interface DataPlaces {
  /** The site folder, which must not contain data files yet. */
  siteDir: string
  /** The path of the search index. */
  indexPath: string
}

/** A summary of what was written. */
interface WrittenData {
  repositories: number
  /** Number of data files. */
  files: number
  /** The ignored files that editors and operating systems created. */
  ignored: readonly string[]
}

/**
 * Writes the data of a site.
 *
 * @param onProgress called with the progress; `total` is 0 for steps without a known total
 * @throws ContentError if the content has problems; the output is then unusable
 */
export async function writeData(
  { contentDir, baseUrl, buildDay }: Pick<Config, 'contentDir' | 'baseUrl' | 'buildDay'>,
  { siteDir, indexPath }: DataPlaces,
  onProgress: (step: string, done: number, total: number) => void = () => {},
  parseAhead?: (source: ContentSource, prompts: PromptFiles[]) => ParsedAhead | undefined,
): Promise<WrittenData> {
  const { sink, count } = openFolder(siteDir)
  const { catalogue, ignored } = await lookOnce(contentDir, process.env, async (look, source) => {
    const missing = describeMissing(look.missing)
    if (missing.length > 0) throw new ContentError(missing)
    const history = await readHistory(contentDir, process.env, `${buildDay}T00:00:00Z`)
    // A deployment with the first files would leave nobody who repairs the branch.
    const changed = isFolderUnreadable(look.listing)
      ? []
      : listProblems(await findFirstFiles({ git: source.git, look, history, affected: 'all' }))
    if (changed.length > 0) throw new ContentError(changed)
    const makeBuild = openSiteData({
      baseUrl,
      sink,
      onProgress: (done, total) => onProgress('Writing the data', done, total),
    })
    const openContent = () => openObjects(source.git, look.listing)
    const { catalogue } = makeBuild(look.listing, openContent, {
      day: buildDay,
      history,
      isStrict: true,
      ...(parseAhead && { parseAhead: (prompts) => parseAhead(source, prompts) }),
    })
    for (const path of listSharedPaths(catalogue)) sink.write(path, findSharedFile(catalogue, path)!)
    return { catalogue, ignored: listIgnored(look.listing) }
  })
  onProgress('Writing the search index', 0, 0)
  mkdirSync(dirname(indexPath), { recursive: true })
  // A deployed index is never edited, and a read-only index is half as large (docs/scale.md section 5).
  buildSearchIndex(catalogue, indexPath, { isEditable: false })
  return { repositories: catalogue.entries.size, files: count(), ignored }
}

/** Opens a folder as the destination for data files. No data is stored for later updates, because a build writes all files. */
function openFolder(dir: string): { sink: DataSink; count: () => number } {
  const put = filesInto(dir)
  let files = 0
  return {
    count: () => files,
    sink: {
      read: (path) => readFileSync(join(dir, path), 'utf8'),
      write(path, content) {
        put(path, content)
        files++
      },
      remove: (path) => rmSync(join(dir, path), { force: true }),
      listPathsOutside: () => [],
      storePart: () => {},
      listParts: () => [],
    },
  }
}
