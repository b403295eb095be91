// Tests prompts, resources and completions: they show the same prompts as the tools do, without hidden characters.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { fillContent } from '../../src/domain/content/filling.ts'
import { findPlaceholders } from '../../src/domain/content/placeholders.ts'
import { makeContent } from '../e2e/made-content.ts'
import { modern, openMcpHub } from '../hubs/mcp.ts'
import { writeFiles } from '../write-files.ts'

type Json = Record<string, unknown>
/** A value for each variable type; an enum supplies its own. */
const SAMPLES = { string: 'some $& text', integer: '3', number: '0.5', boolean: 'true', enum: '' }
/** Tag characters that spell a hidden sentence, reversed text, and a word that an invisible character splits. */
const HIDDEN = 'Title\u{E0069}\u{E0067}\u202E\u200B\u2066 of\u00AD a\uFE0F prompt'
const VARIABLES = `variables:
  - name: tone
    description: "How\u202E it sounds"
    type: enum
    options: [Warm, Wary, Cold]
    default: Warm
  - name: topic
    description: What it is about
    required: true
  - name: audience
    required: false
`

const contentDir = makeContent()
const write = (path: string, text: string) => {
  writeFiles(contentDir, { [path]: text })
}
// Ties go to the older prompt, so the prompts of this test are the oldest.
const FRONT = 'published_at: "2015-01-01T00:00:00Z"\npublished_by: tester\n'
write(
  'zz-menu/hidden/index.md',
  `---\ntitle: "${HIDDEN}"\ndescription: ${'word '.repeat(90)}\nlicense: MIT\ntags: [zz-menu]\n---\nReadme\n`,
)
write('zz-menu/hidden/versions/1.0.0.md', `---\n${FRONT}${VARIABLES}---\n{{tone}} about {{topic}} for {{audience}}\n`)
write(
  'zz-menu/hidden/versions/1.0.1.md',
  `---\n${FRONT}changelog: Shorter\n${VARIABLES}---\n{{tone}} on {{topic}} for {{audience}}\n`,
)
write(
  'zz-menu/typed/versions/1.0.0.md',
  `---\n${FRONT}variables:\n  - {name: count, type: integer}\n---\n{{count}} times\n`,
)
for (let number = 1; number <= 60; number++) {
  const index = `---\ntitle: Filler ${number}\n---\n`
  write(`zz-fill/filler-${number}/index.md`, index)
  write(`zz-fill/filler-${number}/versions/1.0.0.md`, `---\n${FRONT.replace('2015', '2026')}---\nText\n`)
}
const hub = openMcpHub(contentDir)
afterAll(() => {
  hub.close()
  rmSync(contentDir, { recursive: true, force: true })
})

async function readAll(method: string, key: string): Promise<Json[]> {
  const answer = await hub.call(method)
  expect(answer.nextCursor).toBeUndefined()
  const all = answer[key] as Json[]
  expect(all.length).toBe(100)
  return all
}

