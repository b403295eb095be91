// Tests that exports of a skill, which are one file each, say that its other files are lost.
import { beforeAll, expect, test } from 'vitest'
import { EXPORT_FORMATS } from '../../src/domain/api/export-formats.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'

const world = openLocalWorld()
let hub: Hub
beforeAll(async () => {
  hub = await openHub(world)
  const skill = { description: 'Fills in forms.' }
  for (const [to, files] of [
    ['acme/whole', [{ path: 'scripts/fill.py', text: 'print(1)' }]],
    ['acme/alone', []],
  ] as const)
    expect((await hub.publish({ title: 'Forms', content: 'Fill.\n', skill, files }, { to })).status).toBe(201)
})

const lostOf = async (name: string, format: string) => {
  const { status, headers } = await hub.read(`/api/v1/repos/acme/${name}/versions/1.0.0/export/${format}`)
  expect(status).toBe(200)
  return headers.get('Export-Lost')?.split(', ') ?? []
}

test.each(Object.keys(EXPORT_FORMATS))('%s', async (format) => {
  for (const isBuilt of [false, true]) {
    if (isBuilt) await hub.build()
    expect(await lostOf('whole', format)).toContain('files')
    expect(await lostOf('alone', format)).not.toContain('files')
  }
})
