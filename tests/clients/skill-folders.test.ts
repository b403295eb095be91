// Installs the folders of Agent Skills with both clients, from a real hub: all files or none, with the same lock and the same messages.
import {
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../cli/plain-files.ts'
import type { Ran } from '../loaded.ts'
import { writeFiles } from '../write-files.ts'
import { CLIENTS, runClient } from './both-clients.ts'
import { lockIn, pushFolder, type SkillHub, snapshot, startSkillHub } from './skill-hub.ts'

const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 255, 254])
const LONG = `${'a'.repeat(90)}/${'b'.repeat(90)}/c.md`
const FILES = {
  'SKILL.md':
    '---\nname: forms\ndescription: Fills in forms.\nmetadata: {author: octocat}\n---\nRun scripts/fill.py for {{name}}.\n',
  'scripts/fill.py': 'print("{{name}}")\r\n',
  'scripts/run.sh': '#!/bin/sh\necho {{name}}\n',
  'logo.png': BINARY,
  '10': 'a number as a name',
  __proto__: 'not a file of this object',
  constructor_: '',
  [LONG]: 'long',
}
const PATHS = ['10', LONG, 'constructor_', 'logo.png', 'scripts/fill.py', 'scripts/run.sh'].sort()

let hub: SkillHub
/** A project to which hubcli has added version 1.0.0. */
let added: string
beforeAll(async () => {
  hub = await startSkillHub()
  const folder = join(hub.scratch, 'forms')
  writeFiles(folder, FILES)
  expect(await pushFolder(hub, 'acme/forms', folder, 'major')).toBe('1.0.0')
  expect((await hub.hub.read('/api/v1/repos/acme/forms/versions/1.0.0')).data.files).toMatchObject(
    PATHS.map((path) => ({ path })),
  )
  added = hub.newFolder()
  const ran = await hub.hubcli(added, 'add', 'acme/forms@1.0.0', '--as', 'skill')
  expect({ ...ran, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' })
})
afterAll(() => hub?.close())

const PLACE = '.agents/skills/forms'

/** Makes a project like the one to which hubcli has added the skill. */
function makeProject(): string {
  const folder = hub.newFolder()
  cpSync(added, folder, { recursive: true })
  return folder
}

/** Returns the files of the skill that are executable. */
const executable = (folder: string) =>
  ['SKILL.md', ...PATHS].filter((path) => (statSync(join(folder, PLACE, path)).mode & 0o111) !== 0)

test('hubcli add writes every file byte for byte, only scripts executable, and a lock with a digest for each', async () => {
  const folder = makeProject()
  const skill = readFileSync(join(folder, PLACE, 'SKILL.md'))
  expect(skill.toString()).toBe((await hub.hub.read('/acme/forms/v/1.0.0/SKILL.md')).text)
  for (const path of PATHS) expect(readFileSync(join(folder, PLACE, path))).toEqual(Buffer.from(FILES[path]!))
  expect(executable(folder)).toEqual(['scripts/run.sh'])
  const { prompts } = JSON.parse(lockIn(folder))
  expect(prompts['acme/forms']).toMatchObject({
    range: '1.0.0',
    version: '1.0.0',
    sha256: sha256('Run scripts/fill.py for {{name}}.\n'),
    places: [
      {
        path: PLACE,
        files: { 'SKILL.md': sha256(skill), ...Object.fromEntries(PATHS.map((path) => [path, sha256(FILES[path]!)])) },
      },
    ],
  })
  expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toContain('\n/.agents/skills/forms/** -text\n')
  expect(readdirSync(join(folder, '.agents/skills'))).toEqual(['forms'])
  expect(await hub.hubcli(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
  expect(await hub.hubcli(folder, 'cat', '--locked', 'acme/forms')).toMatchObject({
    code: 0,
    stdout: 'Run scripts/fill.py for {{name}}.\n',
  })
  expect(await hub.hubcli(folder, 'render', '--locked', 'acme/forms', '--var', 'name=x')).toMatchObject({
    code: 0,
    stdout: 'Run scripts/fill.py for x.\n',
  })
})

describe.each(CLIENTS)('$name', ({ command }) => {
  const run = (folder: string, ...args: string[]): Promise<Ran> => runClient(command, args, folder, hub.url)
  const offline = (folder: string, ...args: string[]) => runClient(command, args, folder, 'http://127.0.0.1:9')

  test('verifies offline, restores missing files, and writes the same lock', async () => {
    const folder = makeProject()
    const whole = snapshot(folder)
    expect(await offline(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
    rmSync(join(folder, PLACE, 'scripts'), { recursive: true })
    expect(await offline(folder, 'verify')).toMatchObject({
      code: 4,
      stderr: `prompt-hub: ${PLACE}/scripts/fill.py is not there; prompt-hub install restores it\n`,
    })
    expect(await run(folder, 'install')).toMatchObject({ code: 0, stderr: '' })
    expect(snapshot(folder)).toEqual(whole)
    rmSync(join(folder, '.agents'), { recursive: true })
    expect(await run(folder, 'install')).toMatchObject({ code: 0, stderr: '' })
    expect(snapshot(folder)).toEqual(whole)
    expect(executable(folder)).toEqual(['scripts/run.sh'])
    expect(readdirSync(join(folder, '.agents/skills'))).toEqual(['forms'])
  })

  test('does not replace what was changed by hand, and names the way out', async () => {
    const folder = makeProject()
    const whole = snapshot(folder)
    const file = `${PLACE}/scripts/fill.py`
    const refused = (path: string) =>
      `prompt-hub: ${path} was changed by hand, or is another file; nothing was replaced. Move it away, or replace it: prompt-hub install --force\n`
    writeFileSync(join(folder, file), 'mine')
    expect(await run(folder, 'verify')).toMatchObject({
      code: 4,
      stderr: `prompt-hub: ${file} is not what prompts.lock says; prompt-hub install --force restores it\n`,
    })
    expect(await run(folder, 'install')).toMatchObject({ code: 4, stderr: refused(file) })
    expect(readFileSync(join(folder, file), 'utf8')).toBe('mine')
    expect(await run(folder, 'install', '--force')).toMatchObject({ code: 0, stderr: '' })
    expect(snapshot(folder)).toEqual(whole)

    writeFileSync(join(folder, PLACE, 'notes.md'), 'mine')
    expect(await run(folder, 'verify')).toMatchObject({
      code: 4,
      stderr: `prompt-hub: ${PLACE}/notes.md is not in prompts.lock; move it away, or delete it: prompt-hub install --force\n`,
    })
    expect(await run(folder, 'install')).toMatchObject({ stderr: refused(`${PLACE}/notes.md`) })
    expect(await run(folder, 'remove', 'acme/forms')).toMatchObject({
      code: 0,
      stderr: `prompt-hub: ${PLACE}/notes.md was changed by hand and stays\n`,
    })
    expect(readFileSync(join(folder, PLACE, 'notes.md'), 'utf8')).toBe('mine')
  })

  test('add changes the range of a locked skill, which stays a skill', async () => {
    const folder = makeProject()
    const whole = snapshot(join(folder, '.agents'))
    expect(await run(folder, 'add', 'acme/forms@1.x')).toMatchObject({ code: 0, stderr: '' })
    const { range, places } = JSON.parse(lockIn(folder)).prompts['acme/forms']
    expect([range, places.map(({ path }: { path: string }) => path)]).toEqual(['1.x', [PLACE]])
    expect(snapshot(join(folder, '.agents'))).toEqual(whole)
    expect(await offline(folder, 'verify')).toMatchObject({ code: 0 })
  })

  test('remove deletes the folder, also with what Python made in it', async () => {
    const folder = makeProject()
    writeFiles(join(folder, PLACE), { 'scripts/__pycache__/fill.cpython-313.pyc': 'x', '.DS_Store': 'x' })
    expect(await run(folder, 'verify')).toMatchObject({ code: 0, stderr: '' })
    expect(await run(folder, 'remove', 'acme/forms')).toMatchObject({
      code: 0,
      stderr: `prompt-hub: deletes ${PLACE}\n`,
    })
    expect(readdirSync(folder).sort()).toEqual(['.gitattributes', 'prompts.lock'])
    expect(JSON.parse(lockIn(folder)).prompts).toEqual({})
  })

  test('never writes through a symbolic link', async () => {
    const folder = makeProject()
    const elsewhere = hub.newFolder()
    renameSync(join(folder, PLACE), join(elsewhere, 'forms'))
    symlinkSync(join(elsewhere, 'forms'), join(folder, PLACE))
    const before = snapshot(elsewhere)
    const install = await run(folder, 'install', '--force')
    expect(install.code).not.toBe(0)
    expect(install.stderr).toMatch(/symbolic link/)
    expect(snapshot(elsewhere)).toEqual(before)
    expect(lstatSync(join(folder, PLACE)).isSymbolicLink()).toBe(true)
  })
})
