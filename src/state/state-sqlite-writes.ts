// Writes to the state file in a thread of their own: a write waits for the disk, and reads must not wait with it.
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { identify, type OpenFile, type StateWrite, statementOf, WRITE_SETTINGS, type Written } from './state-sqlite.ts'

/** Opens the writes of a thread, one at a time. The file is opened by the first one. */
export function openWrites() {
  let open: Omit<OpenFile, 'logIdentity'> | undefined
  const close = (): void => {
    open?.database.close()
    open = undefined
  }
  return {
    /** Runs a statement. A file that somebody else has locked is an error at once. */
    write({ path, identity, sql, values }: StateWrite): Written {
      try {
        if (open?.identity !== identity) {
          close()
          open = { database: openThere(path, identity), identity, statements: new Map() }
        }
        return { rows: statementOf(open!, sql).all(...values) }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const { message } = error
        return { failure: 'errcode' in error ? { message, errcode: Number(error.errcode) } : { message } }
      }
    },
    /** Closes the file. The next write opens it again. */
    close,
  }
}

/** @throws Error if another file is there now: nothing may be written to it that was decided for the one before */
function openThere(path: string, identity: string | undefined): DatabaseSync {
  const address = pathToFileURL(path)
  // SQLite would create a missing file.
  address.searchParams.set('mode', 'rw')
  const database = new DatabaseSync(address, { timeout: 0 })
  try {
    if (identify(path) !== identity) throw new Error('the file was replaced')
    database.exec(WRITE_SETTINGS)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
