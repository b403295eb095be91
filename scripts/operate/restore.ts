// `npm run restore -- FILE [--verify]`: brings back what `npm run backup` saved, and compares it with the backup.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { findServedContent } from '../../src/hosts/node/own-catalogue.ts'
import { runCommand } from '../run-command.ts'
import { BUNDLE, type Contents, compare, run, STATE, unpack } from './backup-file.ts'

const USAGE = `Usage: npm run restore -- FILE [--verify]

Stop the hub first. What is there now is kept beside what is restored. With --verify, a copy is restored in a temporary
folder and compared with the backup, and nothing changes.`

const options = { verify: { type: 'boolean' } } as const
await runCommand({ help: USAGE, options, allowPositionals: true }, async ({ positionals, values }) => {
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new Error('expected one file')
  if (!values.verify) await requireStopped()
  const folder = mkdtempSync(join(values.verify ? tmpdir() : mkdirHub(), 'restore-'))
  try {
    const contents = unpack(resolve(file), folder)
    const copy = contents.refs === null ? undefined : cloneBundle(folder, contents)
    compare(contents, join(folder, STATE), copy)
    const about = `the backup of ${contents.made_at} (hub ${contents.version}, ${contents.state.entries} entries of the state)`
    if (values.verify) console.log(`Verified: a restored copy has everything in ${about}.`)
    else {
      const before = putBack(contents, folder, copy)
      console.log(`Restored ${about}.${before.map((path) => `\nKept: ${path}`).join('')}\nStart the hub.`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** The folder of the hub, where a file can be renamed to its place. */
function mkdirHub(): string {
  mkdirSync('.hub', { recursive: true, mode: 0o700 })
  return '.hub'
}

/** @throws Error while a hub runs here, because it would go on writing to what is moved away */
async function requireStopped(): Promise<void> {
  const { port } = readConfig(process.env)
  const answer = await fetch(`http://localhost:${port}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  )
  if (answer)
    throw new Error(`The hub still runs on port ${port}. Stop it first: systemctl stop prompt-hub.socket prompt-hub`)
}

function cloneBundle(folder: string, { branch, refs }: Contents): string {
  const copy = join(folder, 'catalogue')
  run('git', ['clone', '--quiet', `--branch=${branch}`, join(folder, BUNDLE), copy])
  for (const [name, commit] of Object.entries(refs ?? {})) run('git', ['-C', copy, 'update-ref', name, commit])
  run('git', ['-C', copy, 'remote', 'remove', 'origin'])
  return copy
}

/** Moves the restored files to their places. @returns where what was there before is now */
function putBack(contents: Contents, folder: string, copy: string | undefined): string[] {
  const date = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '-')
  const kept: string[] = []
  const replace = (from: string, to: string) => {
    if (existsSync(to)) {
      renameSync(to, `${to}-before-${date}`)
      kept.push(`${to}-before-${date}`)
    }
    mkdirSync(dirname(to), { recursive: true })
    // From another file system, it cannot be renamed.
    run('mv', ['--', from, to])
  }
  const { uid, gid } = statSync('.hub')
  if (copy !== undefined) {
    const root = resolve(findServedContent(readConfig(process.env)), '..')
    chmodSync(copy, 0o700)
    if (process.getuid?.() === 0) run('chown', ['--recursive', `${uid}:${gid}`, copy])
    replace(copy, root)
  }
  const state = resolve('.hub/state.db')
  if (process.getuid?.() === 0) run('chown', [`${uid}:${gid}`, join(folder, STATE)])
  chmodSync(join(folder, STATE), 0o600)
  replace(join(folder, STATE), state)
  // They belong to the file that was replaced.
  for (const rest of ['-wal', '-shm']) rmSync(state + rest, { force: true })
  compare({ ...contents, refs: null }, state, undefined)
  return kept
}
