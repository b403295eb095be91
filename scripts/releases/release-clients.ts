// `npm run release:clients`: renews the digests of the clients' current releases. `npm version` runs it with --final, which also archives them and names the new tag in the guides.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listDownloads } from '../../src/site/build/list-downloads.ts'
import { readCliRelease } from '../../src/site/downloads/hubcli.ts'
import { readClientsRelease } from '../../src/site/downloads/libraries.ts'
import { archiveRelease, isArchived } from '../../src/site/downloads/releases.ts'

/** The URL in the releases before a hub inserts its own. */
const PLACEHOLDER = 'http://localhost:8888'
const GUIDES = 'src/pages/docs'

try {
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
  if (process.argv.includes('--final')) {
    for (const [released, release] of current) await archiveRelease('.', released, release)
    nameTag(process.env.npm_old_version ?? '', process.env.npm_new_version ?? '')
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Replaces the tag in the guides, so that they install the release that they belong to. */
function nameTag(old: string, next: string): void {
  for (const name of readdirSync(GUIDES).filter((name) => name.endsWith('.md') && name !== 'changes.md')) {
    const path = join(GUIDES, name)
    const text = readFileSync(path, 'utf8')
    const named = text
      .replaceAll(new RegExp(`(--branch|checkout --quiet) v${old}\\b`, 'g'), `$1 v${next}`)
      .replaceAll(`release ${old}`, `release ${next}`)
    if (named !== text) writeFileSync(path, named)
  }
}
