// Tests publishing with includes: what is stored, what is refused, and what happens if a part changes meanwhile.
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { recallRepositoryState } from '../../src/domain/publishing/repository-state.ts'
import { parsePublishRequest } from '../../src/domain/publishing/request.ts'
import { decidePublish } from '../../src/server/publish/decide.ts'
import { openClock } from '../../src/server/publish/write-to-git.ts'
import { type Answer, type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'

let world: World
let hub: Hub
/** Runs once, after a publish has read the folder of this prompt and before it commits. */
let afterReading: { name: string; run: () => Promise<unknown> } | undefined
/** The folders that publishes have read. */
const read: string[] = []
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const to = (name: string) => ({ to: `acme/${name}` })
const publish = (name: string, body: Record<string, unknown>) => hub.publish({ bump: 'patch', ...body }, to(name))
const included = ({ data }: Answer) => data.includes as Record<string, unknown>[]
const messagesOf = ({ data }: Answer) =>
  (data.warnings as { code: string; line: number | null; message: string }[]).map(
    ({ code, line, message }) => `${code} ${line}: ${message}`,
  )

/** Opens a world in which something happens while a publish reads. */
function openWorld(): World {
  const opened = openLocalWorld()
  return {
    ...opened,
    openStore() {
      const store = opened.openStore()
      return {
        ...store,
        async readFolder(question, call) {
          const folder = await store.readFolder(question, call)
          read.push(question.name ?? '')
          if (afterReading && afterReading.name === question.name) {
            const { run } = afterReading
            afterReading = undefined
            await run()
          }
          return folder
        },
      }
    },
  }
}

beforeAll(async () => {
  world = openWorld()
  hub = await openHub(world)
  for (const content of ['Be brief.\n', 'Be brief, and kind.\n', 'Be {{tone}}.\n']) {
    const bump = content.includes('tone') ? 'major' : 'minor'
    expect((await publish('house-style', { content, bump })).status).toBe(201)
  }
})

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
        repository: 'acme/house-style',
        range: '^1',
        version: '1.1.0',
        content_sha256: sha256('Be brief, and kind.\n'),
        start: 13,
        length: 19,
        variables: [],
        through: [],
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

describe('what is included', () => {
  test('cannot be the prompt itself, nothing, a yanked version, a skill with files or a chat prompt', async () => {
    const skill = { content: 'Read.', skill: { description: 'Reads.' }, files: [{ path: 'a.txt', text: 'a' }] }
    expect((await publish('a-skill', skill)).status).toBe(201)
    expect((await publish('a-chat', { content: '{{role "user"}}\nHi\n', format: 'chat' })).status).toBe(201)
    const refused = async (line: string) => {
      const answers = [hub.publish, hub.check].map((send) =>
        send({ content: `a\n${line}\n`, compose: true }, to('other')),
      )
      const [published, checked] = await Promise.all(answers)
      expect([published!.status, published!.code, checked!.status]).toEqual([422, 'validation_failed', 422])
      expect(checked!.message).toBe(published!.message)
      return published!.message
    }
    expect(await refused('{{include "acme/other"}}')).toBe(
      'content: line 2: a prompt cannot include itself. Publish the shared part as a prompt of its own.',
    )
    const round = { content: '{{include "acme/other"}}\n', compose: true }
    expect((await publish('other', { content: 'Other.\n' })).status).toBe(201)
    expect((await publish('around', round)).status).toBe(201)
    expect(await refused('{{include "acme/around"}}')).toBe(
      'content: line 2: acme/around@1.0.0 includes acme/other itself. Include a version that does not, or publish the shared part as a prompt of its own.',
    )
    // Longer rounds are refused as well.
    for (const [name, part] of [
      ['wider', 'around'],
      ['widest', 'wider'],
    ]) {
      const { status, data } = await publish(name!, { content: `{{include "acme/${part}"}}\n`, compose: true })
      expect([status, included({ data } as Answer)[0]!.through]).toEqual([
        201,
        name === 'wider' ? ['acme/other'] : ['acme/around', 'acme/other'],
      ])
    }
    expect(await refused('{{include "acme/widest"}}')).toContain('acme/widest@1.0.0 includes acme/other itself.')
    expect(await refused('{{include "acme/none"}}')).toContain('line 2: acme/none is not a prompt on this hub')
    expect(await refused('{{include "acme/house-style@^9"}}')).toContain('but none in ^9')
    expect(await refused('{{include "acme/a-skill"}}')).toContain('acme/a-skill@1.0.0 is a skill with files')
    expect(await refused('{{include "acme/a-chat"}}')).toContain('acme/a-chat@1.0.0 is a chat prompt')
    await hub.publish(
      { reason: 'Wrong' },
      {
        path: '/api/v1/repos/acme/a-chat/versions/1.0.0/yank',
        method: 'PUT',
        token: await hub.makeToken({ permissions: ['publish', 'maintain'] }),
      },
    )
    expect(await refused('{{include "acme/a-chat@1.0.0"}}')).toContain('was yanked (Wrong)')
    expect(await refused('{{include "acme/a-chat"}}')).toContain(
      'acme/a-chat has no active version. Include another prompt.',
    )
  })

  test('is limited before anything is read', async () => {
    read.length = 0
    const many = Array.from({ length: 10_000 }, (_, at) => `{{include "acme/part-${at}"}}\n`).join('')
    const { status, message } = await publish('other', { content: many.slice(0, 262_000), compose: true })
    expect([status, message]).toEqual([422, 'content: expected at most 32 include lines.'])
    const long = `{{include "acme/part@${'1'.repeat(200_000)}"}}`
    expect((await publish('other', { content: long, compose: true })).status).toBe(422)
    expect(read).toEqual([])
  })

  test('counts towards the limits of a version', async () => {
    expect((await publish('large', { content: 'a'.repeat(200_000) })).status).toBe(201)
    const content = '{{include "acme/large"}}\n{{include "acme/large"}}'
    const { status, message } = await publish('other', { content, compose: true })
    expect(status).toBe(422)
    expect(message).toContain('expected at most 262144 bytes when it is assembled, got 400001')
    const names = (from: number) => Array.from({ length: 40 }, (_, at) => `{{v${from + at}}}`).join(' ')
    for (const at of [0, 40]) expect((await publish(`names-${at}`, { content: names(at) })).status).toBe(201)
    const both = { content: '{{include "acme/names-0"}}\n{{include "acme/names-40"}}', compose: true }
    expect((await publish('other', both)).message).toContain('expected at most 64 placeholders, got 80')
  })

  test('is named with its line if it breaks a rule in the assembled text only', async () => {
    expect((await publish('own-role', { content: 'Say {{role}}.' })).status).toBe(201)
    const content = '{{role "user"}}\nHi\n{{include "acme/own-role"}}\n'
    const { message } = await publish('other', { content, format: 'chat', compose: true })
    expect(message).toBe(
      'content: line 3: in acme/own-role@1.0.0: expected another name: in a chat prompt, no variable can be named role.',
    )
  })

  test('is warned about if its maintainers do, and lines are those of the source', async () => {
    const index = '---\nadvisories:\n  - range: <2.0.0\n    severity: high\n    message: Says too much.\n---\n'
    await world.commitOutside({ 'content/acme/house-style/index.md': index })
    const content = 'a\n{{include "acme/house-style@^1"}}\n {{include "acme/house-style"}}\n{{user-name}}\n'
    const answer = await publish('warned', { content, compose: true })
    expect(answer.status).toBe(201)
    expect(messagesOf(answer).filter((line) => !line.startsWith('weak'))).toEqual([
      expect.stringMatching(/^near_placeholder 4: content: \{\{user-name\}\} /),
      expect.stringMatching(/^looks_like_include 3: content: \{\{include "acme\/house-style"\}\} is stored as text/),
      'included_advisory null: includes: acme/house-style@1.1.0 has an advisory of severity high: Says too much.',
    ])
    const plain = await publish('plain', { content: '{{include "acme/house-style"}}' })
    expect([plain.data.content, included(plain)]).toEqual(['{{include "acme/house-style"}}', []])
    expect(messagesOf(plain).filter((line) => !line.startsWith('weak'))).toEqual([
      'looks_like_include 1: content: {{include "acme/house-style"}} is stored as text. To include the other prompt, publish with compose: true',
    ])
    await world.commitOutside({ 'content/acme/house-style/index.md': '---\ntitle: House style\n---\n' })
  })
})

test('the body has either content or recompose', async () => {
  for (const body of [{ recompose: true, content: 'a' }, { recompose: true, compose: true }, { recompose: false }, {}])
    expect((await publish('review', body)).status).toBe(422)
  expect((await publish('plain', { recompose: true })).message).toContain(
    'recompose: expected a latest version with includes',
  )
})

describe('a part that changes between reading and the commit', () => {
  const index = (yanked: string) => `---\nyanked:\n  "${yanked}": Wrong\n---\n`
  const race = async (range: string, run: () => Promise<unknown>, more = '') => {
    afterReading = { name: 'racing', run }
    const answer = await publish('racer', {
      content: `{{include "acme/racing@${range}"}}\n${range}${more}`,
      compose: true,
    })
    expect(afterReading).toBeUndefined()
    return answer
  }
  beforeAll(async () => {
    for (const content of ['One.', 'Two.', 'Three.']) await publish('racing', { content, bump: 'minor' })
  })

  test('is refused if it was yanked, and a range takes the next version', async () => {
    const yank = () => world.commitOutside({ 'content/acme/racing/index.md': index('1.2.0') })
    const ranged = await race('^1', yank)
    expect([ranged.status, included(ranged)[0]!.version]).toEqual([201, '1.1.0'])
    const back = () => world.commitOutside({ 'content/acme/racing/index.md': '---\ntitle: Racing\n---\n' })
    await back()
    const exact = await race('1.2.0', yank)
    expect([exact.status, exact.message]).toEqual([
      422,
      expect.stringContaining('acme/racing@1.2.0 was yanked (Wrong)'),
    ])
    await back()
  })

  test('is refused if it was taken down, and included if somebody only deleted its file', async () => {
    const remove = async (index?: string) => {
      const cwd = dirname(await world.gitFolder())
      const run = (...args: string[]) =>
        runSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd })
      if (index === undefined) run('rm', '-q', 'content/acme/racing/versions/1.2.0.md')
      else await world.commitOutside({ 'content/acme/racing/index.md': index })
      if (index === undefined) run('commit', '-q', '-m', 'Remove a version')
    }
    const deleted = await race('1.2.0', () => remove(), 'A')
    expect([deleted.status, included(deleted)[0]!.version]).toEqual([201, '1.2.0'])
    const takeDown = () => remove('---\nremoved: {"1.2.0": A court forbade it}\n---\n')
    const answer = await race('1.2.0', takeDown, 'B')
    expect([answer.status, answer.message]).toEqual([422, expect.stringMatching(/acme\/racing.*1\.2\.0/)])
  })
})

