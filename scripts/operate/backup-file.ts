// The file that a backup writes and a restore reads: a tar archive with the state, the catalogue as a git bundle, and what both contain.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'

export const STATE = 'state.db'
export const BUNDLE = 'catalogue.bundle'
export const CONTENTS = 'contents.json'

/** What a backup contains, with which a restored copy is compared. */
export const Contents = z.object({
  made_at: z.iso.datetime(),
  /** The version of the hub. */
  version: z.string(),
  state: z.object({ entries: z.int(), sha256: z.string() }),
  /** The refs of the catalogue and their commits; null if the catalogue is on GitHub. */
  refs: z.record(z.string(), z.string()).nullable(),
  /** The branch that was checked out. */
  branch: z.string().nullable(),
})
export type Contents = z.infer<typeof Contents>

/** Describes the entries of a state file. @throws Error if it is damaged */
export function describeState(path: string): Contents['state'] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const [check] = database.prepare('PRAGMA integrity_check').all()
    if (check?.integrity_check !== 'ok') throw new Error(`${path} is damaged: ${check?.integrity_check}`)
    const rows = database.prepare('SELECT * FROM state ORDER BY key').all()
    return { entries: rows.length, sha256: hash('sha256', JSON.stringify(rows)) }
  } finally {
    database.close()
  }
}

/** Reads lines of a commit and a ref, without those of other repositories. */
export function readRefs(lines: string): Record<string, string> {
  const refs = lines.split('\n').map((line) => line.split(' '))
  return Object.fromEntries(
    refs.flatMap(([commit = '', name = '']) => (/^refs\/(?!remotes\/)/.test(name) ? [[name, commit]] : [])),
  )
}

/** Lists the refs of a repository. */
function listRefs(folder: string): Record<string, string> {
  const lines = run('git', ['-C', folder, 'for-each-ref', '--format=%(objectname) %(refname)'])
  return readRefs(lines)
}

/** Unpacks a backup into a folder and checks that it is whole. @throws Error that says what is wrong with it */
export function unpack(file: string, folder: string): Contents {
  run('tar', ['--extract', '--no-same-owner', `--file=${file}`, `--directory=${folder}`, CONTENTS, STATE])
  const contents = Contents.parse(JSON.parse(readFileSync(join(folder, CONTENTS), 'utf8')))
  if (contents.refs !== null)
    run('tar', ['--extract', '--no-same-owner', `--file=${file}`, `--directory=${folder}`, BUNDLE])
  return contents
}

/** Compares a restored copy with what the backup says that it contains. @throws Error that names the first difference */
export function compare(contents: Contents, statePath: string, repository: string | undefined): void {
  const state = describeState(statePath)
  if (state.sha256 !== contents.state.sha256)
    throw new Error(`The state differs: ${state.entries} entries in place of ${contents.state.entries}, or other ones.`)
  if (contents.refs === null) return
  const refs = repository !== undefined && existsSync(repository) ? listRefs(repository) : {}
  const names = new Set([...Object.keys(refs), ...Object.keys(contents.refs)])
  for (const name of names)
    if (refs[name] !== contents.refs[name])
      throw new Error(`${name} differs: ${refs[name] ?? 'missing'} in place of ${contents.refs[name] ?? 'nothing'}.`)
  if (repository !== undefined) run('git', ['-C', repository, 'fsck', '--connectivity-only', '--no-dangling'])
}

/** Runs a program. @returns its output @throws Error with what it said */
export function run(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28 })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Error(`${program} ${args[0]} failed: ${said || (error as Error).message}`)
  }
}
