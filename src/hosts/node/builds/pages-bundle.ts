// Bundles the pages, once for each version of the code. The bundle contains no settings and no content, so `npm ci` or an image makes it, and a start only opens it.
import { spawn } from 'node:child_process'
import { createHash, hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashCode } from '../../../build/code-hash.ts'
import { listFiles } from '../../../build/list-files.ts'
import { logProblem } from '../../../log.ts'
import { inBackground } from '../http/background.ts'
import type { Bundle, Pages } from '../pages.ts'

/** Where bundles are kept, and the key of one bundle. */
interface BundlePlace {
  /** The project's folder. */
  root: string
  /** The folder that contains the bundles. */
  keptDir: string
  /** Identifies the code. */
  key: string
}

/** Returns where the bundle for this code is kept: with the code, because the user who runs a hub need not be able to write there. */
export function bundlePlaceOf(root: string): BundlePlace {
  return { root, keptDir: join(root, '.pages'), key: hashCode(root).pages }
}

/** The file that contains the SHA-256 of all other files in the bundle. */
const DIGEST = 'digest'
/** Suffix of an unfinished bundle. */
const PART = '.part'
/** An unfinished bundle older than this was left behind by a killed process, because bundling takes only a few seconds. */
const MAX_MAKING_MS = 600_000
/** The number of bundles that are kept. A hub that was started with older code still reads its bundle. */
const MAX_KEPT = 3

/** Returns the bundle of this code; undefined if it has not been made. */
export function findBundle(place: BundlePlace): Bundle | undefined {
  const dir = folderOf(place)
  return isWhole(dir) ? foldersIn(dir) : undefined
}

const foldersIn = (dir: string): Bundle => ({ server: join(dir, 'server'), client: join(dir, 'client') })

/**
 * Finds or makes the bundle. A separate process makes it, because Astro and its bundler need 400 MB of memory, which is freed when the process exits.
 *
 * @throws Error if the pages cannot be bundled; standard error has the details
 */
export async function ensureBundle(place: BundlePlace, signal?: AbortSignal): Promise<Bundle> {
  const known = findBundle(place)
  if (known) return known
  await makeBundle(place, signal)
  return foldersIn(folderOf(place))
}

/** Delay before opening the pages is retried; the disk may have been full. */
const RETRY_MS = 60_000

/**
 * Opens the pages in the background, and retries if that fails.
 *
 * @returns the current pages, undefined until they are open; and a promise that resolves after the first attempt
 */
export function preparePages(
  open: () => Promise<Pages>,
  signal: AbortSignal,
): { readonly current: Pages | undefined; tried: Promise<void> } {
  const prepared: { current: Pages | undefined; tried: Promise<void> } = {
    current: undefined,
    tried: Promise.resolve(),
  }
  const attempt = async () => {
    try {
      prepared.current = await open()
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      const next = `Retrying in ${RETRY_MS / 1000} s; the API remains available.`
      logProblem('error', 'pages_failed', `${reason} ${next}`)
      setTimeout(() => inBackground('Opening the pages', attempt), RETRY_MS).unref()
    }
  }
  prepared.tried = attempt()
  return prepared
}

const folderOf = ({ keptDir, key }: BundlePlace) => resolve(keptDir, hash('sha256', key).slice(0, 16))

async function makeBundle(place: BundlePlace, signal: AbortSignal | undefined): Promise<void> {
  const { root, keptDir } = place
  const dir = folderOf(place)
  const part = `${dir}-${randomBytes(4).toString('hex')}${PART}`
  try {
    mkdirSync(part, { recursive: true })
  } catch (error) {
    throw new Error(
      `The pages are not bundled, and ${keptDir} is not writable: ${(error as Error).message}. Run \`npm run prepare\` as the owner of the code.`,
      { cause: error },
    )
  }
  try {
    removeOld(keptDir)
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

/** Removes abandoned bundles, and the oldest, so that one more can be kept. */
function removeOld(keptDir: string): void {
  const found = readdirSync(keptDir)
    .map((name) => ({ path: join(keptDir, name), isPart: name.endsWith(PART) }))
    .map((one) => ({ ...one, madeMs: statSync(one.path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.madeMs - one.madeMs)
  const abandoned = found.filter(({ isPart, madeMs }) => isPart && Date.now() - madeMs > MAX_MAKING_MS)
  const old = found.filter(({ isPart }) => !isPart).slice(MAX_KEPT - 1)
  for (const { path } of [...abandoned, ...old]) rmSync(path, { recursive: true, force: true })
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
  const script = fileURLToPath(new URL('../../astro/bundle.ts', import.meta.url))
  // These options reduce peak memory from 508 MiB to 378 MiB.
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
