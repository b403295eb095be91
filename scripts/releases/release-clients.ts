// `npm run release:clients`: renews the digests of the clients' current releases. `npm version` runs it with --final, which also archives them.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readCliRelease } from '../../src/build/downloads/hubcli.ts'
import { readClientsRelease } from '../../src/build/downloads/libraries.ts'
import { archiveRelease, isArchived } from '../../src/build/downloads/releases.ts'
import { listDownloads } from '../../src/build/list-downloads.ts'
import { runCommand } from '../run-command.ts'

/** The URL in the releases before a hub inserts its own. */
const PLACEHOLDER = 'http://localhost:8888'

const help = 'Usage: npm run release:clients'
await runCommand({ help, options: { final: { type: 'boolean' } } }, async ({ values }) => {
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