describe('the includes of the same content', () => {
  const source = 'Own {{x}}.\n{{include "acme/house-style@2.0.0"}}\n'
  let first: Answer
  beforeAll(async () => {
    first = await publish('original', { content: source, compose: true })
    expect(first.status).toBe(201)
  })

  test('go along to a fork', async () => {
    const fork = await publish('fork', { content: first.data.content, forked_from: 'acme/original@1.0.0' })
    expect([fork.status, included(fork)]).toEqual([201, included(first)])
    const other = await publish('no-fork', { content: first.data.content })
    expect([other.status, included(other)]).toEqual([201, []])
  })

  test('stay when the bytes are sent again, and come back with a revert', async () => {
    expect((await publish('original', { content: first.data.content })).data.unchanged).toBe(true)
    expect(included(await publish('original', { content: 'Plain.' }))).toEqual([])
    const reverted = await publish('original', { content: first.data.content })
    expect([reverted.version, included(reverted)]).toEqual(['1.0.2', included(first)])
  })

  test('leave out a variable that the new version declares otherwise', async () => {
    const variables = [{ name: 'x' }, { name: 'tone', default: 'dry' }]
    const answer = await publish('original', { content: first.data.content, variables })
    expect([answer.status, included(answer)[0]!.variables]).toEqual([201, []])
  })
})

