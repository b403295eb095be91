// One of several processes that publish concurrently. The arguments are the folder, the name and the number of
// publishes.

import { nextVersion } from '../../src/domain/values/versions.ts'
import { openLocalGit } from '../../src/git/git-store-local.ts'

const [contentDir = '', name = '', count = '1'] = process.argv.slice(2)
const store = openLocalGit({ contentDir, environment: process.env })
const place = { owner: 'acme', name: 'code-review' }

for (let left = Number(count); left > 0; ) {
  const options = { signal: AbortSignal.timeout(60_000) }
  const base = await store.readFolder(place, options)
  const version = nextVersion([...base.versions.keys()], 'patch')
  const message = { headline: `Publish ${version}`, trailers: [['Operation-Id', `${name}-${left}`]] } as const
  const text = `${name} ${left}\n`
  const outcome = await store.commit({ ...place, base, message, version: { version, text }, index: text }, options)
  if (outcome.kind !== 'committed') continue
  process.stdout.write(`${version}\n`)
  left -= 1
}
