// `npm run build [-- --out DIR]`: the deployable site in dist/ and its search index in build/, written at the cost of what changed since the build before it.
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readConfig } from '../src/config.ts'
import { searchIndexPath } from '../src/host/serve-sites.ts'
import { hashCode } from '../src/site/build/code-hash.ts'
import { ContentError } from '../src/site/build/load-catalogue.ts'
import { openPages } from '../src/site/build/render-pages.ts'
import { openSiteBuilder } from '../src/site/build/site-builder.ts'
import { settingsOfSite } from '../src/site/build/site-settings.ts'
import { takeTurns } from '../src/site/build/turns.ts'
import { compareFolder, type Untouched } from '../src/site/build/untouched.ts'
import { type BuildCache, openBuildCache } from '../src/stores/build-cache.ts'
import { sayIgnored } from '../src/stores/content-files.ts'
import { type ContentListing, fingerprintContent, listContent } from '../src/stores/content-listing.ts'
import { takeLock } from '../src/stores/process-lock.ts'
import { buildSearchIndexInSteps, updateSearchIndexInSteps } from '../src/stores/search-index.ts'
import { checkPageWeights, HeavyPagesError } from './page-weights.ts'
import { openProgress } from './progress.ts'

/** What is remembered of a build that was finished. */
const Finished = z.object({
  /** When its last file was written. */
  endedMs: z.number(),
  /** Of the content that it was made of; left out when it could not be told. */
  fingerprint: z.string().optional(),
  /** All else that it was made of, beside the code. */
  settings: z.string(),
  repositories: z.int(),
  files: z.int(),
})
type Finished = z.infer<typeof Finished>

/** Netlify keeps the usual one from one build to the next; nothing in it is needed. */
const { out, keptDir } = readPlaces()
const started = performance.now()
const progress = openProgress()
const config = readConfig(process.env)
const dist = resolve(out, 'dist')
const indexPath = searchIndexPath(dist)
const aside = `${dist}.old`
mkdirSync(keptDir, { recursive: true })
const lock = takeLock(join(keptDir, 'build.lock'), 60_000)
if (!lock) {
  console.error('Another build into this folder is under way.')
  process.exit(1)
}
const codes = hashCode(process.cwd())
const cachePath = join(keptDir, 'cache.db')
const cache = openBuildCache(cachePath, codes)
const before = readState(cache)
const settings = JSON.stringify([settingsOfSite(config), config.buildDay])
const comparison: Untouched | undefined =
  before && existsSync(indexPath) ? compareFolder({ dir: dist, cachePath, codes, endedMs: before.endedMs }) : undefined
let isKept = false
let listing: ContentListing | undefined
try {
  if (!(await hasNothingToDo())) await build()
} catch (error) {
  progress.end()
  // Heavy pages stay where they are, to be looked at; what is wrong with the content was found before anything was written.
  if (!(error instanceof ContentError || error instanceof HeavyPagesError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  removeAside()
  cache.close()
  lock.release()
}

/** Whether all is as the last build left it; then it is said at once. */
async function hasNothingToDo(): Promise<boolean> {
  if (before?.fingerprint === undefined || before.settings !== settings) return false
  progress.show('Looking for changes', 0, 0)
  listing = listContent(config.contentDir)
  if (fingerprintContent(listing) !== before.fingerprint || !(await isUntouched())) return false
  sayEnd(
    sayIgnored(listing.ignored),
    `${before.repositories} repositories, 0 files read; 0 of ${before.files} files written and 0 removed`,
  )
  return true
}

async function build(): Promise<void> {
  const root = process.cwd()
  const builder = openSiteBuilder({
    config,
    environment: process.env,
    today: () => config.buildDay,
    ...{
      root,
      cache,
      listing,
      openPages: () => openPages({ root, keptDir: join(keptDir, 'pages'), code: codes.site }),
    },
    confirmWritten: prepareFolder,
    onProgress: progress.show,
  })
  mkdirSync(dirname(indexPath), { recursive: true })
  const { catalogue, filesRead, fingerprint, ignored } = await builder.read(true)
  // Of a hundred thousand prompts it takes as much memory as all that is written of them in lists.
  listing = undefined
  const difference = await builder.write(dist, 'all', ({ catalogue, ...changes }) =>
    takeTurns(
      isKept ? updateSearchIndexInSteps(indexPath, catalogue, changes) : buildSearchIndexInSteps(catalogue, indexPath),
    ),
  )
  for (const path of difference.gone) removeFile(dist, path)
  // Only code makes pages heavier, and after a change of it everything is built anew.
  if (!isKept) checkPageWeights(dist, catalogue)
  const repositories = catalogue.entries.size
  const files = countFiles(difference.groups)
  // Clocks of files may run a little behind; whatever is changed by hand comes later than this.
  const state: Finished = {
    endedMs: Date.now() + 1,
    ...(fingerprint && { fingerprint }),
    settings,
    repositories,
    files,
  }
  builder.keep(difference, JSON.stringify(state))
  const [written, removed] = [difference.count, difference.gone.length]
  sayEnd(
    ignored,
    `${repositories} repositories, ${filesRead} files read; ${written} of ${files} files written and ${removed} removed`,
  )
}

/** Whether dist/ and its index are as the last build left them; asked when nothing else can be done before it is known. */
async function isUntouched(): Promise<boolean> {
  if (!comparison) return false
  comparison.help()
  return comparison.answer
}

/** From here on dist/ holds neither the old site nor the new one; the cache says so until it is complete. @returns whether it is as the last build left it */
async function prepareFolder(): Promise<boolean> {
  isKept = await isUntouched()
  if (!isKept) {
    cache.forgetWritten()
    setAside()
  }
  cache.save([], JSON.stringify({ isUnfinished: true }))
  return isKept
}

function sayEnd(ignored: string | undefined, what: string): void {
  progress.end()
  if (ignored) console.warn(ignored)
  console.log(`${what} in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}

/** Where the site and its index are written, and where what is kept for the next build lies. */
function readPlaces(): { out: string; keptDir: string } {
  try {
    const { out } = parseArgs({ options: { out: { type: 'string' } } }).values
    return out === undefined
      ? { out: '.', keptDir: resolve('node_modules/.astro/prompt-hub') }
      : { out, keptDir: resolve(out, 'kept') }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: npm run build -- [--out DIR]`)
    process.exit(1)
  }
}

/** @returns undefined also when the last build was not finished */
function readState(kept: BuildCache): Finished | undefined {
  const text = kept.loadState()
  return text === undefined ? undefined : Finished.safeParse(JSON.parse(text)).data
}

/** Removed when the build is done: for minutes after many files were removed, ext4 makes new ones many times slower (docs/scale.md section 1). */
function setAside(): void {
  removeAside()
  if (existsSync(dist)) renameSync(dist, aside)
}

function removeAside(): void {
  if (!existsSync(aside)) return
  progress.show('Removing the site of before', 0, 0)
  rmSync(aside, { recursive: true, force: true })
  progress.end()
}

/** Removes a file, and folders that are empty then, which a clean build would not have either. */
function removeFile(dir: string, path: string): void {
  rmSync(join(dir, path), { force: true })
  for (
    let folder = dirname(path);
    folder !== '/' && readdirSync(join(dir, folder)).length === 0;
    folder = dirname(folder)
  )
    rmdirSync(join(dir, folder))
}

function countFiles(groups: ReadonlyMap<string, { count: number }>): number {
  return [...groups.values()].reduce((sum, { count }) => sum + count, 0)
}
