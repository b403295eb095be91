// `npm run build [-- --out DIR]`: writes the deployable site to dist/, and its search index and page code to build/. It writes everything from scratch and then replaces the previous build.
import { hash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type BuildPlaces,
  builtFile,
  indexOf,
  nextOf,
  pagesOf,
  placesOf,
  removeBuild,
  replaceBuild,
} from '../src/build/build-places.ts'
import { renderFixedPages } from '../src/build/fixed-pages.ts'
import { serveLook } from '../src/build/hub-look.ts'
import { listDownloads } from '../src/build/list-downloads.ts'
import { writeData } from '../src/build/write-data.ts'
import { writeBuildRecord } from '../src/built/build-record.ts'
import { readBuildSource } from '../src/built/build-source.ts'
import { type Config, findProfile, readConfig } from '../src/config.ts'
import { describeIgnored } from '../src/content/content-files.ts'
import { readHubLook } from '../src/content/site-settings-file.ts'
import { filesInto } from '../src/content/write-files.ts'
import { countOf } from '../src/domain/text/plain-text.ts'
import { openFolder } from '../src/files/plain-files.ts'
import { takeLock } from '../src/git/git-ready.ts'
import { bundlePlaceOf, ensureBundle } from '../src/hosts/node/builds/pages-bundle.ts'
import { parseAhead } from '../src/hosts/node/builds/parse-ahead.ts'
import { findCode } from '../src/hosts/node/code-commit.ts'
import { type Bundle, loadRender } from '../src/hosts/node/pages.ts'
import { LOOK_FILE } from '../src/site/rendering.ts'
import type { BuildSource } from '../src/state/fresh-copies.ts'
import { openProgress } from './progress.ts'
import { runCommand } from './run-command.ts'

const started = performance.now()
const progress = openProgress()
const options = { out: { type: 'string', default: '.' } } as const
await runCommand({ help: 'Usage: npm run build -- [--out DIR]', options }, async ({ values }) => {
  const config = readConfig(process.env)
  if (config.readAccess.kind === 'members')
    throw new Error(
      'Netlify cannot keep static files private, so a hub with READ_ACCESS=members cannot be built for it. Run npm start on a machine of your own; src/pages/docs/hosting-private.md describes how.',
    )
  const places = placesOf(resolve(values.out, 'dist'))
  mkdirSync('.astro', { recursive: true })
  const lock = takeLock(join('.astro', `build-${hash('sha256', places.dist).slice(0, 16)}.lock`), 60_000)
  if (!lock) throw new Error('Another build into this folder is already running.')
  try {
    removeBuild(nextOf(places))
    // The source is recorded before the content is read, so that nothing published later counts as read.
    await build(config, places, await readBuildSource(config.contentDir, process.env))
  } finally {
    progress.end()
    removeBuild(nextOf(places))
    lock.close()
  }
})

async function build(config: Config, places: BuildPlaces, source: BuildSource): Promise<void> {
  const next = nextOf(places)
  const stopping = new AbortController()
  try {
    // Another process bundles the pages at the same time, unless a bundle of this code already exists.
    const bundling = ensureBundle(bundlePlaceOf(process.cwd()), stopping.signal)
    const writing = writeData(
      config,
      { siteDir: next.dist, indexPath: indexOf(next) },
      progress.show,
      (content, prompts) => parseAhead(content.git, prompts),
    )
    const [bundle, written] = await Promise.all([bundling, writing])
    await writePages(config, bundle, next)
    writeBuildRecord(builtFile(next), { built_at: new Date().toISOString(), source })
    replaceBuild(places)
    printResult(written)
  } finally {
    stopping.abort()
  }
}

/** Writes the page code and all static files that do not depend on the content. */
async function writePages(config: Config, { server, client }: Bundle, next: BuildPlaces): Promise<void> {
  const look = serveLook(readHubLook(openFolder(config.contentDir)))
  cpSync(client, next.dist, { recursive: true })
  const put = filesInto(next.dist)
  const profile = findProfile(config, look.shown, await findCode(process.cwd(), process.env))
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
