// Creates the site for the measurements: a generated catalogue and its build, once per size.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { readConfig } from '../../src/config.ts'
import { bundlePlaceOf, ensureBundle } from '../../src/hosts/node/builds/pages-bundle.ts'
import { generateContent, LAST_DAY } from '../content/generate-content.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { PROJECT_DIR, type ProcessResult, parametersOf, runNode } from './processes.ts'

const SEED = 1
const BUILD_DEADLINE_MS = 1_200_000

/** A built site. */
export interface BenchSite {
  /** Contains `dist`, `build` and the functions, so that the Node server can run in it. */
  dir: string
  prompts: number
  versions: number
  catalogue: Catalogue
  /** The settings with which it was built, for a process that repeats it. */
  settings: Record<string, string>
  /** The resources that its build used. */
  built: ProcessResult
}

/** Creates a site. @param dir a new folder for the site @param versions the number of versions per prompt @param skills how many prompts are skills */
export async function makeSite(dir: string, prompts: number, versions: number, skills = 0): Promise<BenchSite> {
  const contentDir = join(dir, 'content')
  generateContent({ repositories: prompts, versions, seed: SEED, dir: contentDir })
  makeSkills(contentDir, skills)
  const settings = {
    CONTENT_DIR: contentDir,
    SITE_URL: 'http://localhost:8888',
    SOURCE_DATE_EPOCH: String(Date.parse(LAST_DAY) / 1000),
  }
  const config = readConfig(settings)
  // Bundles the pages first, so that the build takes the same time whether or not a bundle already exists.
  await ensureBundle(bundlePlaceOf(PROJECT_DIR))
  const surroundings = { cwd: PROJECT_DIR, settings: { ...settings, ASTRO_TELEMETRY_DISABLED: '1' } }
  const built = await runNode([...parametersOf('build'), '--out', dir], surroundings, BUILD_DEADLINE_MS)
  const catalogue = loadCatalogue(config)
  symlinkSync(join(PROJECT_DIR, 'netlify'), join(dir, 'netlify'))
  return { dir, prompts, versions, catalogue, settings, built }
}

const SKILL_FILES = 20
const SKILL_FILE_BYTES = 4_000

/** Makes skills with files of the first prompts that can be skills, at all of their versions. @throws Error if there are too few prompts */
function makeSkills(contentDir: string, count: number): void {
  const listed = count === 0 ? [] : readdirSync(contentDir, { recursive: true, encoding: 'utf8' })
  const made = new Set<string>()
  for (const path of listed.filter((one) => /\/versions\/[\d.]+\.md$/.test(one)).sort()) {
    const prompt = path.slice(0, path.indexOf('/versions/'))
    if (made.size === count && !made.has(prompt)) break
    const file = join(contentDir, path)
    const text = readFileSync(file, 'utf8')
    if (/^format: /m.test(text)) continue
    made.add(prompt)
    writeFileSync(file, text.replace('---\n', '---\nskill: {description: Does one thing. Use it to measure.}\n'))
    const folder = file.slice(0, -'.md'.length)
    for (const sub of ['scripts', 'reference']) mkdirSync(join(folder, sub), { recursive: true })
    for (let at = 0; at < SKILL_FILES; at++) {
      const line = `${path} ${at}: one line of a file of a skill.\n`
      const name = at % 2 === 0 ? `scripts/run-${at}.py` : `reference/page-${at}.md`
      writeFileSync(join(folder, name), line.repeat(Math.ceil(SKILL_FILE_BYTES / line.length)))
    }
  }
  if (made.size < count) throw new Error(`only ${made.size} of the prompts can be skills`)
}
