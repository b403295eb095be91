// Opens the state store, which is a local file or a database shared by several machines.
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import type { BuildSource } from '../../state/fresh-copies.ts'
import type { OpenStateStore } from '../../state/state-entries.ts'
import { openSqliteState } from '../../state/state-sqlite.ts'
import type { StateStore } from '../../state/state-store.ts'
import { removeBuiltCopies } from '../../state/stored-copies.ts'
import { inBackground } from './http/background.ts'

/** The file in which the server keeps data that is not in git. */
const STATE_FILE = '.hub/state.db'
const SWEEP_MS = 600_000

/**
 * Opens the state store.
 *
 * @param root the folder that contains `.hub`
 * @throws Error if the file is not a database, or if a newer version of the hub wrote it
 */
export async function openState({ databaseUrl }: Pick<Config, 'databaseUrl'>, root = '.'): Promise<OpenStateStore> {
  if (databaseUrl !== undefined)
    // Imported only here, because most hubs run on one machine.
    return (await import('../../state/state-postgres.ts')).openPostgresState(databaseUrl)
  return openSqliteState(resolve(root, STATE_FILE))
}

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