describe('prompts', () => {
  test('prompts/list returns the top 100 on one page', async () => {
    const prompts = await readAll('prompts/list', 'prompts')
    const expected = hub.catalogue.listed.top.slice(0, 100).map(({ owner, name }) => `${owner}__${name}`)
    expect(prompts.map(({ name }) => name)).toEqual(expected)
    expect(JSON.stringify(prompts)).not.toMatch(/archived|all-yanked/)
  })

  test.each([[null], [{ cursor: null }], [{ cursor: '' }]])('params %j return the first page', async (params) => {
    expect(await hub.call('prompts/list', params as never)).toEqual(await hub.call('prompts/list'))
  })

  test('an entry has single-line fields without hidden characters', async () => {
    const prompts = await readAll('prompts/list', 'prompts')
    const entry = prompts.find(({ name }) => name === 'zz-menu__hidden')
    const description = `Title of a prompt: ${'word '.repeat(90)}`
    expect(entry).toEqual({
      name: 'zz-menu__hidden',
      title: 'zz-menu/hidden',
      description: `${description.slice(0, 299)}…`,
      arguments: [
        { name: 'tone', description: 'How it sounds (default: Warm)', required: false },
        { name: 'topic', description: 'What it is about', required: true },
        { name: 'audience', required: false },
      ],
    })
  })

  //  case                        arguments                                    text
  test.each([
    ['defaults and leaves omitted optional arguments empty', { topic: 'rain' }, 'Warm on rain for \n'],
    ['all arguments', { tone: 'Cold', topic: 'rain', audience: 'cats' }, 'Cold on rain for cats\n'],
    ['known arguments and ignores unknown ones', { topic: 'rain', other: 'x' }, 'Warm on rain for \n'],
  ])('prompts/get fills %s', async (_, given, text) => {
    const result = await hub.call('prompts/get', { name: 'zz-menu__hidden', arguments: given })
    expect(result.messages).toEqual([{ role: 'user', content: { type: 'text', text } }])
    expect(result.description).toMatch(/^Title of a prompt: word/)
  })

  test('every public prompt has no unfilled placeholder when given its required arguments', async () => {
    for (const { repository } of hub.catalogue.entries.values()) {
      if (repository.content === null) continue
      const needed = repository.variables.filter(({ required, default: usual }) => required && usual === null)
      const given = Object.fromEntries(needed.map(({ name, type, options }) => [name, options[0] ?? SAMPLES[type]]))
      const { messages } = await hub.call('prompts/get', {
        name: `${repository.owner}__${repository.name}`,
        arguments: given,
      })
      const text = (messages as { content: { text: string } }[]).map(({ content }) => content.text).join('\n')
      const filled = fillContent({ ...repository, content: repository.content }, given, 'strict')
      if (repository.format === 'text') expect(text).toBe(filled.value?.content)
      const open = repository.variables.filter(({ name }) => findPlaceholders(text).includes(name))
      expect(open).toEqual([])
    }
  })

  test.each([
    ['an unknown prompt', 'prompts/get', { name: 'zz-menu__nothing' }, 'There is no prompt zz-menu__nothing.'],
    ['a name with a slash', 'prompts/get', { name: 'zz-menu/hidden' }, 'There is no prompt zz-menu/hidden.'],
    ['a path', 'prompts/get', { name: '..__..' }, 'There is no prompt ..__...'],
    ['three parts', 'prompts/get', { name: 'a__b__c' }, 'There is no prompt a__b__c.'],
    ['no name', 'prompts/get', {}, 'Expected the prompt as a string.'],
    ['a name that is not a string', 'prompts/get', { name: 5 }, 'Expected the prompt as a string.'],
    [
      'a prompt without an active version',
      'prompts/get',
      { name: 'zz-suite__all-yanked' },
      'There is no prompt zz-suite__all-yanked.',
    ],
    [
      'an argument of the wrong type',
      'prompts/get',
      { name: 'zz-menu__typed', arguments: { count: 'abc' } },
      'arguments: count: expected a whole number such as 3, got "abc".',
    ],
    ['a missing argument', 'prompts/get', { name: 'zz-menu__hidden' }, 'arguments: missing required variable: topic.'],
    [
      'an argument that is not a string',
      'prompts/get',
      { name: 'zz-menu__hidden', arguments: { topic: 1 } },
      'arguments: expected',
    ],
    ['an unknown cursor', 'prompts/list', { cursor: 'QDUw' + 'x' }, 'Unknown cursor.'],
    [
      'a cursor past the end',
      'resources/list',
      { cursor: Buffer.from('@100').toString('base64url') },
      'Unknown cursor.',
    ],
    ['a cursor of another type', 'resources/list', { cursor: 50 }, 'Unknown cursor.'],
    ['a cursor of tools', 'tools/list', { cursor: 'x' }, 'Unknown cursor.'],
    ['a cursor of templates', 'resources/templates/list', { cursor: 'x' }, 'Unknown cursor.'],
    [
      'an unknown template',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'file:///{path}' }, argument: { name: 'path', value: '' } },
      'There is no template file:///{path}.',
    ],
    [
      'an unknown prompt to complete',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x__y' }, argument: { name: 'a', value: '' } },
      'There is no prompt x__y.',
    ],
    [
      'no argument to complete',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x__y' } },
      'Expected "ref" and "argument".',
    ],
  ])('%s is a protocol error', async (_, method, params, message) => {
    await expect(hub.call(method, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    })
  })
})

