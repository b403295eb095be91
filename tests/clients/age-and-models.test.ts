// Tests how both clients deal with the age of versions, models that retire, and versions that are included.
import { cpSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PlainFiles, type Prompt, startPlainFiles } from '../cli/plain-files.ts'
import { makeFolder } from '../cli/shells.ts'
import { CLIENTS, runClient } from './both-clients.ts'

const DAY = 86_400_000
const day = (from: number) => new Date(Date.now() + from * DAY).toISOString().slice(0, 10)
const time = (from: number) => `${new Date(Date.now() + from * DAY).toISOString().slice(0, 19)}Z`

const makePrompts = (): Record<string, Prompt> => ({
  'acme/x': { versions: { '1.0.0': 'one\n' }, labels: { live: '1.0.0' } },
})
let hub: PlainFiles
let cwd: string
/** A project with acme/x in the range ^1. */
let added: string
beforeAll(async () => {
  hub = await startPlainFiles('hub', makePrompts())
  added = makeFolder()
  expect(await runClient(CLIENTS[1]!.command, ['add', 'acme/x@^1'], added, hub.url)).toMatchObject({ code: 0 })
})
afterAll(() => hub.close())
beforeEach(() => {
  hub.prompts = makePrompts()
  cwd = makeFolder()
  cpSync(added, cwd, { recursive: true })
})

const runner =
  (command: string[]) =>
  async (...args: string[]) => {
    const { code, stdout, stderr } = await runClient(command, args, cwd, hub.url)
    return { code, stdout, stderr: stderr.replaceAll(/^[\w-]+: /gm, '') }
  }

describe.each(CLIENTS)('$name', ({ command }) => {
  const run = runner(command)

  test('a label that points to a version that is too new waits, and one that moved back does not', async () => {
    const x = hub.prompts['acme/x']!
    expect((await run('add', 'acme/x@live')).code).toBe(0)
    x.versions['1.1.0'] = 'two\n'
    x.labels = { live: '1.1.0' }
    x.available = { '1.1.0': time(-1) }
    expect((await run('update', '--min-age', '7d')).stdout).toBe('')
    expect((await run('update')).stdout).toContain('acme/x 1.0.0 -> 1.1.0 ')
    x.labels = { live: '1.0.0' }
    expect((await run('update', '--min-age', '7d')).stdout).toContain('acme/x 1.1.0 -> 1.0.0 ')
    x.models = { '1.0.0': { model: 'old-1', retires_at: day(40), replaced_by: null } }
    expect((await run('audit', '--within', '60d')).code).toBe(4)
  })

  test.each([
    ['update', '--min-age', '7'],
    ['audit', '--within', '99999d'],
  ])('%s %s %s is refused before anything is sent', async (...words) => {
    hub.asked.length = 0
    const { code, stderr } = await run(...words)
    expect([code, stderr]).toEqual([1, `${words[1]}: expected a number of days such as 7d, got ${words[2]}\n`])
    expect(hub.asked).toEqual([])
  })
})

// That hubcli passes the age on is tested above.
describe.each(CLIENTS)('$name', ({ command }) => {
  const run = runner(command)

  test('audit fails for a model that has retired or retires within 30 days, or the given time', async () => {
    const models = (retires_at: string, replaced_by: string | null) => {
      hub.prompts['acme/x']!.models = { '1.0.0': { model: 'old-1', retires_at, replaced_by } }
    }
    models(day(29), 'new-1')
    expect(await run('audit')).toMatchObject({
      code: 4,
      stderr: `acme/x 1.0.0: its model old-1 retires on ${day(29)}; its provider recommends new-1\n`,
    })
    expect((await run('audit', '--within', '7d')).code).toBe(0)
    models(day(40), null)
    expect((await run('audit')).code).toBe(0)
    expect(await run('audit', '--within', '60d')).toMatchObject({
      code: 4,
      stderr: `acme/x 1.0.0: its model old-1 retires on ${day(40)}\n`,
    })
    models('2026-01-02', null)
    expect(await run('audit', '--within', '0d')).toMatchObject({
      code: 4,
      stderr: 'acme/x 1.0.0: its model old-1 retired on 2026-01-02\n',
    })
    // It says nothing about whether there are newer versions.
    expect(await run('outdated')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('audit fails for what a locked version includes: yanked, with an advisory, or gone', async () => {
    hub.prompts['acme/x']!.included = { '1.0.0': ['acme/part@1.0.0'] }
    const said = (problem: string) => ({ code: 4, stderr: `acme/x 1.0.0 includes acme/part 1.0.0, which ${problem}\n` })
    expect(await run('audit')).toMatchObject(said('is no longer on the hub'))
    // The static files do not have the version yet.
    const part: Prompt = { versions: { '1.0.0': 'part\n' }, unbuilt: ['1.0.0'] }
    hub.prompts['acme/part'] = part
    expect((await run('audit')).code).toBe(0)
    part.advisories = [{ range: '<1.1.0', severity: 'high', message: 'Says too much.' }]
    part.unbuilt = []
    expect(await run('audit')).toMatchObject(said('has an advisory (high): Says too much.'))
    part.advisories = []
    part.yanked = { '1.0.0': 'Wrong' }
    expect(await run('audit')).toMatchObject(said('was yanked: Wrong'))
    expect((await run('outdated')).code).toBe(0)
    // What a hub says is never a path.
    hub.prompts['acme/x']!.included = { '1.0.0': ['acme/../x@1.0.0'] }
    expect((await run('audit')).code).toBe(5)
  })

  test('update --min-age takes the highest version that has been out for that long', async () => {
    const x = hub.prompts['acme/x']!
    x.versions = { ...x.versions, '1.1.0': 'two\n', '1.2.0': 'three\n' }
    x.available = { '1.1.0': time(-8), '1.2.0': time(-6) }
    expect((await run('outdated', '--min-age', '7d')).stdout).toMatch(/^acme\/x +1\.0\.0 +1\.1\.0 +1\.2\.0 +\^1\n$/)
    expect((await run('update', '--min-age', '9d')).stdout).toBe('')
    expect((await run('update', '--min-age', '7d')).stdout).toContain('acme/x 1.0.0 -> 1.1.0 ')
    expect((await run('update', '--min-age', '7d')).stdout).toBe('')
    expect((await run('update')).stdout).toContain('acme/x 1.1.0 -> 1.2.0 ')
    expect((await run('update', '--min-age', '30d')).stdout).toBe('')
    // A time that cannot be read counts as too new.
    x.versions['1.3.0'] = 'four\n'
    x.available['1.3.0'] = 'long ago'
    expect((await run('update', '--min-age', '1d')).stdout).toBe('')
    // So does a time in the future.
    x.available['1.3.0'] = time(400)
    expect((await run('update', '--min-age', '1d')).stdout).toBe('')
    // A yanked version stays until a newer one is old enough, with a warning. Without an age, the older one is taken.
    x.yanked = { '1.2.0': 'Wrong' }
    expect((await run('outdated', '--min-age', '1d')).stdout).toMatch(/^acme\/x +1\.2\.0 +1\.2\.0 +1\.3\.0 +\^1\n$/)
    expect(await run('update', '--min-age', '1d')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'warning: acme/x 1.2.0 was yanked: Wrong\n',
    })
    delete x.versions['1.3.0']
    expect((await run('update', '--min-age', '1d')).stdout).toBe('')
    expect((await run('update')).stdout).toContain('acme/x 1.2.0 -> 1.1.0 ')
  })
})
