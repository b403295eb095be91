// Creates the catalogue for all measurements: generated, loaded and written once per size.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, readConfig } from '../../src/config.ts'
import type { Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import { listDataFiles } from '../../src/domain/catalogue/data-files.ts'
import { bundlePlaceOf, findBundle } from '../../src/host/builds/pages-bundle.ts'
import { searchIndexPath } from '../../src/host/builds/serve-sites.ts'
import { UNKNOWN_SOURCE } from '../../src/ports/fresh-copies.ts'
import { digestText } from '../../src/ports/measure.ts'
import { type Built, builtFile, pagesOf, placesOf } from '../../src/site/build/build-places.ts'
import { loadCatalogue } from '../../src/site/build/load-catalogue.ts'
import { writeFiles } from '../../src/stores/content/write-files.ts'
import { buildSearchIndex } from '../../src/stores/search/write-index.ts'
import { generateContent } from '../content/generate-content.ts'
import { LAST_DAY } from '../content/versions.ts'

/** The project's own folder. */
export const PROJECT_DIR = fileURLToPath(new URL('../../', import.meta.url))
const SEED = 1

/** A built site. */
export interface BenchSite {
  /** Contains `dist`, `build` and the functions, so that `npm run serve` can run in it. */
  dir: string
  siteDir: string
  indexPath: string
  prompts: number
  versions: number
  catalogue: Catalogue
  /** The settings with which it was generated, for a process that repeats it. */
  settings: Record<string, string>
}

/** Creates a site of one size. @param dir new folder for it @param versions number per prompt */
export async function makeSite(dir: string, prompts: number, versions: number): Promise<BenchSite> {
  const contentDir = join(dir, 'content')
  const siteDir = join(dir, 'dist')
  const indexPath = searchIndexPath(siteDir)
  generateContent({ repositories: prompts, versions, seed: SEED, dir: contentDir })
  const settings = {
    CONTENT_DIR: contentDir,
    SITE_URL: 'http://localhost:8888',
    SOURCE_DATE_EPOCH: String(Date.parse(LAST_DAY) / 1000),
  }
  const catalogue = loadCatalogue(readConfig(settings))
  writeFiles(siteDir, listDataFiles(catalogue, digestText))
  mkdirSync(join(indexPath, '..'), { recursive: true })
  buildSearchIndex(catalogue, indexPath)
  await addPages(dir, readConfig(settings))
  symlinkSync(join(PROJECT_DIR, 'netlify'), join(dir, 'netlify'))
  return { dir, siteDir, indexPath, prompts, versions, catalogue, settings }
}

/** Copies the page code and the static files to where a build has them. */
async function addPages(dir: string, config: Config): Promise<void> {
  const places = placesOf(join(dir, 'dist'))
  const { server, client } = await findBundle(bundlePlaceOf(config))
  cpSync(client, places.dist, { recursive: true })
  cpSync(server, pagesOf(places), { recursive: true })
  const about = { built_at: LAST_DAY, source: UNKNOWN_SOURCE }
  const built: Built = { ...about, ended_ms: Date.now(), made_by: 'bench', repositories: 0, files: 0 }
  writeFileSync(builtFile(places), JSON.stringify(built))
}
