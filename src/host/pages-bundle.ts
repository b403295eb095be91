// Bundles the pages for our own host: once for each state of the code and of the settings that documents show, kept, and found again at the next start.
import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadPages, type Pages } from './pages.ts'

/** Where bundles are kept, and which is meant. */
export interface BundlePlace {
  /** The project's folder. */
  root: string
  /** Any folder; it may be emptied while nobody bundles. */
  keptDir: string
  /** Stands for the code and the settings. */
  key: string
}

/** Ends the name of a bundle that is being made. */
const PART = '.part'
/** A bundle takes a few seconds; what is older was left by a process that was killed. */
const LEFTOVER_MS = 600_000

/**
 * Opens the pages. When no bundle of them is kept, a process of its own makes one, because Astro and its bundler hold a gigabyte, which is free again when it ends.
 *
 * @throws Error when the pages cannot be bundled; what is wrong with them was then said on standard error
 */
export async function openPages(place: BundlePlace): Promise<Pages> {
  const dir = resolve(place.keptDir, hash('sha256', place.key).slice(0, 16))
  if (!existsSync(dir)) await makeBundle(place, dir)
  return loadPages(join(dir, 'server'), join(dir, 'client'))
}

async function makeBundle({ root, keptDir }: BundlePlace, dir: string): Promise<void> {
  mkdirSync(keptDir, { recursive: true })
  for (const name of readdirSync(keptDir)) {
    const path = join(keptDir, name)
    // A finished bundle may be removed, because whoever uses it has loaded all of it.
    if (!name.endsWith(PART) || Date.now() - statSync(path).mtimeMs > LEFTOVER_MS) rmSync(path, { recursive: true })
  }
  const part = `${dir}-${randomBytes(4).toString('hex')}${PART}`
  mkdirSync(part)
  try {
    await bundle(root, part)
    // Renamed when it is whole. Two processes may make the same one; the first that is done is kept.
    if (!existsSync(dir)) renameSync(part, dir)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

async function bundle(root: string, target: string): Promise<void> {
  const script = fileURLToPath(new URL('../site/bundle.ts', import.meta.url))
  const child = spawn(process.execPath, [script, root, target], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
  })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The pages could not be bundled: ${signal ?? `exit code ${code}`}.`)
}
