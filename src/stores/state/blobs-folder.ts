// Imports the folder in which earlier versions of the Node server stored their state into a new store, without changing the folder.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { TOKEN_DAYS } from '../../domain/access/token-record.ts'
import { checkEntry } from '../../ports/state-store.ts'
import type { StateEntry } from './state-sqlite.ts'

const DAY_MS = 86_400_000
/** The path of the values in the folder, which contains the names of a site and of its store. */
const ENTRIES = 'entries/local/site:prompt-hub'
/** Entries that never expire: login bindings, and how often a user has signed out everywhere. */
const LASTING = ['logins', 'generations']

/**
 * Reads all entries in the folder that have not expired.
 *
 * @param dir `.hub/blobs`; a missing folder has no entries
 * @param now milliseconds since 1970
 */
export function* readBlobsFolder(dir: string, now: number): Generator<StateEntry> {
  const root = join(dir, ENTRIES)
  for (const path of listFiles(root)) {
    const key = relative(root, path).split(sep).join('/')
    const value = readFileSync(path, 'utf8')
    const expiresAt = expiryOf(key, value, now)
    if (expiresAt !== undefined && expiresAt <= now) continue
    checkEntry(key, value)
    yield { key, value, ...(expiresAt !== undefined && { expiresAt }) }
  }
}

function listFiles(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** When a value expires. An entry without an expiry is kept for the maximum lifetime of a token. */
function expiryOf(key: string, value: string, now: number): number | undefined {
  const [kind = '', name = ''] = key.split('/')
  if (LASTING.includes(kind)) return undefined
  // A single-use entry has its expiry in its key.
  if (kind === 'jti' || kind === 'sign-ins') return Number(/^\d+/.exec(name)?.[0] ?? 0) * 1000
  // The next build contains what was published before it.
  if (kind === 'fresh') return now + DAY_MS
  if (kind === 'sessions') return Date.parse(/"expires_at":"([^"]+)"/.exec(value)?.[1] ?? '') || now
  return now + (TOKEN_DAYS.most + 30) * DAY_MS
}
