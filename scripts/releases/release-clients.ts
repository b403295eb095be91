// `npm run release:clients`: compiles the TypeScript client, and freezes it and the Python client as a release.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freezeClients } from '../../src/site/downloads/libraries.ts'

const root = join(import.meta.dirname, '..', '..')
const compiled = mkdtempSync(join(tmpdir(), 'prompt-hub-clients-'))
try {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'clients/typescript'), '--outDir', compiled], {
    stdio: 'inherit',
  })
  console.log(
    `Froze release ${await freezeClients(root, compiled)} of the libraries. Add their checksums to tests/clients/release.test.ts, and commit both.`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(compiled, { recursive: true, force: true })
}
