// Makes a hub of an Astro build: writes the data files and the search index beside what Astro writes, and puts the finished build in the place of the last one.
import { hash } from 'node:crypto'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'
import { type Config, readConfig } from '../../config.ts'
import {
  type BuildPlaces,
  type Built,
  builtFile,
  hasOld,
  indexOf,
  nextOf,
  pagesOf,
  placesOf,
  removeOld,
  removeUnfinished,
  swapIn,
} from './build-places.ts'
import { hashCode } from './code-hash.ts'
import { settingsOfSite } from './site-settings.ts'
import { writeData } from './write-data.ts'

/** How long requests that began with the last build may still read its files. */
const RETIRE_MS = 2_000

/** Tells how far a build is; of steps that nobody can count, `total` is 0. */
type OnProgress = (step: string, done: number, total: number) => void

/** The integration. @param onProgress left out, steps are logged as Astro logs */
export function promptHub({ onProgress }: { onProgress?: OnProgress } = {}): AstroIntegration {
  const config = readConfig(process.env)
  let places: BuildPlaces
  let scratch: URL
  return {
    name: 'prompt-hub-data',
    hooks: {
      'astro:config:setup': ({ command, config: { outDir, root }, updateConfig }) => {
        if (command !== 'build') return
        places = placesOf(fileURLToPath(outDir))
        swapIn(places)
        removeUnfinished(places)
        // Code that Astro runs while it builds finds its packages in the project's folder alone.
        scratch = new URL(`.astro/build-${hash('sha256', places.dist).slice(0, 16)}/`, root)
        rmSync(scratch, { recursive: true, force: true })
        updateConfig({
          outDir: scratch,
          build: { client: new URL('client/', scratch), server: new URL('server/', scratch) },
        })
      },
      'astro:build:done': async ({ dir, logger }) => {
        const report = onProgress ?? ((step, done) => done === 0 && logger.info(`${step} …`))
        const next = nextOf(places)
        cpSync(dir, next.dist, { recursive: true })
        cpSync(new URL('server/', scratch), pagesOf(next), { recursive: true })
        rmSync(scratch, { recursive: true, force: true })
        const written = await writeData(config, { siteDir: next.dist, indexPath: indexOf(next) }, report)
        const { repositories, files, fingerprint } = written
        // Clocks of files may run a little behind; whatever is changed by hand comes later than this.
        const about = { ended_ms: Date.now() + 1, made_by: nameMaker(config), repositories, files }
        const built: Built = { ...about, ...(fingerprint && { fingerprint }) }
        writeFileSync(builtFile(next), JSON.stringify(built))
        swapIn(places)
        logger.info(`Wrote ${written.files} data files of ${written.repositories} repositories.`)
        if (hasOld(places)) {
          await sleep(RETIRE_MS)
          removeOld(places)
        }
      },
    },
  }
}

/** Stands for whatever decides about a build beside the content: the code, and every setting that its files show. */
export function nameMaker(config: Config): string {
  return JSON.stringify([hashCode(process.cwd()).site, settingsOfSite(config), config.buildDay])
}
