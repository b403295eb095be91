// `npm run build [-- --out DIR]`: the deployable site in dist/, with its search index and the code of its pages in build/. It is `astro build`, which is left out when nothing changed since the last one.

import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'astro'
import { readConfig } from '../src/config.ts'
import { ASTRO_OPTIONS } from '../src/site/astro/astro-options.ts'
import { type BuildPlaces, type Built, builtFile, placesOf, readBuilt, swapIn } from '../src/site/build/build-places.ts'
import { ContentError } from '../src/site/build/content-error.ts'
import { nameMaker, promptHub } from '../src/site/build/integration.ts'
import { readBuildSource } from '../src/stores/build-source.ts'
import { sayIgnored } from '../src/stores/content-files.ts'
import { fingerprintContent, listContent } from '../src/stores/content-listing.ts'
import { takeLock } from '../src/stores/process-lock.ts'
import { openProgress } from './progress.ts'

const started = performance.now()
const places = readPlaces()
const progress = openProgress()
const config = readConfig(process.env)
mkdirSync('.astro', { recursive: true })
const lock = takeLock(join('.astro', `build-${hash('sha256', places.dist).slice(0, 16)}.lock`), 60_000)
if (!lock) {
  console.error('Another build into this folder is under way.')
  process.exit(1)
}
try {
  swapIn(places)
  const source = await readBuildSource(config.contentDir, process.env)
  const built = hasNothingToDo(places)
  // What was published and removed again since is read too.
  if (built) writeFileSync(builtFile(places), JSON.stringify({ ...built, source }))
  else await buildAnew(places)
} catch (error) {
  progress.end()
  if (!(error instanceof ContentError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  lock.release()
}

/** The last build when all is as it left it, which is then said at once. */
function hasNothingToDo(places: BuildPlaces): Built | undefined {
  const built = readBuilt(places)
  if (built?.fingerprint === undefined || built.made_by !== nameMaker(config)) return undefined
  progress.show('Looking for changes', 0, 0)
  const listing = listContent(config.contentDir)
  if (fingerprintContent(listing) !== built.fingerprint || !isUntouched(places.dist, built.ended_ms)) return undefined
  sayEnd(`${built.repositories} repositories; nothing changed`, sayIgnored(listing.ignored))
  return built
}

async function buildAnew({ dist }: BuildPlaces): Promise<void> {
  await build({
    ...{ ...ASTRO_OPTIONS, configFile: false, root: process.cwd(), logLevel: 'warn', outDir: dist },
    integrations: [promptHub({ onProgress: progress.show })],
  })
  const { repositories, files } = readBuilt(places)!
  sayEnd(
    `${repositories} repositories, ${files} data files written`,
    sayIgnored(listContent(config.contentDir).ignored),
  )
}

/** Whether nobody changed anything in a folder by hand since it was written: a file has a new time then, or the folder that it is in. */
function isUntouched(dir: string, endedMs: number): boolean {
  if (lstatSync(dir).mtimeMs > endedMs) return false
  return readdirSync(dir, { withFileTypes: true }).every((entry) => {
    const path = join(dir, entry.name)
    return entry.isDirectory() ? isUntouched(path, endedMs) : lstatSync(path).ctimeMs <= endedMs
  })
}

function sayEnd(what: string, ignored: string | undefined): void {
  progress.end()
  if (ignored) console.warn(ignored)
  console.log(`${what} in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}

/** Where the site is written. */
function readPlaces(): BuildPlaces {
  try {
    const { out = '.' } = parseArgs({ options: { out: { type: 'string' } } }).values
    return placesOf(resolve(out, 'dist'))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: npm run build -- [--out DIR]`)
    process.exit(1)
  }
}
