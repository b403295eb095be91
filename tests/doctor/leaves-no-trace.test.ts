// Tests that `npm run doctor` writes nothing, whoever runs it, and that another user's files are reported in git's words.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { COMPILED } from '../compiled.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { versionFile } from './setups.ts'

const isRoot = process.getuid?.() === 0
/** Debian's user for processes that own no files. */
const NOBODY = 65534
/** The record of a publish whose process was killed. */
const PUBLISHING = JSON.stringify({ branch: 'refs/heads/main', commit: 'a'.repeat(40) })

let repository: LocalRepository
beforeEach(() => {
  repository = makeRepository('ready')
  repository.commit({ 'content/acme/greet/versions/1.0.0.md': versionFile('Greet {{name}}.') })
  chmodSync(repository.folder, 0o755)
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

test('the doctor changes no file and no folder, also after an interrupted publish', () => {
  mkdirSync(join(repository.folder, '.git/prompt-hub'))
  writeFileSync(join(repository.folder, '.git/prompt-hub/publishing.json'), PUBLISHING)
  const before = look()
  runDoctor()
  expect(look()).toEqual(before)
})

test.skipIf(!isRoot)(
  "root (needs root) is told that git refuses another user's folder, in git's own words, and why",
  () => {
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
  },
)