describe('resources', () => {
  test('lists the same 100 prompts with their dates', async () => {
    const resources = await readAll('resources/list', 'resources')
    const { owner, name, updated_at } = hub.catalogue.listed.top[0]!
    expect(resources[0]).toMatchObject({
      uri: `hub://prompts/${owner}/${name}`,
      name: `${owner}/${name}`,
      mimeType: 'text/plain',
      annotations: { audience: ['user', 'assistant'], lastModified: updated_at },
    })
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(100)
  })

  test('lists two resource templates', async () => {
    const { resourceTemplates } = await hub.call('resources/templates/list')
    expect((resourceTemplates as Json[]).map(({ uriTemplate, mimeType }) => [uriTemplate, mimeType])).toEqual([
      ['hub://prompts/{owner}/{name}', 'text/plain'],
      ['hub://prompts/{owner}/{name}/versions/{version}', 'text/plain'],
    ])
  })

  test.each([
    ['the latest version', 'hub://prompts/zz-menu/hidden', '{{tone}} on {{topic}} for {{audience}}\n'],
    ['a version', 'hub://prompts/zz-menu/hidden/versions/1.0.0', '{{tone}} about {{topic}} for {{audience}}\n'],
    ['a byte order mark', 'hub://prompts/zz-suite/bytes/versions/1.1.0', '\uFEFFAfter a byte order mark\n'],
    ['a yanked version', 'hub://prompts/zz-suite/all-yanked/versions/1.0.0', 'Vanishedword {{a}}\n'],
    ['an archived prompt', 'hub://prompts/zz-suite/archived', 'Mothballedword\n'],
  ])('resources/read returns %s as stored', async (_, uri, text) => {
    expect(await hub.call('resources/read', { uri })).toEqual({ contents: [{ uri, mimeType: 'text/plain', text }] })
  })

  test.each([
    ['an unknown prompt', 'hub://prompts/zz-menu/nothing'],
    ['an unknown version', 'hub://prompts/zz-menu/hidden/versions/9.9.9'],
    ['a malformed version', 'hub://prompts/zz-menu/hidden/versions/1.0.0%0A'],
    ['a path', 'hub://prompts/../hidden'],
    ['a reserved owner', 'hub://prompts/api/hidden'],
    ['another URI scheme', 'file:///etc/passwd'],
  ])('%s is a protocol error in both generations, with the URI', async (_, uri) => {
    await expect(hub.call('resources/read', { uri })).rejects.toMatchObject({ code: -32602, data: { uri } })
    const { error } = await (await hub.answer(modern('resources/read', { uri }))).json()
    expect(error).toMatchObject({ code: -32602, data: { uri } })
  })
})

describe('completions', () => {
  const template = { type: 'ref/resource', uri: 'hub://prompts/{owner}/{name}/versions/{version}' }
  const prompt = { type: 'ref/prompt', name: 'zz-menu__hidden' }
  const of = (fullName: string) => ({ owner: fullName.split('/')[0]!, name: fullName.split('/')[1]! })
  //  case                           ref       argument    typed      context                     values
  test.each<[string, Json, string, string, Record<string, string>, string[]]>([
    ['an owner', template, 'owner', 'ac', {}, ['acme']],
    [
      'the last owners of the list',
      template,
      'owner',
      'z',
      {},
      ['zz-fill', 'zz-many', 'zz-menu', 'zz-plain', 'zz-rated', 'zz-search', 'zz-suite', 'zz-trend'],
    ],
    ['an upper-case owner', template, 'owner', 'AC', {}, ['acme']],
    [
      'a name of a given owner',
      template,
      'name',
      'c',
      { owner: 'acme' },
      ['changelog-writer', 'code-review', 'commit-message'],
    ],
    ['a name of any owner', template, 'name', 'hid', {}, ['hidden']],
    ['a name that is an SQL wildcard', template, 'name', '%', {}, []],
    ['a version, highest first', template, 'version', '', of('zz-menu/hidden'), ['1.0.1', '1.0.0']],
    ['a version without a name', template, 'version', '', { owner: 'zz-menu' }, []],
    ['a version of an unknown prompt', template, 'version', '', of('zz-menu/nothing'), []],
    ['a version of an archived prompt', template, 'version', '', of('zz-suite/archived'), []],
    ['the name of an archived prompt', template, 'name', 'archived', { owner: 'zz-suite' }, []],
    ['an unknown argument', template, 'colour', '', {}, []],
    ['an option of an enum', prompt, 'tone', 'wa', {}, ['Warm', 'Wary']],
    ['a variable without options', prompt, 'topic', '', {}, []],
    ['an unknown variable', prompt, 'constructor', '', {}, []],
  ])('%s', async (_, ref, name, value, known, values) => {
    const params = { ref, argument: { name, value }, context: { arguments: known } }
    const { completion } = await hub.call('completion/complete', params)
    expect(completion).toEqual({ values, total: values.length, hasMore: false })
  })

  test('truncates a long list and sets hasMore', async () => {
    const argument = { name: 'name', value: '' }
    const { completion } = await hub.call('completion/complete', { ref: template, argument })
    const names = new Set(hub.catalogue.listed.top.map(({ name }) => name))
    expect(completion).toMatchObject({ total: names.size, hasMore: true })
    expect((completion as { values: string[] }).values).toEqual([...names].sort().slice(0, 100))
  })
})
