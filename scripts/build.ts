// `npm run build [-- --out DIR]`: writes the deployable site to dist/, and its search index and page code to build/. Writes everything from scratch, then replaces the last build; does nothing if nothing changed.
import { hash } from 'node:crypto'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { countOf } from '../src/domain/text/count-of.ts'
import { bundlePlaceOf, findBundle } from '../src/host/builds/pages-bundle.ts'
import type { BuildSource } from '../src/ports/fresh-copies.ts'
import {
  type BuildPlaces,
  type Built,
  builtFile,
  indexOf,
  nextOf,
  oldOf,
  pagesOf,
  placesOf,
  readBuilt,
  removeOld,
  removeUnfinished,
  swapIn,
} from '../src/site/build/build-places.ts'
import { ContentError } from '../src/site/build/content-error.ts'
import { writeData } from '../src/site/build/write-data.ts'
import { describeIgnored } from '../src/stores/content/content-files.ts'
import { fingerprintContent, listContent } from '../src/stores/content/content-listing.ts'
import { takeLock } from '../src/stores/git/process-lock.ts'
import { writeBuildRecord } from '../src/stores/site/build-record.ts'
import { readBuildSource } from '../src/stores/site/build-source.ts'
import { openProgress } from './progress.ts'

/** How long the last build's files remain readable for requests that started with it under `npm run serve`. */
const RETIRE_MS = 2_000

const started = performance.now()
const places = readPlaces()
const progress = openProgress()
const config = readConfig(process.env)
const pagesPlace = bundlePlaceOf(config)
/** Identifies everything except the content that determines a build. */
const madeBy = JSON.stringify([pagesPlace.key, config.buildDay])
mkdirSync('.astro', { recursive: true })
const lock = takeLock(join('.astro', `build-${hash('sha256', places.dist).slice(0, 16)}.lock`), 60_000)
if (!lock) {
  console.error('Another build into this folder is already running.')
  process.exit(1)
}
try {
  swapIn(places)
  removeUnfinished(places)
  // Recorded before the content is read, so that nothing published later counts as read.
  const source = await readBuildSource(config.contentDir, process.env)
  const built = hasNothingToDo()
  // The source changes even if versions were published and then removed again.
  if (built) writeBuildRecord(builtFile(places), { ...built, source })
  else await build(source)
} catch (error) {
  progress.end()
  if (!(error instanceof ContentError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  removeUnfinished(places)
  lock.release()
}

/** Returns the last build if nothing changed, and reports that. */
function hasNothingToDo(): Built | undefined {
  const built = readBuilt(places)
  if (built?.fingerprint === undefined || built.made_by !== madeBy) return undefined
  progress.show('Looking for changes', 0, 0)
  const listing = listContent(config.contentDir)
  if (fingerprintContent(listing) !== built.fingerprint || !isUntouched(places.dist, built.ended_ms)) return undefined
  printResult(`${built.repositories} repositories; nothing changed`, listing.ignored)
  return built
}

async function build(source: BuildSource): Promise<void> {
  const next = nextOf(places)
  const stopping = new AbortController()
  try {
    // Another process bundles the pages in the meantime, unless a bundle of this code exists.
    const bundling = findBundle(pagesPlace, stopping.signal)
    const writing = writeData(config, { siteDir: next.dist, indexPath: indexOf(next) }, progress.show, bundling)
    const [bundle, written] = await Promise.all([bundling, writing])
    const { repositories, files, fingerprint, ignored } = written
    cpSync(bundle.client, next.dist, { recursive: true })
    cpSync(bundle.server, pagesOf(next), { recursive: true })
    // File timestamps may lag slightly; manual changes are made after this time.
    const about = { ended_ms: Date.now() + 1, made_by: madeBy, repositories, files }
    const now = new Date().toISOString()
    const built: Built = { built_at: now, source, ...about, ...(fingerprint && { fingerprint }) }
    writeBuildRecord(builtFile(next), built)
    swapIn(places)
    printResult(`${countOf(repositories, 'prompt')}, ${countOf(files, 'data file')} written`, ignored)
  } finally {
    stopping.abort()
  }
  if (!existsSync(oldOf(places).dist)) return
  await sleep(RETIRE_MS)
  removeOld(places)
}

/** Returns whether nobody has changed a folder by hand since it was written: the changed file or its folder would have a newer timestamp. */
function isUntouched(dir: string, endedMs: number): boolean {
  if (lstatSync(dir).mtimeMs > endedMs) return false
  return readdirSync(dir, { withFileTypes: true }).every((entry) => {
    const path = join(dir, entry.name)
    return entry.isDirectory() ? isUntouched(path, endedMs) : lstatSync(path).ctimeMs <= endedMs
  })
}

function printResult(what: string, ignored: readonly string[]): void {
  progress.end()
  const line = describeIgnored(ignored)
  if (line) console.warn(line)
  console.log(`${what} in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}

/** Returns where the site is written, from the command line. */
function readPlaces(): BuildPlaces {
  try {
    const { out = '.' } = parseArgs({ options: { out: { type: 'string' } } }).values
    return placesOf(resolve(out, 'dist'))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: npm run build -- [--out DIR]`)
    process.exit(1)
  }
}
