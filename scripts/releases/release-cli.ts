// Freezes hubcli as a release: `node scripts/releases/release-cli.ts [root]`.
import path from 'node:path'
import { freezeRelease } from '../../src/site/downloads/hubcli.ts'

const root = process.argv[2] ?? path.join(import.meta.dirname, '..', '..')
try {
  const { release, sha256, isNew } = await freezeRelease(root)
  console.log(`${isNew ? 'Froze' : 'Unchanged:'} hubcli ${release}, sha256 ${sha256}`)
  if (isNew) console.log('Add its checksum to tests/cli/release.test.ts, and commit both.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
