// Assembles hubcli as a site serves it, with its Python modules built in, for every test that runs it.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readCliRelease } from '../../src/build/downloads/hubcli.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')

/** The path of the assembled script. The script in clients/hubcli does the same, but reads its modules from clients/. */
export const HUBCLI = path.join(ROOT, '.clients/hubcli')

const script = (await readCliRelease(ROOT)).files.get('hubcli') ?? ''
if (!existsSync(HUBCLI) || readFileSync(HUBCLI, 'utf8') !== script) {
  const part = `${HUBCLI}-${randomUUID()}`
  mkdirSync(path.dirname(part), { recursive: true })
  writeFileSync(part, script, { mode: 0o755 })
  // Test files run at the same time, and each must find a whole script.
  renameSync(part, HUBCLI)
}