describe('composing again changes nothing', () => {
  const source = '{{tone}} {{z}}\n{{include "acme/declared"}}\nEnd {{y}}\n'
  let first: Answer
  beforeAll(async () => {
    const variables = [{ name: 'tone', description: 'The tone', default: 'calm', required: false }]
    await publish('declared', { content: 'Be {{tone}}, {{who}}.\n', variables: [...variables, { name: 'who' }] })
    first = await publish('declaring', { content: source, compose: true })
    expect(first.status).toBe(201)
  })
  const expectUnchanged = async (name: string, version: string) => {
    const { text } = await hub.read(`/api/v1/repos/acme/${name}/versions/${version}/export/markdown`)
    const pushed = await hub.publish(text, { ...to(name), headers: { 'Content-Type': 'text/markdown' } })
    const composed = await publish(name, { content: source, compose: true })
    const again = await publish(name, { recompose: true })
    for (const { status, data } of [pushed, composed, again])
      expect([status, data.unchanged, data.version]).toEqual([200, true, version])
  }

  test('if the prompt itself uses a variable that a part declares', async () => {
    expect((first.data.variables as { name: string }[]).map(({ name }) => name)).toEqual(['z', 'y', 'tone', 'who'])
    await expectUnchanged('declaring', '1.0.0')
  })

  test('after a fork and a revert that send the text alone', async () => {
    const fork = await publish('declaring-fork', { content: first.data.content, forked_from: 'acme/declaring@1.0.0' })
    expect(fork.data.variables).toEqual(first.data.variables)
    await expectUnchanged('declaring-fork', '1.0.0')
    await publish('declaring', { content: 'Plain {{y}}.' })
    const { version } = await publish('declaring', { content: first.data.content })
    expect(version).toBe('1.0.2')
    await expectUnchanged('declaring', '1.0.2')
  })

  test('if variables are sent in another order', async () => {
    const variables = [...(first.data.variables as { name: string }[])].reverse()
    const { status, data } = await publish('declaring', { content: first.data.content, variables })
    expect([status, data.unchanged, data.version]).toEqual([200, true, '1.0.2'])
  })
})

