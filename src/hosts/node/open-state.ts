// Opens the state store, which is a local file or a database shared by several machines.
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import type { BuildSource } from '../../state/fresh-copies.ts'
import type { OpenStateStore } from '../../state/state-entries.ts'
import { openSqliteState, type StateWriter } from '../../state/state-sqlite.ts'
import type { StateStore } from '../../state/state-store.ts'
import { removeBuiltCopies } from '../../state/stored-copies.ts'
import { inBackground } from './http/background.ts'
import { openThreadPool } from './thread-pool.ts'

/** The file in which the server keeps data that is not in git. */
const STATE_FILE = '.hub/state.db'
const SWEEP_MS = 600_000

/**
 * Opens the state store.
 *
 * @param root the folder that contains `.hub`
 * @param isServing whether this thread serves reads, which must not wait for the disk
 * @throws Error if the file is not a database, or if a newer version of the hub wrote it
 */
export async function openState(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  root = '.',
  { isServing = false } = {},
): Promise<OpenStateStore> {
  if (databaseUrl !== undefined)
    // Imported only here, because most hubs run on one machine.
    return (await import('../../state/state-postgres.ts')).openPostgresState(databaseUrl)
  return openSqliteState(resolve(root, STATE_FILE), Date.now, isServing ? openStateWriter() : undefined)
}

/** A proposal has eight million characters, of which a write needs a few copies. */
const WRITER_MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 6 }

/** Starts a thread that writes to the state file. */
export const openStateWriter = (): StateWriter =>
  openThreadPool('state-thread.ts', { maxThreads: 1, memory: WRITER_MEMORY })

/**
 * Removes expired entries from the state every ten minutes.
 *
 * @param sourceOf returns what the current build includes, so that its fresh copies are removed too; undefined if other machines still need them
 * @returns a function that stops the removal
 */
export function startSweeping(state: StateStore, sourceOf: () => BuildSource | undefined): () => void {
  const sweep = async () => {
    await state.removeExpired()
    const source = sourceOf()
    if (source) await removeBuiltCopies(state, source)
  }
  const timer = setInterval(() => inBackground('Removing expired entries', sweep), SWEEP_MS)
  timer.unref()
  return () => clearInterval(timer)
}
