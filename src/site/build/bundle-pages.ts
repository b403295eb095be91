// Owns the bundle of the pages: made once for each state of the code, kept, and found again by every build and thread.
import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { listFiles } from './list-files.ts'

/** The two folders of a bundle: the code of the pages, and what is published beside them as it is. */
export const SERVER_DIR = 'server'
export const BESIDE_DIR = 'beside'

/** What a bundle consists of: the SHA-256 of each file by its path. */
const FILES_LIST = 'files.json'
const Files = z.record(z.string(), z.string())

/** Ends the name of a bundle that is being made. */
const PART = '.part'
/** A bundle takes a few seconds; what is older was left by a process that was killed. */
const LEFTOVER_MS = 600_000

/** Where bundles are kept, and which is meant. */
export interface BundlePlace {
  /** The project's folder. */
  root: string
  /** Any folder; it may be emptied while nobody bundles. */
  keptDir: string
  /** Stands for the code (code-hash.ts). */
  code: string
}

/**
 * Finds the bundle of the code, or has it made by a process of its own, which takes four seconds of two cores.
 *
 * @returns its folder, with every file as it was made
 * @throws Error when the pages cannot be bundled; what is wrong with them was then said on standard error
 */
export async function bundlePages({ root, keptDir, code }: BundlePlace): Promise<string> {
  mkdirSync(keptDir, { recursive: true })
  const prefix = `${code.slice(0, 16)}-`
  const names = readdirSync(keptDir)
  const found = names.find((name) => name.startsWith(prefix) && !name.endsWith(PART) && isWhole(join(keptDir, name)))
  if (found !== undefined) return join(keptDir, found)
  for (const name of names) if (isAbandoned(join(keptDir, name))) rmSync(join(keptDir, name), { recursive: true })
  // Each try has a new name, because Node remembers by its address a module that failed to load.
  const dir = join(keptDir, prefix + randomBytes(4).toString('hex'))
  const part = dir + PART
  mkdirSync(part)
  try {
    await makeBundle(root, part)
    linkPackages(root, part)
    writeFileSync(join(part, FILES_LIST), JSON.stringify(Object.fromEntries(hashFiles(part))))
    renameSync(part, dir)
    return dir
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw error
  }
}

/** Lets the bundle find its packages. Node looks for them in the folders above the one in which the bundle really lies, so one outside the project gets a link to the project's packages. */
function linkPackages(root: string, dir: string): void {
  const isBelow = realpathSync(dir).startsWith(join(realpathSync(root), '/'))
  if (!isBelow) symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'junction')
}

async function makeBundle(root: string, dir: string): Promise<void> {
  const script = fileURLToPath(new URL('bundling-process.ts', import.meta.url))
  const bundling = spawn(process.execPath, [script, root, dir], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [code, signal] = await once(bundling, 'exit')
  if (code !== 0) throw new Error(`The pages could not be bundled: ${signal ?? `exit code ${code}`}.`)
}

/** Whether a folder beside the wanted bundle may be removed. A finished bundle may, because whoever uses it has loaded all of it; one that is being made may only when it was left over. */
function isAbandoned(path: string): boolean {
  return !path.endsWith(PART) || Date.now() - statSync(path).mtimeMs > LEFTOVER_MS
}

/** Whether every file of a bundle is as it was made, because people empty such folders by hand, and sometimes only in part. */
function isWhole(dir: string): boolean {
  try {
    const listed = Files.parse(JSON.parse(readFileSync(join(dir, FILES_LIST), 'utf8')))
    const files = hashFiles(dir)
    return files.length === Object.keys(listed).length && files.every(([path, digest]) => listed[path] === digest)
  } catch {
    return false
  }
}

function hashFiles(dir: string): [path: string, digest: string][] {
  return [SERVER_DIR, BESIDE_DIR].flatMap((part) =>
    listFiles(join(dir, part)).map((path): [string, string] => [
      `${part}/${path}`,
      hash('sha256', readFileSync(join(dir, part, path))),
    ]),
  )
}
