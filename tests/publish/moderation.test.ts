// Tests moderation by git alone: commits each step of the guide exactly as written, and checks its effect on readers,
// lists and publishers.
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

const world: World = openLocalWorld()
let hub: Hub

const GUIDE = readFileSync('src/pages/docs/managing.md', 'utf8')
/** Returns the front matter lines in the guide's section. */
const linesOf = (section: string) => {
  const [, lines] = new RegExp(`## ${section}\n[^#]*?\`\`\`yaml\n([^\`]*)\`\`\``).exec(GUIDE) ?? []
  if (lines === undefined) throw new Error(`The guide has no lines for ${section}.`)
  return lines
}
const ADDRESS = '/api/v1/repos/acme/review'
/** Commits the front matter lines and builds. @returns the list of prompts */
async function moderate(lines: string): Promise<string> {
  await world.commitOutside({ 'content/acme/review/index.md': `---\ntitle: Review\n${lines}---\n` })
  return String((await hub.build()).get('/data/v1/index.json'))
}
const publish = (content: string, to = 'acme/review') => hub.publish({ content, bump: 'minor' }, { to })
const rows = async () => JSON.parse((await hub.read(`${ADDRESS}/versions`)).text).data

beforeAll(async () => {
  hub = await openHub(world)
  for (const content of ['one', 'two']) expect((await publish(content)).status).toBe(201)
})

test('yanking a version', async () => {
  expect(await moderate(linesOf('Yank a version'))).toContain('"latest_version":"1.0.0"')
  expect((await hub.read(`${ADDRESS}/raw`)).text).toBe('one')
  expect((await hub.read(`${ADDRESS}/raw?version=1.1.0`)).text).toBe('two')
  expect((await rows())[0]).toMatchObject({ version: '1.1.0', yanked: true, yank_reason: 'Leaks the system prompt' })
  // The yanked number is never used again.
  expect((await publish('three')).version).toBe('1.2.0')
})

test('publishing an advisory', async () => {
  await moderate(linesOf('Publish an advisory'))
  expect((await hub.read(ADDRESS)).data.advisories).toEqual([
    {
      range: '<1.2.0',
      severity: 'high',
      message: 'Obeys instructions in the code under review',
      versions: ['1.1.0', '1.0.0'],
    },
  ])
})

test('deprecating a prompt', async () => {
  expect(await moderate(linesOf('Deprecate a prompt'))).toContain('"status":"deprecated"')
  const { status, data } = await hub.read(ADDRESS)
  expect([status, data.status, data.status_message]).toEqual([200, 'deprecated', 'Use acme/better-review.'])
  expect((await publish('four')).status).toBe(201)
})

test('archiving a prompt', async () => {
  await moderate(linesOf('Archive a prompt'))
  expect((await hub.read(`${ADDRESS}/raw`)).text).toBe('four')
  const refused = await publish('five')
  expect([refused.status, refused.code]).toEqual([409, 'repo_archived'])
})

test('setting a label', async () => {
  await moderate(linesOf('Set a label'))
  expect((await hub.read(`${ADDRESS}/raw?label=production`)).text).toBe('one')
  await moderate('labels: {production: "1.2.0"}\n')
  expect((await hub.read(`${ADDRESS}/raw?label=production`)).text).toBe('three')
})

test('pointing at another prompt', async () => {
  expect((await publish('one', 'acme/new-name')).status).toBe(201)
  const list = await moderate('moved_to: acme/new-name\n')
  expect([list.includes('acme/review'), list.includes('acme/new-name')]).toEqual([false, true])
  const answer = await hub.read(`${ADDRESS}/raw?version=1.0.0`)
  expect([answer.status, answer.text]).toEqual([200, 'one'])
  expect((await hub.read(ADDRESS)).headers.get('Link')).toBe(
    '<https://hub.example/api/v1/repos/acme/new-name>; rel="successor-version"',
  )
  expect((await hub.read(ADDRESS)).data.moved_to).toBe('acme/new-name')
  expect((await publish('six')).message).toBe('acme/review has moved to acme/new-name. Publish there.')
})
