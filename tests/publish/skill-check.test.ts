// Tests checking skills with files: the response says what publishing the same body does.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Answer, openHub, type Sending } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const world = openLocalWorld()
const hub = await openHub(world)
const folder = temporaryFolder('hub-check-')

const TO = 'acme/forms'
const SKILL = '---\nname: forms\ndescription: Fills in forms.\n---\nRun scripts/fill.py, then read reference/a.md.\n'
const FILES = [
  { path: 'reference/a.md', text: 'x' },
  { path: 'scripts/fill.py', text: 'print(1)\n' },
]
const CONTENT = 'Run scripts/fill.py, then read reference/a.md.\n'
const skill = { description: 'Fills in forms.' }
const title = 'PDF forms'

/** What a check says of a response to publishing. */
const sayOf = ({ status, data, code, message }: Answer) =>
  status < 400 ? { would_be: data.version, unchanged: data.unchanged, warnings: data.warnings } : { code, message }

/** Checks a body, then publishes it, and expects the same. */
async function expectSame(body: unknown, sending: Sending = {}): Promise<Answer> {
  const path = (end: string) => sending.path?.replace('/versions', `/${end}`) ?? `/api/v1/repos/${TO}/${end}`
  const checked = await hub.check(body, { ...sending, path: path('check') })
  const published = await hub.publish(body, { ...sending, path: path('versions') })
  const { would_be, unchanged, warnings } = checked.data ?? {}
  expect(checked.status < 400 ? { would_be, unchanged, warnings } : sayOf(checked)).toEqual(sayOf(published))
  return published
}

function pack(files: Readonly<Record<string, string>>): Buffer {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return runSync('tar', ['-cz', ...Object.keys(files)], { cwd: folder })
}
const GZIP = { headers: { 'Content-Type': 'application/gzip' } }

test('a check says what publishing files does, before and after a build', async () => {
  expect((await expectSame({ title, content: CONTENT, skill, files: FILES })).version).toBe('1.0.0')
  for (const isBuilt of [false, true]) {
    if (isBuilt) await hub.build()
    const same = pack({ 'SKILL.md': SKILL, 'scripts/fill.py': 'print(1)\n', 'reference/a.md': 'x' })
    expect((await expectSame(same, GZIP)).data.unchanged).toBe(true)
    expect((await expectSame({ content: CONTENT })).data.unchanged).toBe(true)
    const changed = { content: CONTENT, files: [{ path: 'scripts/fill.py', text: `print(${isBuilt})\n` }] }
    expect((await hub.check(changed, { path: `/api/v1/repos/${TO}/check` })).data.changes).toMatchObject({
      files: { added: [], removed: ['reference/a.md'], changed: ['scripts/fill.py'] },
    })
    const { data } = await expectSame(changed)
    expect([data.unchanged, data.warnings]).toEqual([
      false,
      expect.arrayContaining([expect.objectContaining({ code: 'missing_file' })]),
    ])
    await expectSame(same, GZIP)
  }
})
