// Tests reads by label after labels have moved: all of an owner's prompts at a label, and where a label pointed at a
// time, before and after a build.
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'

const version = (content: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${content}`
const FILES = {
  'content/acme/a/versions/1.0.0.md': version('One\n'),
  'content/acme/a/versions/1.1.0.md': version('Two\n'),
  'content/acme/a/index.md': '---\nlabels:\n  production: "1.0.0"\n---\n',
  'content/acme/b/versions/1.0.0.md': version('Other\n'),
  'content/acme/b/index.md': '---\nlabels:\n  production: "1.0.0"\n  beta: "1.0.0"\n---\n',
}

let hub: Hub
let token: string

const moveLabel = async (name: string, label: string, number: string | null) => {
  const method = number === null ? 'DELETE' : 'PUT'
  const body = number === null ? undefined : { version: number }
  const answer = await hub.publish(body, { method, path: `/api/v1/repos/acme/${name}/labels/${label}`, token })
  expect(answer.status).toBe(200)
}
const listed = async (label: string) => {
  const { data, meta } = JSON.parse((await hub.read(`/api/v1/users/acme/labels/${label}`)).text)
  return [data.map((one: { name: string; version: string }) => `${one.name}@${one.version}`).join(' '), meta.total]
}

beforeEach(async () => {
  hub = await openHub(openLocalWorld(FILES))
  token = await hub.makeToken({ permissions: ['publish', 'label', 'maintain'] })
  await hub.build()
})

test('all of a label is fresh after each change, and the same after a build', async () => {
  expect(await listed('production')).toEqual(['a@1.0.0 b@1.0.0', 2])
  await moveLabel('a', 'production', '1.1.0')
  expect(await listed('production')).toEqual(['a@1.1.0 b@1.0.0', 2])
  await moveLabel('b', 'production', null)
  await moveLabel('a', 'beta', '1.1.0')
  const fresh = [await listed('production'), await listed('beta'), await listed('unused')]
  expect(fresh).toEqual([
    ['a@1.1.0', 1],
    ['a@1.1.0 b@1.0.0', 2],
    ['', 0],
  ])
  await hub.build()
  expect([await listed('production'), await listed('beta'), await listed('unused')]).toEqual(fresh)
})

test('a label at a time before its move, after it, and after a build', async () => {
  const before = new Date().toISOString()
  // The activity counts in seconds.
  const nextSecond = () => wait(1_005 - (Date.now() % 1_000))
  await nextSecond()
  await moveLabel('a', 'production', '1.1.0')
  await nextSecond()
  const raw = (at: string) => hub.read(`/api/v1/repos/acme/a/raw?label=production&at=${at}`)
  const after = new Date().toISOString()
  for (const _ of [1, 2]) {
    const [old, now] = [await raw(before), await raw(after)]
    expect([old.status, old.text, old.headers.get('X-Prompt-Version')]).toEqual([200, 'One\n', '1.0.0'])
    expect([now.status, now.text, now.headers.get('X-Prompt-Version')]).toEqual([200, 'Two\n', '1.1.0'])
    expect(old.headers.get('Cache-Control')).toBe('public, max-age=60, stale-while-revalidate=600')
    await hub.build()
  }
})
