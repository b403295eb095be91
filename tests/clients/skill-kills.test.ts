// Updates Agent Skills with the three clients while renames fail or a run is killed: the old folder or the new one, never a mixture.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sha256 } from '../cli/plain-files.ts'
import { lockIn, pushFolder, type SkillHub, skillFile, snapshot, startSkillHub, writeFiles } from './skill-hub.ts'
import { CLIENTS, runClient } from './three-clients.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

let hub: SkillHub
beforeAll(async () => {
  hub = await startSkillHub()
})
afterAll(() => hub?.close())

describe('a new version', () => {
  test.each(CLIENTS)('$name updates all files, and removes those that are gone', async ({ command, name }) => {
    const prompt = `acme/next-${name.replaceAll(/[^a-z]/gi, '').toLowerCase()}`
    const place = `.claude/skills/${prompt.slice(5)}`
    const folder = hub.newFolder()
    const source = hub.newFolder()
    writeFiles(source, { 'SKILL.md': skillFile('One.'), 'a.md': '1', 'old.md': 'x', 'same.md': 's' })
    await pushFolder(hub, prompt, source, 'major')
    expect(await hub.hubcli(folder, 'add', prompt, '--as', 'skill')).toMatchObject({ code: 0 })
    rmSync(join(source, 'old.md'))
    writeFiles(source, { 'SKILL.md': skillFile('Two.'), 'a.md': '2', 'b/new.md': 'n' })
    expect(await pushFolder(hub, prompt, source)).toBe('1.1.0')
    const run = (...args: string[]) => runClient(command, args, folder, hub.url)
    expect((await run('outdated')).stdout).toBe(`${prompt}  1.0.0  1.1.0  1.1.0  ^1.0.0\n`)
    writeFileSync(join(folder, place, 'a.md'), 'mine')
    expect((await run('update')).stderr).toContain(`${place}/a.md was changed by hand`)
    expect(JSON.parse(lockIn(folder)).prompts[prompt].version).toBe('1.0.0')
    writeFileSync(join(folder, place, 'a.md'), '1\n')
    expect(await run('update')).toMatchObject({ code: 0, stdout: `${prompt} 1.0.0 -> 1.1.0 ${place}\n`, stderr: '' })
    expect(snapshot(join(folder, place)).map(([path]) => path)).toEqual(['SKILL.md', 'a.md', 'b/new.md', 'same.md'])
    expect(readFileSync(join(folder, place, 'a.md'), 'utf8')).toBe('2')
    for (const each of CLIENTS)
      expect(await runClient(each.command, ['verify'], folder, 'http://127.0.0.1:9')).toMatchObject({
        code: 0,
        stderr: '',
      })
    expect(await run('audit')).toMatchObject({ code: 0, stderr: '' })
  })

  /** Publishes two versions, and makes projects that have the first one. */
  async function twoVersions() {
    const source = hub.newFolder()
    const prompt = `acme/two-${sha256(source).slice(0, 8)}`
    writeFiles(source, { 'SKILL.md': skillFile('One.'), 'a.md': '1', 'b.md': '1' })
    await pushFolder(hub, prompt, source, 'major')
    const old = hub.newFolder()
    expect(await hub.hubcli(old, 'add', `${prompt}@^1`, '--as', 'skill')).toMatchObject({ code: 0 })
    writeFiles(source, { 'SKILL.md': skillFile('Two.'), 'a.md': '2', 'c/d.md': '2' })
    rmSync(join(source, 'b.md'))
    await pushFolder(hub, prompt, source)
    const fresh = hub.newFolder()
    expect(await hub.hubcli(fresh, 'add', `${prompt}@^1`, '--as', 'skill')).toMatchObject({ code: 0 })
    const makeOld = () => {
      const folder = hub.newFolder()
      cpSync(old, folder, { recursive: true })
      return folder
    }
    return {
      prompt,
      place: `.claude/skills/${prompt.slice(5)}`,
      before: snapshot(old),
      after: snapshot(fresh),
      makeOld,
    }
  }

  test.each(CLIENTS)('$name: a failed rename leaves the old folder and the old lock', async ({ failingRename }) => {
    const { before, after, makeOld } = await twoVersions()
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

  test.each(CLIENTS)('$name: killed at any step, it leaves a whole folder', async ({ name, command, killedBefore }) => {
    const { prompt, place, before, after, makeOld } = await twoVersions()
    const [old, fresh] = [before, after].map((files) => files.filter(([path]) => path!.startsWith(`${place}/`)))
    // hubcli contains the modules of the Python library, which starts faster.
    const next = name === 'hubcli' ? CLIENTS.at(-1)!.command : command
    const seen = new Set<string>()
    const leftBehind = new Set<string>()
    let [killed, cleaned] = [0, 0]
    for (let nth = 1; nth < 60; nth++) {
      const folder = makeOld()
      const ran = await runClient(killedBefore(nth), ['update'], folder, hub.url)
      if (ran.code === 0) break
      killed++
      const there = snapshot(folder).filter(([path]) => path!.startsWith(`${place}/`))
      const state = JSON.stringify(there) === JSON.stringify(old) ? 'old' : there.length === 0 ? 'aside' : 'new'
      if (state === 'new') expect(there).toEqual(fresh)
      seen.add(state)
      // What follows depends on the files alone, so the same files need no second look.
      const left = JSON.stringify(listAll(folder))
      if (leftBehind.has(left)) continue
      leftBehind.add(left)
      // What the next user does: nothing else runs, so the file that says so is deleted.
      rmSync(join(folder, 'prompts.lock.new'), { force: true })
      if (state === 'aside') {
        expect(await runClient(next, ['remove', 'acme/none'], folder, hub.url)).toMatchObject({ code: 1 })
        expect(snapshot(folder).filter(([path]) => path!.startsWith(`${place}/`))).toEqual(old)
      }
      expect(await runClient(next, ['update'], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
      expect(snapshot(folder).filter(([path]) => !path!.includes('.prompt-hub.'))).toEqual(after)
      // The next change deletes what is left beside the folder.
      if (!listAll(folder).some(([path]) => path!.includes('.prompt-hub.'))) continue
      cleaned++
      expect(await runClient(next, ['remove', prompt], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
      expect(readdirSync(folder).sort()).toEqual(['.gitattributes', 'prompts.lock'])
    }
    expect(killed).toBeGreaterThan(8)
    expect(leftBehind.size).toBeGreaterThan(3)
    expect(cleaned).toBeGreaterThan(0)
    // Node cannot swap two folders in one step. Between its two renames the old folder is beside its place, and the next run puts it back.
    expect([...seen].sort()).toEqual(name === 'the TypeScript client' ? ['aside', 'new', 'old'] : ['new', 'old'])
  })
})

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
