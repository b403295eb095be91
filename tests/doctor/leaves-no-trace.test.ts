// Tests that `npm run doctor` writes nothing: whoever runs it, with and without a state file, while a hub has it open or
// not, every file and folder stays as it is, and another user's files are reported with git's or the system's message.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openSqliteState } from '../../packages/stores/state/state-sqlite.ts'
import { COMPILED } from '../compiled.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { versionFile } from './setups.ts'

const isRoot = process.getuid?.() === 0
/** Debian's user for processes that own no files. */
const NOBODY = 65534
/** The record of a publish whose process was killed. */
const PUBLISHING = JSON.stringify({ branch: 'refs/heads/main', commit: 'a'.repeat(40) })

let repository: LocalRepository
let state: string
beforeEach(() => {
  repository = makeRepository('ready')
  repository.commit({ 'content/acme/greet/versions/1.0.0.md': versionFile('Greet {{name}}.') })
  chmodSync(repository.folder, 0o755)
  state = join(repository.folder, '.hub/state.db')
})

/** Returns the owner, mode, times, size and bytes of every file and folder; the time of the last read does not count. */
const look = () =>
  ['.', ...readdirSync(repository.folder, { recursive: true, encoding: 'utf8' })].sort().map((name) => {
    const path = join(repository.folder, name)
    const { atimeMs, atime, atimeNs, ...rest } = lstatSync(path, { bigint: true })
    return { name, ...rest, bytes: rest.mode & 0o100000n ? readFileSync(path, 'base64') : '' }
  })

/** Runs the doctor in the repository's folder. @param user runs it as this user */
const runDoctor = (user?: number) => {
  const script = resolve('scripts/doctor.ts')
  const command = [process.execPath, script, '--json']
  const [program = '', ...args] =
    user === undefined ? command : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command]
  const { PATH } = process.env
  const env = { PATH, ...COMPILED, HOME: '/nonexistent', CONTENT_DIR: join(repository.folder, 'content') }
  const { stdout, stderr } = spawnSync(program, args, { cwd: repository.folder, env, encoding: 'utf8' })
  const { checks } = JSON.parse(stdout || `{"checks":"${stderr}"}`) as {
    checks: { check: string; outcome: string; findings: { problem: string; fix: string }[] }[]
  }
  return Object.fromEntries(checks.map((one) => [one.check, one]))
}
const problemsOf = (checks: ReturnType<typeof runDoctor>) =>
  Object.fromEntries(
    Object.entries(checks).flatMap(([name, { findings }]) =>
      findings.length > 0 ? [[name, findings.map(({ problem, fix }) => `${problem} → ${fix}`).join('\n')]] : [],
    ),
  )
const giveAway = (folder: string) => {
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(join(folder, name), NOBODY, NOBODY)
}

describe('the doctor changes no file and no folder', () => {
  test.each<[string, () => unknown]>([
    ['without a state folder', () => {}],
    [
      'with a file that is not a database',
      () => {
        mkdirSync(join(repository.folder, '.hub'))
        writeFileSync(state, 'x'.repeat(5_000))
      },
    ],
    [
      'with a state file, after an interrupted publish',
      async () => {
        await (await openSqliteState(state)).close()
        mkdirSync(join(repository.folder, '.git/prompt-hub'))
        writeFileSync(join(repository.folder, '.git/prompt-hub/publishing.json'), PUBLISHING)
      },
    ],
  ])('%s', async (_, prepare) => {
    await prepare()
    const before = look()
    runDoctor()
    expect(look()).toEqual(before)
  })

  test('while a hub has the state file open', async () => {
    const hub = await openSqliteState(state)
    await hub.set('a/b', 'c')
    const before = look()
    expect(before.map(({ name }) => name)).toEqual(expect.arrayContaining(['.hub/state.db-wal', '.hub/state.db-shm']))
    expect(problemsOf(runDoctor())).toEqual({})
    expect(look()).toEqual(before)
    expect(await hub.get('a/b')).toMatchObject({ value: 'c' })
    await hub.close()
  })
})

describe.skipIf(!isRoot)('with two users (needs root)', () => {
  test("root is told that git refuses another user's folder, in git's own words, and why", () => {
    giveAway(repository.folder)
    const before = look()
    const problems = problemsOf(runDoctor())
    expect(Object.keys(problems)).toEqual(['content-git'])
    expect(problems['content-git']).toMatch(
      /belongs to another user\. Git says: fatal: detected dubious ownership in repository at '.*safe\.directory.* → Run this as the user who owns the folder, or add the folder to git's setting safe\.directory/,
    )
    expect(problems['content-git']).not.toMatch(/git init/)
    expect(look()).toEqual(before)
    expect(problemsOf(runDoctor(NOBODY))).toEqual({})
    expect(look()).toEqual(before)
  })

  test("a state file that root created in the hub's folder is reported to both", async () => {
    giveAway(repository.folder)
    mkdirSync(join(repository.folder, '.hub'))
    chownSync(join(repository.folder, '.hub'), NOBODY, NOBODY)
    writeFileSync(state, '', { mode: 0o600 })
    const before = look()
    for (const user of [undefined, NOBODY])
      expect(problemsOf(runDoctor(user))['blob-store']).toMatch(
        /cannot write to .*state\.db: (?:EACCES|it belongs to the user 0, but the folder belongs to the user 65534).*chown --reference=/,
      )
    expect(look()).toEqual(before)
  })

  test("a folder that is closed to the hub's user is reported, with the system's message", () => {
    giveAway(join(repository.folder, 'content'))
    expect(problemsOf(runDoctor(NOBODY))['blob-store']).toMatch(/cannot be stored in .*\.hub: EACCES/)
  })

  test("root creates the state file for the owner of the hub's folder", async () => {
    mkdirSync(join(repository.folder, '.hub'))
    chownSync(join(repository.folder, '.hub'), NOBODY, NOBODY)
    const opened = await openSqliteState(state)
    await opened.set('a/b', 'c')
    const owners = ['state.db', 'state.db-wal', 'state.db-shm'].map(
      (name) => lstatSync(join(repository.folder, '.hub', name)).uid,
    )
    await opened.close()
    expect(owners).toEqual([NOBODY, NOBODY, NOBODY])
  })
})
