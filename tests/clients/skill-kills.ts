// Updates Agent Skills with both clients while renames fail or a run is killed: the old folder or the new one, never a mixture.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../cli/plain-files.ts'
import { writeFiles } from '../write-files.ts'
import { CLIENTS, runClient } from './both-clients.ts'
import { lockIn, pushFolder, type SkillHub, skillFile, snapshot, startSkillHub } from './skill-hub.ts'

let hub: SkillHub
/** The files of a project that has the first version, and of one that has the second. */
let before: ReturnType<typeof snapshot>
let after: ReturnType<typeof snapshot>
/** A project that has the second version. */
let fresh: string
/** Makes a project that has the first of the two versions. */
let makeOld: () => string
const PROMPT = 'acme/two'
const PLACE = '.agents/skills/two'
beforeAll(async () => {
  hub = await startSkillHub()
  const source = hub.newFolder()
  writeFiles(source, { 'SKILL.md': skillFile('One.'), 'a.md': '1', 'old.md': 'x', 'same.md': 's' })
  await pushFolder(hub, PROMPT, source, 'major')
  const old = hub.newFolder()
  expect(await hub.hubcli(old, 'add', PROMPT, '--as', 'skill')).toMatchObject({ code: 0 })
  rmSync(join(source, 'old.md'))
  writeFiles(source, { 'SKILL.md': skillFile('Two.'), 'a.md': '2', 'b/new.md': 'n' })
  expect(await pushFolder(hub, PROMPT, source)).toBe('1.1.0')
  makeOld = () => {
    const folder = hub.newFolder()
    cpSync(old, folder, { recursive: true })
    return folder
  }
  fresh = makeOld()
  expect(await hub.hubcli(fresh, 'update')).toMatchObject({ code: 0 })
  ;[before, after] = [snapshot(old), snapshot(fresh)]
})
afterAll(() => hub?.close())

describe.each(CLIENTS)('$name', ({ command }) => {
  const run = (folder: string, ...args: string[]) => runClient(command, args, folder, hub.url)

  test('a new version replaces all files, and removes those that are gone', async () => {
    const folder = makeOld()
    expect((await run(folder, 'outdated')).stdout).toBe(`${PROMPT}  1.0.0  1.1.0  1.1.0  ^1.0.0\n`)
    writeFileSync(join(folder, PLACE, 'a.md'), 'mine')
    expect((await run(folder, 'update')).stderr).toContain(`${PLACE}/a.md was changed by hand`)
    expect(JSON.parse(lockIn(folder)).prompts[PROMPT].version).toBe('1.0.0')
    writeFileSync(join(folder, PLACE, 'a.md'), '1\n')
    expect(await run(folder, 'update')).toMatchObject({
      code: 0,
      stdout: `${PROMPT} 1.0.0 -> 1.1.0 ${PLACE}\n`,
      stderr: '',
    })
    expect(snapshot(join(folder, PLACE)).map(([path]) => path)).toEqual(['SKILL.md', 'a.md', 'b/new.md', 'same.md'])
    expect(readFileSync(join(folder, PLACE, 'a.md'), 'utf8')).toBe('2')
    // All clients write the same files, so each can read those of the others.
    expect(snapshot(folder)).toEqual(after)
    expect(await runClient(command, ['verify'], folder, 'http://127.0.0.1:9')).toMatchObject({ code: 0, stderr: '' })
    expect(await run(folder, 'audit')).toMatchObject({ code: 0, stderr: '' })
  })
})

