// Checks the store for tokens, sessions and fresh copies. It opens nothing for writing, because a file that one user creates may be closed to the user who runs the hub.
import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../src/config.ts'
import { describeReason } from '../../src/ports/log.ts'
import { STATE_FILE } from '../node-server/open-state.ts'
import { inspectDatabase } from '../stores/state/state-postgres.ts'
import { inspectSqliteState } from '../stores/state/state-sqlite.ts'
import { type CheckProblem, type CheckProblems, compareClocks, fail } from './checks.ts'

/** The files of an SQLite database, by the end of their names. https://www.sqlite.org/tempfiles.html */
const SQLITE_FILES = ['', '-wal', '-shm']

/** Checks whether this user can store state in the folder that the hub would use. @param root the folder that contains `.hub` */
export function checkStateFile(root: string): CheckProblems {
  const file = resolve(root, STATE_FILE)
  const folder = dirname(file)
  const refused = existsSync(folder) ? findRefusal(folder, true) : findRefusal(root, true)
  if (refused)
    return fail(
      `Files cannot be stored in ${folder}: ${refused}.`,
      'Make sure that the hub’s user can write to that folder and that the disk is writable.',
    )
  const files = SQLITE_FILES.map((end) => `${file}${end}`).filter((path) => existsSync(path))
  const owner = existsSync(folder) ? lstatSync(folder).uid : undefined
  const findings: CheckProblem[] = []
  for (const path of files) {
    const reason = findRefusal(path, false)
    const { uid } = lstatSync(path)
    // Root may open every file, so only the owner shows whether the hub's user can.
    if (reason || (process.getuid?.() === 0 && uid !== owner))
      findings.push(
        fail(
          `The hub’s user cannot write to ${path}: ${reason ?? `it belongs to the user ${uid}, but the folder belongs to the user ${owner}`}.`,
          `Give it to the user who runs the hub: chown --reference=${folder} ${path}`,
        ),
      )
  }
  if (findings.length > 0 || !existsSync(file)) return findings
  try {
    inspectSqliteState(file)
    return undefined
  } catch (error) {
    return fail(
      `${file} cannot be used: ${error instanceof Error ? error.message : error}`,
      'Restore it from a backup, or move it away: the hub then creates a new one, and all tokens must be created again.',
    )
  }
}

/** Returns why this user cannot write to a path; undefined if the user can. */
function findRefusal(path: string, isFolder: boolean): string | undefined {
  try {
    if (isFolder && !lstatSync(path).isDirectory()) return 'it is not a folder'
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Checks the shared database: that it responds, that its clock is right, and that the hub's user may write to it. */
export async function checkDatabase(
  { databaseUrl = '' }: Pick<Config, 'databaseUrl'>,
  now: Date,
): Promise<CheckProblems> {
  try {
    const { time, canStore } = await inspectDatabase(databaseUrl)
    if (canStore) return compareClocks('the database', time, now)
    return fail(
      'The user in DATABASE_URL may not write to the database.',
      'Grant this user CREATE on the schema, or SELECT, INSERT, UPDATE and DELETE on the table prompt_hub_state; a read-only replica cannot be used.',
    )
  } catch (error) {
    const reason = describeReason(error)
    return fail(
      `The database at DATABASE_URL does not respond${reason && `: ${reason}`}.`,
      'Start it, and check the host, user and password in DATABASE_URL.',
    )
  }
}
