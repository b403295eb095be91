// `npm run release:clients`: renews the digests of the clients' current releases. `npm version` runs it with --final, which also archives them. With --packages FOLDER, it only writes the packages for npm there.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readCliRelease } from '../../src/build/downloads/hubcli.ts'
import { readClientsRelease } from '../../src/build/downloads/libraries.ts'
import { archiveRelease, isArchived } from '../../src/build/downloads/releases.ts'
import { COMMAND, listDownloads } from '../../src/build/list-downloads.ts'
import { runCommand } from '../run-command.ts'

/** The URL in the releases before a hub inserts its own. */
const PLACEHOLDER = 'http://localhost:8888'

const help = 'Usage: npm run release:clients [-- --packages FOLDER]'
const options = { final: { type: 'boolean' }, packages: { type: 'string' } } as const
await runCommand({ help, options }, async ({ values }) => {
  if (values.packages !== undefined) return writePackages(values.packages)
  const current = [
    ['hubcli', await readCliRelease('.')],
    ['libraries', await readClientsRelease('.')],
  ] as const
  for (const [released, release] of current) await isArchived('.', released, release)
  const downloads = await listDownloads('.', PLACEHOLDER)
  const pinned = downloads.filter(([path]) => path.includes('/releases/') && !path.endsWith('.sha256'))
  const lines = pinned.map(([path, content]) => `${createHash('sha256').update(content).digest('hex')}  ${path}\n`)
  writeFileSync('clients/digests.txt', lines.join(''))
  console.log(`clients/digests.txt: ${pinned.map(([path]) => path).join(', ')}`)
  if (values.final) for (const [released, release] of current) await archiveRelease('.', released, release)
})

/** Writes the packages that npm serves: `prompt-hub` is what users type, and `prompt-hub-client` the library. */
async function writePackages(folder: string): Promise<void> {
  const { number } = await readClientsRelease('.')
  const library = `/clients/releases/${number}/prompt-hub-client-${number}.tgz`
  mkdirSync(folder, { recursive: true })
  for (const [path, content] of await listDownloads('.', PLACEHOLDER)) {
    if (path !== library && path !== COMMAND) continue
    const file = join(folder, path === library ? basename(path) : `prompt-hub-${number}.tgz`)
    writeFileSync(file, content)
    console.log(file)
  }
}