describe.each(CLIENTS)(
  '$name',
  ({ name, command, failingRename, killedBefore, interruptedBefore, copiedBeforeEach }) => {
    test('a failed rename leaves the old folder and the old lock', async () => {
      const folder = makeOld()
      let failed = 0
      for (let nth = 1; nth < 10; nth++) {
        const ran = await runClient(failingRename(nth), ['update'], folder, hub.url)
        if (ran.code === 0) break
        failed++
        expect(ran.stderr).toMatch(/busy/i)
        expect(snapshot(folder)).toEqual(before)
      }
      // The old folder aside, the new one in its place, and the lock.
      expect(failed).toBe(3)
      expect(snapshot(folder)).toEqual(after)
    })

    test('Ctrl-C leaves the old version or the new one, and nothing beside it', async () => {
      // The last one comes after the lock was replaced.
      for (const nth of [4, 8, 18]) {
        const folder = makeOld()
        expect(await runClient(interruptedBefore(nth), ['update'], folder, hub.url)).toMatchObject({ code: 130 })
        expect([listAll(makeOld()), listAll(fresh)]).toContainEqual(listAll(folder))
        expect(await runClient(command, ['verify'], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
      }
    })

    test('says that a folder stays which it cannot delete', async () => {
      const folder = makeOld()
      const old = snapshot(join(folder, PLACE))
      // The first rename replaces the lock.
      const ran = await runClient(failingRename(2), ['remove', PROMPT], folder, hub.url)
      expect(ran).toMatchObject({ code: 0, stdout: `${PROMPT} 1.0.0 ${PLACE}\n` })
      expect(ran.stderr).toMatch(
        /^prompt-hub: deletes [^\n]*\nprompt-hub: \.agents\/skills\/two cannot be deleted and stays: [^\n]*busy\n$/,
      )
      expect(snapshot(join(folder, PLACE))).toEqual(old)
      expect(await runClient(command, ['verify'], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
    })

    test('killed at any step, it leaves a whole folder', async () => {
      const inPlace = (files: ReturnType<typeof snapshot>) => files.filter(([path]) => path!.startsWith(`${PLACE}/`))
      const [old, updated] = [inPlace(before), inPlace(after)]
      // A kill leaves what is there before the next change, so one run shows what a kill at each step leaves.
      const copies = hub.newFolder()
      expect(await runClient(copiedBeforeEach(copies), ['update'], makeOld(), hub.url)).toMatchObject({ code: 0 })
      const steps = readdirSync(copies).length
      expect(steps).toBeGreaterThan(8)
      const half = Math.ceil(steps / 2)
      const killed = makeOld()
      expect((await runClient(killedBefore(half), ['update'], killed, hub.url)).code).not.toBe(0)
      expect(listAll(killed)).toEqual(listAll(join(copies, String(half))))
      const seen = new Set<string>()
      const leftBehind = new Set<string>()
      let cleaned = 0
      for (let nth = 1; nth <= steps; nth++) {
        const folder = join(copies, String(nth))
        const there = inPlace(snapshot(folder))
        const state = JSON.stringify(there) === JSON.stringify(old) ? 'old' : there.length === 0 ? 'aside' : 'new'
        if (state === 'new') expect(there).toEqual(updated)
        seen.add(state)
        // What follows depends on the files alone, so the same files need no second look.
        const left = JSON.stringify(listAll(folder))
        if (leftBehind.has(left)) continue
        leftBehind.add(left)
        // What the next user does: nothing else runs, so the file that says so is deleted.
        rmSync(join(folder, 'prompts.lock.new'), { force: true })
        if (state === 'aside') {
          expect(await runClient(command, ['remove', 'acme/none'], folder, hub.url)).toMatchObject({ code: 1 })
          expect(inPlace(snapshot(folder))).toEqual(old)
        }
        expect(await runClient(command, ['update'], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
        expect(snapshot(folder).filter(([path]) => !path!.includes('.prompt-hub.'))).toEqual(after)
        // The next change deletes what is left beside the folder.
        if (!listAll(folder).some(([path]) => path!.includes('.prompt-hub.'))) continue
        cleaned++
        expect(await runClient(command, ['remove', PROMPT], folder, hub.url)).toMatchObject({
          code: 0,
          stderr: expect.stringMatching(/^prompt-hub: deletes [^\n]*\n$/),
        })
        expect(readdirSync(folder).sort()).toEqual(['.gitattributes', 'prompts.lock'])
      }
      expect(leftBehind.size).toBeGreaterThan(3)
      expect(cleaned).toBeGreaterThan(0)
      // Node cannot swap two folders in one step. Between its two renames the old folder is beside its place, and the next run puts it back.
      expect([...seen].sort()).toEqual(name === 'npx prompt-hub' ? ['aside', 'new', 'old'] : ['new', 'old'])
    })
  },
)

/** Returns every file and folder below a folder with its digest. The names of temporary files and folders are random. */
const listAll = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => {
      const isFile = statSync(join(folder, path)).isFile()
      return [
        path.replaceAll(/\.prompt-hub\.[^/]*/g, '.prompt-hub.*'),
        isFile ? sha256(readFileSync(join(folder, path))) : 'folder',
      ]
    })
    .sort(([a], [b]) => (a! < b! ? -1 : 1))