test('composing again takes only versions that have been available long enough, and says which', async () => {
  let days = 0
  const clock = { ...openClock(), now: () => Date.now() + days * 86_400_000 }
  const dated = await openHub(openLocalWorld(), { clock })
  const send = (name: string, body: object) => dated.publish(body, to(name))
  const again = async (min_age_days?: number) => {
    const body = { recompose: true, ...(min_age_days !== undefined && { min_age_days }) }
    const checked = await dated.check(body, to('whole'))
    const { data, message } = await send('whole', body)
    expect([message, checked.data.would_be]).toEqual(['', data.version])
    return `${data.unchanged ? 'unchanged ' : ''}${data.content}: ${data.changelog}`
  }
  await send('part', { content: 'One' })
  expect((await send('whole', { content: '{{include "acme/part"}}', compose: true })).status).toBe(201)
  days = 10
  await send('part', { content: 'Two' })
  days = 15
  await send('part', { content: 'Three' })
  expect(await again(7)).toBe('unchanged One: ')
  days = 18
  expect(await again(7)).toBe('Two: Include acme/part 1.0.1')
  expect(await again(0)).toBe('Three: Include acme/part 1.0.2')
  expect(await again(7)).toBe('unchanged Three: Include acme/part 1.0.2')
  await send('part', { content: 'Four' })
  expect(await again()).toBe('Four: Include acme/part 1.0.3')
  const refused = await send('whole', { content: 'a', min_age_days: 7 })
  expect([refused.status, refused.message]).toEqual([422, 'min_age_days: expected recompose: true beside it.'])
  for (const min_age_days of [-1, 0.5, 10_000, '7'])
    expect((await send('whole', { recompose: true, min_age_days })).code).toBe('validation_failed')
})

test('composing stores what a plain publish of the assembled text stores', () => {
  const baseUrl = 'https://hub.test'
  const around = { isOriginKnown: true }
  const publisher = { published_by: 'acme', clock: { nowMs: 0, isShared: false }, provenance: undefined }
  const state = recallRepositoryState({ owner: 'acme', name: 'whole' }, undefined)
  const decide = (body: object, parts: { text: string }[]) =>
    decidePublish(parsePublishRequest(body), state, { file: undefined, files: [] }, publisher, {
      baseUrl,
      around,
      parts: parts.map(({ text }) => ({
        repository: 'acme/part',
        range: '*',
        version: '1.0.0',
        concerns: [],
        hasFiles: false,
        file: `---\npublished_at: "2026-01-01T00:00:00Z"\npublished_by: acme\n---\n${text}`,
      })),
    })
  const texts = fc
    .array(fc.constantFrom('\n', '\r\n', 'a', 'é', '𝄞', '{{x}}', '{{ y }}', '---\n', ' '), { maxLength: 8 })
    .map((all) => `${all.join('')}.`)
  fc.assert(
    fc.property(texts, texts, fc.constantFrom('\n', '\r\n', ''), (before, part, end) => {
      const content = `${before}\n{{include "acme/part"}}${end}`
      const { record } = decide({ content, compose: true }, [{ text: part }])
      const plain = decide({ content: record.content, variables: record.variables }, [])
      expect({ ...record, includes: [] }).toEqual(plain.record)
      expect(record.content_sha256).toBe(sha256(record.content))
    }),
    { numRuns: 50 },
  )
})
