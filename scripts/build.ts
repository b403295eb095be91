// `npm run build [-- --out DIR]`: the deployable site in dist/ and its search index in build/, written at the cost of what changed since the build before it.
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readConfig } from '../src/config.ts'
import { searchIndexPath } from '../src/host/serve-sites.ts'
import { hashCode } from '../src/site/build/code-hash.ts'
import { ContentError } from '../src/site/build/load-catalogue.ts'
import { openPages } from '../src/site/build/render-pages.ts'
import { openSiteBuilder } from '../src/site/build/site-builder.ts'
import { type BuildCache, openBuildCache } from '../src/stores/build-cache.ts'
import { takeLock } from '../src/stores/process-lock.ts'
import { buildSearchIndex, updateSearchIndex } from '../src/stores/search-index.ts'
import { checkPageWeights, HeavyPagesError } from './page-weights.ts'
import { openProgress } from './progress.ts'

/** What is remembered of a build: when its last file was written, or that it was not finished. */
const BuildState = z.union([z.object({ endedMs: z.number() }), z.object({ isUnfinished: z.literal(true) })])

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
const cache = openBuildCache(join(keptDir, 'cache.db'), hashCode(process.cwd()))
const before = readState(cache)
const isKept = before !== undefined && existsSync(indexPath) && isUntouched(dist, cache, before.endedMs)
if (!isKept) {
  cache.forgetWritten()
  setAside()
}
const builder = openSiteBuilder({
  config,
  today: () => config.buildDay,
  ...{ root: process.cwd(), openPages: () => openPages(process.cwd()), cache },
  onProgress: progress.show,
})
// From here on dist/ holds neither the old site nor the new one; the cache says so until it is complete.
cache.save(new Map(), [], JSON.stringify({ isUnfinished: true }))
try {
  mkdirSync(dirname(indexPath), { recursive: true })
  const { catalogue, difference, filesRead, ignored } = await builder.build(dist, true, ({ catalogue, ...changes }) => {
    if (isKept) updateSearchIndex(indexPath, catalogue, changes)
    else buildSearchIndex(catalogue, indexPath)
  })
  if (ignored) console.warn(ignored)
  for (const path of difference.gone) removeFile(dist, path)
  // Only code makes pages heavier, and after a change of it everything is built anew.
  if (!isKept) checkPageWeights(dist, catalogue)
  // Clocks of files may run a little behind; whatever is changed by hand comes later than this.
  builder.keep(difference, JSON.stringify({ endedMs: Date.now() + 1 }))
  rmSync(aside, { recursive: true, force: true })
  progress.end()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${catalogue.entries.size} repositories, ${filesRead} files read; ${difference.written.length} of ${countFiles(difference.groups)} files written and ${difference.gone.length} removed in ${seconds} s.`,
  )
} catch (error) {
  progress.end()
  if (error instanceof ContentError) {
    // It was found before anything was written.
    if (existsSync(aside)) {
      rmSync(dist, { recursive: true, force: true })
      renameSync(aside, dist)
    }
    if (before) cache.save(new Map(), [], JSON.stringify(before))
    // Heavy pages stay where they are, to be looked at.
  } else if (!(error instanceof HeavyPagesError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  cache.close()
  lock.release()
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

function readState(kept: BuildCache): { endedMs: number } | undefined {
  const text = kept.loadState()
  const state = text === undefined ? undefined : BuildState.safeParse(JSON.parse(text)).data
  return state && 'endedMs' in state ? state : undefined
}

/** Whether a folder holds the very files that were written: none more, none less, none changed since. */
function isUntouched(dir: string, kept: BuildCache, endedMs: number): boolean {
  if (!existsSync(dir)) return false
  const missing = new Set([...kept.loadGroups().values()].flatMap(({ paths }) => paths))
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const file = join(entry.parentPath, entry.name)
    if (!missing.delete(file.slice(dir.length)) || lstatSync(file).ctimeMs > endedMs) return false
  }
  return missing.size === 0
}

/** Removed when the build is done: for minutes after many files were removed, ext4 makes new ones many times slower (docs/scale.md section 1). */
function setAside(): void {
  rmSync(aside, { recursive: true, force: true })
  if (existsSync(dist)) renameSync(dist, aside)
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

function countFiles(groups: ReadonlyMap<string, { paths: readonly string[] }>): number {
  return [...groups.values()].reduce((sum, { paths }) => sum + paths.length, 0)
}
