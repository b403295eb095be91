// Bundles the pages for the Node server, once for each version of the code and of the settings that pages show. Bundles are kept for later starts.
import { spawn } from 'node:child_process'
import { createHash, hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import { hashCode } from '../../site/build/code-hash.ts'
import { listFiles } from '../../site/build/list-files.ts'
import { settingsOfSite } from '../../site/build/site-settings.ts'
import { inBackground } from '../http/background.ts'
import { loadPages, type Pages } from '../pages.ts'

/** Where bundles are kept, and the key of one bundle. */
interface BundlePlace {
  /** The project's folder. */
  root: string
  /** The folder that contains the bundles; it can be emptied while nothing is being bundled. */
  keptDir: string
  /** Identifies the code and the settings. */
  key: string
}

/** Returns where the bundle for this code and the settings that pages show is kept; all sites run from this folder share it. */
export function bundlePlaceOf(config: Config): BundlePlace {
  return {
    root: process.cwd(),
    keptDir: '.hub/pages',
    key: hashCode(process.cwd()).site + settingsOfSite(config),
  }
}

/** The file that contains the SHA-256 of all other files in the bundle. */
const DIGEST = 'digest'
/** Suffix of an unfinished bundle. */
const PART = '.part'
/** An unfinished bundle older than this was left behind by a killed process, because bundling takes only a few seconds. */
const MAX_MAKING_MS = 600_000
/** A bundle unused for a week belongs to older code. */
const MAX_UNUSED_MS = 7 * 86_400_000

/**
 * Opens the pages. If there is no bundle yet, a separate process creates it, because Astro and its bundler need a gigabyte of memory, which is freed when the process exits.
 *
 * @throws Error when the pages cannot be bundled; standard error has the details
 */
export async function openPages(place: BundlePlace, signal?: AbortSignal): Promise<Pages> {
  const { server, client } = await findBundle(place, signal)
  return loadPages(server, client)
}

/** Finds or creates the bundle. @returns its folders for page code and static files */
export async function findBundle(
  place: BundlePlace,
  signal?: AbortSignal,
): Promise<{ server: string; client: string }> {
  const dir = resolve(place.keptDir, hash('sha256', place.key).slice(0, 16))
  if (!isWhole(dir)) await makeBundle(place, dir, signal)
  const now = new Date()
  utimesSync(dir, now, now)
  return { server: join(dir, 'server'), client: join(dir, 'client') }
}

/** Delay before a failed bundle is retried; the disk may have been full. */
const RETRY_MS = 60_000

/**
 * Opens the pages in the background, and retries if that fails.
 *
 * @returns the current pages; undefined until they are open
 */
export function preparePages(place: BundlePlace, signal: AbortSignal): () => Pages | undefined {
  let pages: Pages | undefined
  const open = async () => {
    try {
      pages = await openPages(place, signal)
    } catch (error) {
      if (signal.aborted) return
      console.error(
        `${error instanceof Error ? error.message : error} Retrying in ${RETRY_MS / 1000} s; the API remains available.`,
      )
      setTimeout(() => inBackground('Opening the pages', open), RETRY_MS).unref()
    }
  }
  inBackground('Opening the pages', open)
  return () => pages
}

async function makeBundle({ root, keptDir }: BundlePlace, dir: string, signal: AbortSignal | undefined): Promise<void> {
  mkdirSync(keptDir, { recursive: true })
  for (const name of readdirSync(keptDir)) {
    const path = join(keptDir, name)
    const unusedMs = Date.now() - statSync(path).mtimeMs
    if (unusedMs > (name.endsWith(PART) ? MAX_MAKING_MS : MAX_UNUSED_MS)) rmSync(path, { recursive: true, force: true })
  }
  const part = `${dir}-${randomBytes(4).toString('hex')}${PART}`
  mkdirSync(part)
  try {
    await bundle(root, part, signal)
    writeFileSync(join(part, DIGEST), digestOf(part))
    // If two processes create the same bundle, the first to finish wins.
    if (isWhole(dir)) return
    rmSync(dir, { recursive: true, force: true })
    renameSync(part, dir)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

/** Returns whether every file in the bundle is unchanged. This is checked because people sometimes delete files in this folder by hand. */
function isWhole(dir: string): boolean {
  const digest = join(dir, DIGEST)
  return existsSync(digest) && readFileSync(digest, 'utf8') === digestOf(dir)
}

function digestOf(dir: string): string {
  const digest = createHash('sha256')
  for (const path of listFiles(dir).sort())
    if (path !== DIGEST) digest.update(`\0${path}\0`).update(readFileSync(join(dir, path)))
  return digest.digest('hex')
}

async function bundle(root: string, target: string, ending: AbortSignal | undefined): Promise<void> {
  const script = fileURLToPath(new URL('../../site/astro/bundle.ts', import.meta.url))
  // These options reduce peak memory from 645 MB to 475 MB.
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=2', '--heap-growing-percent=20', script, root, target],
    {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' },
      // In its own process group, so that Ctrl-C reaches only this process, which then stops it.
      detached: true,
    },
  )
  ending?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The pages could not be bundled: ${signal ?? `exit code ${code}`}.`)
}
