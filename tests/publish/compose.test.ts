// Tests publishing with includes: what is stored, what is refused, and what a race with a yank leads to.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'

let world: World
let hub: Hub
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const to = (name: string) => ({ to: `acme/${name}` })
const publish = (name: string, body: Record<string, unknown>) => hub.publish(body, to(name))
const included = ({ data }: Answer) => data.includes as Record<string, unknown>[]

beforeAll(async () => {
  world = openLocalWorld()
  hub = await openHub(world)
  for (const content of ['Be brief.\n', 'Be brief, and kind.\n', 'Be {{tone}}.\n']) {
    const bump = content.includes('tone') ? 'major' : 'minor'
    expect((await publish('house-style', { content, bump })).status).toBe(201)
  }
})
afterAll(() => world.close())

describe('a composed version', () => {
  const source = 'Review this.\n{{include "acme/house-style@^1"}}\nThanks. {{code}}\n'
  const assembled = 'Review this.\nBe brief, and kind.\nThanks. {{code}}\n'

  test('has the assembled text as its content, and says where each part came from', async () => {
    const answer = await publish('review', { content: source, compose: true })
    expect(answer.message).toBe('')
    expect([answer.status, answer.data.content, answer.data.content_sha256]).toEqual([
      201,
      assembled,
      sha256(assembled),
    ])
    const expected = [
      {
        ...{ repository: 'acme/house-style', range: '^1', version: '1.1.0' },
        ...{ content_sha256: sha256('Be brief, and kind.\n'), start: 13, length: 19, variables: [] },
      },
    ]
    expect(included(answer)).toEqual(expected)
    const read = await hub.read('/api/v1/repos/acme/review/versions/1.0.0')
    expect(included(read)).toEqual(expected)
    expect(included(await hub.read('/api/v1/repos/acme/review'))).toEqual(expected)
    expect((await hub.read('/api/v1/repos/acme/review/raw')).text).toBe(assembled)
  })

  test('is unchanged when it is published or composed again', async () => {
    for (const body of [{ content: source, compose: true }, { recompose: true }]) {
      const answer = await publish('review', body)
      expect([answer.status, answer.data.unchanged, answer.version]).toEqual([200, true, '1.0.0'])
    }
  })

  test('is checked as it is published, with a part that no build includes', async () => {
    const { status, data } = await hub.check({ content: source, compose: true }, to('review'))
    expect([status, data.unchanged, data.would_be]).toEqual([200, true, '1.0.0'])
  })

  test('is composed again when the part has a new version in the range', async () => {
    // The highest version of the part is 2.0.0, so a version in the range comes from a branch with an older major.
    const broader = source.replace('@^1', '')
    const { status, data } = await publish('review', { content: broader, compose: true, bump: 'major' })
    expect([status, data.content]).toEqual([201, 'Review this.\nBe {{tone}}.\nThanks. {{code}}\n'])
    expect(included({ data } as Answer)[0]!.variables).toEqual(['tone'])
    expect((await publish('house-style', { content: 'Be kind.' })).version).toBe('2.0.1')
    const recomposed = await publish('review', { recompose: true })
    expect([recomposed.status, recomposed.version, recomposed.data.content]).toEqual([
      201,
      '2.0.1',
      'Review this.\nBe kind.\nThanks. {{code}}\n',
    ])
    expect((recomposed.data.variables as { name: string }[]).map(({ name }) => name)).toEqual(['code'])
  })

  test('is exported as its source, which pushed back changes nothing', async () => {
    const { text } = await hub.read('/api/v1/repos/acme/review/versions/2.0.1/export/markdown')
    expect(text).toContain('compose: true')
    expect(text.endsWith(source.replace('@^1', ''))).toBe(true)
    const headers = { 'Content-Type': 'text/markdown' }
    const answer = await hub.publish(text, { ...to('review'), headers })
    expect([answer.status, answer.data.unchanged, answer.version]).toEqual([200, true, '2.0.1'])
  })
})
