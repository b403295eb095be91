// `npm run backup -- FILE`: saves the state and the catalogue of this machine's hub in one file, also while it runs.
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { readConfig } from '../../src/config.ts'
import { BACKUP_MARK } from '../../src/hosts/node/operating-facts.ts'
import { findServedContent } from '../../src/hosts/node/own-catalogue.ts'
import { VERSION } from '../../src/version.ts'
import { runCommand } from '../run-command.ts'
import { BUNDLE, CONTENTS, type Contents, describeState, readRefs, run, STATE } from './backup-file.ts'

const USAGE = `Usage: npm run backup -- FILE
       npm run backup -- FOLDER [--keep N]

Saves tokens, sessions and the catalogue of this machine's hub, which may be running. In a folder, the file is named by
the date, and --keep removes all but the newest N. The settings are not in it: keep /etc/prompt-hub.env yourself.`

const NAME = /^prompt-hub-\d{8}T\d{6}Z\.tar$/

const options = { keep: { type: 'string' } } as const
await runCommand({ help: USAGE, options, allowPositionals: true }, async ({ positionals, values }) => {
  const [given, ...more] = positionals
  if (given === undefined || more.length > 0) throw new Error('expected a file or a folder')
  const isFolder = existsSync(given) && statSync(given).isDirectory()
  const keep = values.keep === undefined ? undefined : Number(values.keep)
  if (keep !== undefined && !(isFolder && Number.isInteger(keep) && keep > 0))
    throw new Error('--keep: expected a number of at least 1, and a folder that exists')
  const file = resolve(isFolder ? join(given, nameOf(new Date())) : given)
  const contents = await save(file)
  writeFileSync(BACKUP_MARK, `${contents.made_at}\n`)
  const kept = Object.keys(contents.refs ?? {}).length
  const catalogue = contents.refs === null ? 'the catalogue is on GitHub' : `${kept} refs of the catalogue`
  console.log(`Saved ${file}: ${contents.state.entries} entries of the state, ${catalogue}.`)
  if (keep !== undefined) removeOld(given, keep)
})

function nameOf(now: Date): string {
  return `prompt-hub-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.tar`
}

function removeOld(folder: string, keep: number): void {
  const old = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -keep)
  for (const name of old) rmSync(join(folder, name))
}

/** The state is saved first, so that a version published in between is in the bundle. The file appears only when it is whole. */
async function save(file: string): Promise<Contents> {
  const config = readConfig(process.env)
  if (config.databaseUrl !== undefined)
    throw new Error(
      'The state of this hub is in PostgreSQL, and its catalogue on GitHub. Back up the database: pg_dump --table=prompt_hub_state "$DATABASE_URL".',
    )
  const folder = mkdtempSync(`${file}.`)
  try {
    const state = join(folder, STATE)
    const database = new DatabaseSync('.hub/state.db', { timeout: 10_000, readOnly: true })
    await backup(database, state).finally(() => database.close())
    const root = config.gitStore.kind === 'local' ? rootOf(findServedContent(config)) : undefined
    if (root !== undefined) run('git', ['-C', root, 'bundle', 'create', '--quiet', join(folder, BUNDLE), '--all'])
    const contents: Contents = {
      made_at: new Date().toISOString(),
      version: VERSION,
      state: describeState(state),
      refs: root === undefined ? null : readRefs(run('git', ['bundle', 'list-heads', join(folder, BUNDLE)])),
      branch: root === undefined ? null : run('git', ['-C', root, 'symbolic-ref', '--short', 'HEAD']).trim(),
    }
    writeFileSync(join(folder, CONTENTS), `${JSON.stringify(contents, undefined, 2)}\n`)
    const names = [CONTENTS, STATE, ...(root === undefined ? [] : [BUNDLE])]
    const part = join(folder, 'backup.tar')
    run('tar', ['--create', `--file=${part}`, `--directory=${folder}`, ...names])
    chmodSync(part, 0o600)
    renameSync(part, file)
    return contents
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function rootOf(contentDir: string): string {
  return run('git', ['-C', contentDir, 'rev-parse', '--show-toplevel']).trim()
}
