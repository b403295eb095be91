// Tests the commands of a project with both clients, as users of npm know them: several prompts at once, outdated, update,
// remove, audit, a forced install, and types that no longer match the lock.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PlainFiles, startPlainFiles } from '../cli/plain-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CLIENTS, runClient } from './both-clients.ts'

const scratch = temporaryFolder('prompt-hub-dependencies-')

let hub: PlainFiles
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(scratch, 'project-'))
  hub = await startPlainFiles('hub', {
    'acme/review': { versions: { '1.0.0': 'one\n', '1.1.0': 'two\n', '2.0.0': 'three\n' }, labels: { live: '1.0.0' } },
    'acme/summary': { versions: { '1.0.0': 'short {{text}}' }, variables: [variable('text')] },
  })
})
afterEach(() => hub.close())

function variable(name: string) {
  return { name, description: '', type: 'string', required: true, default: null, options: [], example: null }
}
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
const locked = (name: string) => JSON.parse(read('prompts.lock')).prompts[name]

describe.each(CLIENTS)('$name', ({ command, name }) => {
  const run = (...args: string[]) => runClient(command, args, folder, hub.url)
  const TYPES = name === 'hubcli' ? 'prompt_values.py' : 'prompts.d.ts'

  test('add takes several prompts: all of them or none', async () => {
    expect(await run('add', 'acme/review@^1', 'acme/nothing')).toMatchObject({ code: 2, stdout: '' })
    expect(readdirSync(folder)).toEqual([])
    expect(await run('add', 'acme/review@1.0.0', 'acme/summary')).toMatchObject({
      code: 0,
      stdout: 'acme/review 1.0.0 prompts/acme/review.md\nacme/summary 1.0.0 prompts/acme/summary.md\n',
      stderr: '',
    })
    expect(Object.keys(JSON.parse(read('prompts.lock')).prompts)).toEqual(['acme/review', 'acme/summary'])
    expect([read('prompts/acme/review.md'), read('prompts/acme/summary.md')]).toEqual(['one\n', 'short {{text}}'])
    const refused = [
      ['acme/review', 'acme/review@^1'],
      ['acme/review', 'acme/summary', '-o', 'x.md'],
    ]
    for (const args of refused) expect(await run('add', ...args)).toMatchObject({ code: 1, stdout: '' })
  })

  test('latest is the latest version, and a v before a version is named', async () => {
    expect(await run('add', 'acme/review@latest')).toMatchObject({
      code: 0,
      stdout: 'acme/review 2.0.0 prompts/acme/review.md\n',
    })
    expect(locked('acme/review').range).toBe('^2.0.0')
    const wrong = await run('add', 'acme/review@v1.0.0')
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toMatch(/without v: acme\/review@1\.0\.0\n$|v1\.0\.0.*; write 1\.0\.0\n$/)
  })

  test('outdated exits with 1 and lists newer versions, and update takes those in the range', async () => {
    await run('add', 'acme/review@1.0.0', 'acme/summary')
    await run('add', 'acme/review@^1')
    expect(locked('acme/review').version).toBe('1.1.0')
    expect(await run('outdated')).toMatchObject({
      code: 1,
      stdout: 'acme/review  1.1.0  1.1.0  2.0.0  ^1\n',
      stderr: '',
    })
    hub.prompts['acme/review']!.versions['1.2.0'] = 'newer\n'
    hub.prompts['acme/summary']!.versions['1.1.0'] = 'shorter'
    expect(await run('update', 'acme/summary')).toMatchObject({
      code: 0,
      stdout: 'acme/summary 1.0.0 -> 1.1.0 prompts/acme/summary.md\n',
      stderr: '',
    })
    expect(await run('update')).toMatchObject({
      code: 0,
      stdout: 'acme/review 1.1.0 -> 1.2.0 prompts/acme/review.md\n',
      stderr: '',
    })
    expect(read('prompts/acme/review.md')).toBe('newer\n')
    expect(await run('verify')).toMatchObject({ code: 0, stdout: '' })
    delete hub.prompts['acme/review']!.versions['2.0.0']
    expect(await run('outdated')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await run('update', 'acme/other')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/acme\/other is not in/),
    })
  })

  test('add says that a prompt is deprecated or has moved, and what was wrong with the locked version', async () => {
    await run('add', 'acme/review@1.0.0')
    Object.assign(hub.prompts['acme/review']!, {
      status: 'deprecated',
      status_message: 'Too long.',
      replaced_by: 'acme/short',
      yanked: { '1.0.0': 'It leaks' },
    })
    Object.assign(hub.prompts['acme/summary']!, { moved_to: 'nina/summary' })
    expect(await run('add', 'acme/review@^1', 'acme/summary')).toEqual({
      code: 0,
      stdout: 'acme/review 1.0.0 -> 1.1.0 prompts/acme/review.md\nacme/summary 1.0.0 prompts/acme/summary.md\n',
      stderr: [
        'prompt-hub: warning: acme/review 1.0.0 was yanked: It leaks\n',
        'prompt-hub: warning: acme/review is deprecated: Too long.; use acme/short\n',
        'prompt-hub: warning: acme/summary has moved to nina/summary; add that instead\n',
      ].join(''),
    })
    hub.prompts['acme/review']!.versions['1.1.0'] = 'other bytes'
    const before = read('prompts.lock')
    expect(await run('add', 'acme/review@^2')).toMatchObject({
      code: 4,
      stdout: '',
      stderr:
        'prompt-hub: acme/review: the hub lists other bytes for 1.1.0 than prompts.lock does; nothing was changed\n',
    })
    expect(read('prompts.lock')).toBe(before)
  })

  test('audit fails if a version was yanked or has an advisory', async () => {
    await run('add', 'acme/review@1.0.0')
    expect(await run('audit')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    hub.prompts['acme/review']!.yanked = { '1.0.0': 'It leaks' }
    hub.prompts['acme/review']!.advisories = [{ range: '<1.1', severity: 'high', message: 'Leaks.' }]
    expect(await run('audit')).toMatchObject({
      code: 4,
      stdout: '',
      stderr:
        'prompt-hub: acme/review 1.0.0 was yanked: It leaks\nprompt-hub: acme/review 1.0.0 has an advisory (high): Leaks.\n',
    })
    if (name !== 'hubcli') return
    const { ok, problems } = JSON.parse((await run('audit', '--json')).stdout)
    expect([ok, problems.map((one: { problem: string }) => one.problem)]).toEqual([false, ['yanked', 'advisory']])
  })

  test('remove deletes the entry and the file, but no file that was changed', async () => {
    await run('add', 'acme/review@1.0.0', 'acme/summary')
    write('prompts/acme/summary.md', 'mine')
    expect(await run('remove', 'acme/review', 'acme/other')).toMatchObject({ code: 1, stdout: '' })
    expect(await run('remove', 'acme/review', 'acme/summary')).toMatchObject({
      code: 0,
      stdout: 'acme/review 1.0.0 prompts/acme/review.md\nacme/summary 1.0.0 prompts/acme/summary.md\n',
      stderr:
        'prompt-hub: deletes prompts/acme/review.md\nprompt-hub: prompts/acme/summary.md was changed by hand and stays\n',
    })
    expect(JSON.parse(read('prompts.lock')).prompts).toEqual({})
    expect(readdirSync(join(folder, 'prompts/acme'))).toEqual(['summary.md'])
  })

  test('verify names install --force, and that replaces a changed file', async () => {
    await run('add', 'acme/review@1.0.0')
    write('prompts/acme/review.md', 'mine')
    expect((await run('verify')).stderr).toMatch(
      /^prompt-hub: prompts\/acme\/review\.md is not what prompts\.lock says; prompt-hub install --force restores it\n$/,
    )
    const refused = await run('install')
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toMatch(
      /changed by hand, or is another file; nothing was replaced\. .*prompt-hub install --force\n$/,
    )
    expect(await run('install', '--force')).toMatchObject({
      code: 0,
      stdout: 'acme/review 1.0.0 prompts/acme/review.md\n',
    })
    expect(read('prompts/acme/review.md')).toBe('one\n')
    rmSync(join(folder, 'prompts'), { recursive: true })
    expect((await run('verify')).stderr).toMatch(
      /^prompt-hub: prompts\/acme\/review\.md is not there; prompt-hub install restores it\n$/,
    )
    expect(await run('install')).toMatchObject({ code: 0, stdout: 'acme/review 1.0.0 prompts/acme/review.md\n' })
  })

  test('types --check and verify tell that generated types are old', async () => {
    await run('add', 'acme/summary')
    expect(await run('types', '--check')).toMatchObject({ code: 4 })
    expect(await run('types')).toMatchObject({ code: 0 })
    expect(await run('types', '--check')).toMatchObject({ code: 0, stdout: `${TYPES}: 1 prompts\n` })
    await run('add', 'acme/review')
    for (const args of [['verify'], ['types', '--check']])
      expect(await run(...args)).toMatchObject({
        code: 4,
        stdout: '',
        stderr: `prompt-hub: ${TYPES} does not match prompts.lock. Generate it again: prompt-hub types\n`,
      })
    expect(await run('types')).toMatchObject({ code: 0 })
    expect(await run('verify')).toMatchObject({ code: 0, stdout: '' })
    // A file of this name that was not generated is the user's own.
    write(TYPES, 'mine')
    expect(await run('verify')).toMatchObject({ code: 0 })
  })

  test('a final newline that a formatter adds or removes is no change; the locked bytes are used', async () => {
    await run('add', 'acme/summary')
    await run('add', 'acme/review')
    const original = [read('prompts/acme/summary.md'), read('prompts/acme/review.md')]
    for (const [summary, review] of [
      ['short {{text}}\n', 'three'],
      ['short {{text}}\r\n', 'three\n\n'],
    ]) {
      write('prompts/acme/summary.md', summary!)
      write('prompts/acme/review.md', review!)
      expect(await run('verify'), summary).toMatchObject({ code: 0, stderr: '' })
      expect(await run('install')).toMatchObject({ code: 0, stderr: '' })
      expect(read('prompts/acme/summary.md')).toBe(summary)
    }
    write('prompts/acme/summary.md', 'short {{text}} \n')
    expect(await run('verify')).toMatchObject({ code: 4 })
    expect(original).toEqual(['short {{text}}', 'three\n'])
  })

  test('update restores a missing file, and changes nothing if the hub lists other bytes for a locked version', async () => {
    await run('add', 'acme/summary')
    rmSync(join(folder, 'prompts/acme/summary.md'))
    expect(await run('update')).toMatchObject({ code: 0, stderr: '' })
    expect(read('prompts/acme/summary.md')).toBe('short {{text}}')
    hub.prompts['acme/summary']!.versions = { '1.0.0': 'other', '1.1.0': 'new' }
    const before = read('prompts.lock')
    const { code, stderr } = await run('update')
    expect([code, read('prompts.lock')]).toEqual([4, before])
    expect(stderr).toContain('the hub lists other bytes for 1.0.0 than prompts.lock does; nothing was changed')
  })

  test('outdated and update say that a label was removed, and that a prompt is deprecated or has moved', async () => {
    for (const prompt of ['acme/review@live', 'acme/summary']) await run('add', prompt)
    hub.prompts['acme/review']!.labels = {}
    Object.assign(hub.prompts['acme/review']!, {
      status: 'deprecated',
      status_message: 'Too long.',
      replaced_by: 'acme/short',
    })
    Object.assign(hub.prompts['acme/summary']!, { moved_to: 'nina/summary' })
    for (const args of [['outdated'], ['update']]) {
      const { stderr } = await run(...args)
      expect(stderr).toContain('the label live was removed, so 1.0.0 stays locked')
      expect(stderr).toContain('acme/review is deprecated: Too long.; use acme/short')
      expect(stderr).toContain('acme/summary has moved to nina/summary')
    }
    expect(locked('acme/review')).toMatchObject({ range: 'live', version: '1.0.0' })
  })

  test('a merge conflict in the lock file is named', async () => {
    await run('add', 'acme/summary')
    write('prompts.lock', read('prompts.lock').replace('  "prompts"', '<<<<<<< HEAD\n=======\n>>>>>>> b\n  "prompts"'))
    const { code, stderr } = await run('verify')
    expect(code).toBe(4)
    expect(stderr).toMatch(/prompts\.lock.* merge conflict.*line 4/)
    expect(stderr).toMatch(/git checkout/)
  })
})
