// `npm run build [-- --out DIR]`: writes the deployable site to dist/, and its search index and page code to build/. It writes everything from scratch and then replaces the previous build.
import { hash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type BuildPlaces,
  builtFile,
  indexOf,
  nextOf,
  pagesOf,
  placesOf,
  removeBuild,
  replaceBuild,
} from '../packages/build/build-places.ts'
import { ContentError } from '../packages/build/content-error.ts'
import { renderFixedPages } from '../packages/build/fixed-pages.ts'
import { serveLook } from '../packages/build/hub-look.ts'
import { listDownloads } from '../packages/build/list-downloads.ts'
import { writeData } from '../packages/build/write-data.ts'
import { bundlePlaceOf, ensureBundle } from '../packages/node-server/builds/pages-bundle.ts'
import { type Bundle, loadRender } from '../packages/node-server/pages.ts'
import { describeIgnored } from '../packages/stores/content/content-files.ts'
import { readHubLook } from '../packages/stores/content/site-settings-file.ts'
import { filesInto } from '../packages/stores/content/write-files.ts'
import { takeLock } from '../packages/stores/git/process-lock.ts'
import { writeBuildRecord } from '../packages/stores/site/build-record.ts'
import { readBuildSource } from '../packages/stores/site/build-source.ts'
import { findProfile, readConfig } from '../src/config.ts'
import { countOf } from '../src/domain/text/count-of.ts'
import type { BuildSource } from '../src/ports/fresh-copies.ts'
import { LOOK_FILE } from '../src/ports/pages.ts'
import { openProgress } from './progress.ts'

const started = performance.now()
const places = readPlaces()
const progress = openProgress()
const config = readConfig(process.env)
if (config.readAccess.kind === 'members') {
  console.error(
    'Netlify cannot keep static files private, so a hub with READ_ACCESS=members cannot be built for it. Run npm start on a machine of your own; src/pages/docs/hosting-private.md describes how.',
  )
  process.exit(1)
}
if (config.upstream !== undefined) {
  console.error(
    'Netlify serves the files of a build alone, so a hub with UPSTREAM cannot be built for it. Remove UPSTREAM, or run npm start on a machine of your own; src/pages/docs/company.md describes how.',
  )
  process.exit(1)
}
const pagesPlace = bundlePlaceOf(process.cwd())
const look = serveLook(readHubLook(config.contentDir))
const profile = findProfile(config, look.shown)
mkdirSync('.astro', { recursive: true })
const lock = takeLock(join('.astro', `build-${hash('sha256', places.dist).slice(0, 16)}.lock`), 60_000)
if (!lock) {
  console.error('Another build into this folder is already running.')
  process.exit(1)
}
try {
  removeBuild(nextOf(places))
  // The source is recorded before the content is read, so that nothing published later counts as read.
  await build(await readBuildSource(config.contentDir, process.env))
} catch (error) {
  progress.end()
  if (!(error instanceof ContentError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  removeBuild(nextOf(places))
  lock.release()
}

async function build(source: BuildSource): Promise<void> {
  const next = nextOf(places)
  const stopping = new AbortController()
  try {
    // Another process bundles the pages at the same time, unless a bundle of this code already exists.
    const bundling = ensureBundle(pagesPlace, stopping.signal)
    const writing = writeData(config, { siteDir: next.dist, indexPath: indexOf(next) }, progress.show)
    const [bundle, written] = await Promise.all([bundling, writing])
    await writePages(bundle, next)
    writeBuildRecord(builtFile(next), { built_at: new Date().toISOString(), source })
    replaceBuild(places)
    printResult(written)
  } finally {
    stopping.abort()
  }
}

/** Writes the page code and all static files that do not depend on the content. */
async function writePages({ server, client }: Bundle, next: BuildPlaces): Promise<void> {
  cpSync(client, next.dist, { recursive: true })
  const put = filesInto(next.dist)
  for (const [path, content] of [
    ...(await renderFixedPages(await loadRender(server), profile)),
    ...look.files,
    ...(await listDownloads('.', config.baseUrl)),
  ])
    put(path, content)
  cpSync(server, pagesOf(next), { recursive: true })
  writeFileSync(join(pagesOf(next), LOOK_FILE), JSON.stringify(look.shown))
}

function printResult({ repositories, files, ignored }: Awaited<ReturnType<typeof writeData>>): void {
  progress.end()
  const line = describeIgnored(ignored)
  if (line) console.warn(line)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${countOf(repositories, 'prompt')}, ${countOf(files, 'data file')} written in ${seconds} s.`)
}

/** Reads from the command line which folders to write to. */
function readPlaces(): BuildPlaces {
  try {
    const { out = '.' } = parseArgs({ options: { out: { type: 'string' } } }).values
    return placesOf(resolve(out, 'dist'))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: npm run build -- [--out DIR]`)
    process.exit(1)
  }
}
