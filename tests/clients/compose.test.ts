// Publishes a composed prompt with hubcli, composes it again, edits its source, and audits what it includes.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startSkillHub } from './skill-hub.ts'

const hub = await startSkillHub()
afterAll(() => hub?.close())

test('hubcli composes a prompt, and composes it again from its source', async () => {
  const folder = hub.newFolder()
  const run = (...args: string[]) => hub.hubcli(folder, ...args)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('part.md', 'Be brief.\n')
  expect((await run('push', 'acme/part', 'part.md', 'First', 'minor')).code).toBe(0)
  write('whole.md', 'Review.\n{{include "acme/part@^1"}}\nThanks.\n')
  const refused = await run('push', 'acme/part', 'whole.md', 'Itself', 'minor', '--compose')
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('a prompt cannot include itself')])
  expect(await run('push', 'acme/whole', 'whole.md', 'First', 'minor', '--compose', '--dry-run')).toMatchObject({
    code: 0,
    stdout: '1.0.0 would be published\n',
  })
  const pushed = await run('push', 'acme/whole', 'whole.md', 'First', 'minor', '--compose')
  expect([pushed.code, pushed.stdout]).toEqual([0, expect.stringMatching(/^1\.0\.0 http/)])
  expect((await run('cat', 'acme/whole')).stdout).toBe('Review.\nBe brief.\nThanks.\n')
  expect(await run('recompose', 'acme/whole')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\.0\.0 /),
  })

  write('part.md', 'Be kind.\n')
  expect((await run('push', 'acme/part', 'part.md', 'Kind', 'minor')).code).toBe(0)
  expect((await run('recompose', 'acme/whole', 'Kind "parts"', 'minor', '--dry-run')).stdout).toBe(
    '1.1.0 would be published\n',
  )
  const again = await run('recompose', 'acme/whole', 'Kind "parts"', 'minor', '--json')
  expect(JSON.parse(again.stdout).data).toMatchObject({ version: '1.1.0', changelog: 'Kind "parts"' })
  expect((await run('cat', 'acme/whole')).stdout).toBe('Review.\nBe kind.\nThanks.\n')

  // The exported source, pushed back, is the same version.
  const { stdout: source } = await run('export', 'acme/whole', '--to', 'markdown')
  expect(source).toContain('{{include "acme/part@^1"}}\n')
  write('whole.md', source)
  expect((await run('push', 'acme/whole', 'whole.md', 'Same', 'minor')).stdout).toMatch(/^1\.1\.0 /)
  expect((await run('check', '--owner', 'acme', 'whole.md')).stdout).toBe('acme/whole 1.1.0 (unchanged)\n')

  expect((await run('recompose', 'acme/part')).stderr).toContain('expected a latest version with includes')
  expect((await run('recompose', 'acme/whole', 'x', 'huge')).code).toBe(1)
  expect((await run('recompose')).code).toBe(1)
})
