// Owns the command that freezes hubcli as a release: `node scripts/release-cli.ts [folder]`, src/cli unless told otherwise.
import path from 'node:path'
import { freezeRelease } from '../src/cli/downloads.ts'

const cliDir = process.argv[2] ?? path.join(import.meta.dirname, '..', 'src', 'cli')
try {
  const { release, sha256, isNew } = await freezeRelease(cliDir)
  console.log(`${isNew ? 'Froze' : 'Unchanged:'} hubcli ${release}, sha256 ${sha256}`)
  if (isNew) console.log('Pin it in tests/cli/release.test.ts, and commit both.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
