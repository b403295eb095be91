// Tests exports: the URL, the file in each format, the reported losses, and what is rejected. See docs/contract.md
// section 4.
import { afterAll, describe, expect, test } from 'vitest'
import { listDownloads } from '../../src/site/prompt/downloads.ts'
import { openApp } from '../hubs/app.ts'
import { openMcpHub } from '../hubs/mcp.ts'

const hub = openMcpHub('content')
afterAll(() => hub.close())

const FORMATS = [
  'markdown',
  'dotprompt',
  'prompty',
  'github',
  'langfuse',
  'langchain',
  'skill',
  'claude-command',
  'copilot-prompt',
  'copilot-instructions',
  'cursor-rule',
  'agents-md',
]
const ask = (path: string, init: RequestInit = {}) =>
  openApp(() => hub.hub)(new Request(`https://hub.example/api/v1/repos/${path}`, init))
const problemOf = async (answer: Response) => [answer.status, (await answer.json()).error] as const

describe('exporting a version', () => {
  test.each([
    ['markdown', 'text/markdown; charset=utf-8', 'code-review.md', '---\ntitle: Code review\n'],
    ['dotprompt', 'text/plain; charset=utf-8', 'code-review.prompt', '---\nname: code-review\n'],
    ['github', 'application/yaml; charset=utf-8', 'code-review.prompt.yml', 'name: Code review\n'],
    ['langfuse', 'application/json; charset=utf-8', 'code-review.json', '{\n  "type": "text",\n'],
    ['skill', 'text/markdown; charset=utf-8', 'SKILL.md', '---\nname: "code-review"\n'],
    ['copilot-prompt', 'text/markdown; charset=utf-8', 'code-review.prompt.md', '---\ndescription: '],
  ])('returns a %s file', async (format, mediaType, file, begin) => {
    const answer = await ask(`acme/code-review/versions/2.1.0/export/${format}`)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': mediaType,
      'content-disposition': `attachment; filename="${file}"`,
      'cache-control': 'public, max-age=60, stale-while-revalidate=600',
      'cache-tag': 'repo_acme_code-review',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
      'x-prompt-version': '2.1.0',
      'repr-digest': expect.stringMatching(/^sha-256=:/),
    })
    const text = await answer.text()
    expect(text.slice(0, begin.length)).toBe(begin)
    const again = await ask(`acme/code-review/versions/2.1.0/export/${format}`, {
      headers: { 'If-None-Match': answer.headers.get('etag')! },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await ask(`acme/code-review/versions/2.1.0/export/${format}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag')]).toEqual([200, answer.headers.get('etag')])
  })

  test('Langfuse gets the labels that point at the version; every other format names them as lost', async () => {
    const exported = async (version: string, format: string) => {
      const answer = await ask(`acme/code-review/versions/${version}/export/${format}`)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=60, stale-while-revalidate=600',
      ])
      return { text: await answer.text(), lost: answer.headers.get('export-lost')?.split(', ') ?? [] }
    }
    expect(JSON.parse((await exported('1.2.0', 'langfuse')).text).labels).toEqual(['production'])
    expect((await exported('1.2.0', 'langfuse')).lost).not.toContain('labels')
    expect(JSON.parse((await exported('2.1.0', 'langfuse')).text).labels).toEqual([])
    for (const format of ['markdown', 'dotprompt', 'prompty', 'github', 'langchain', 'claude-command']) {
      expect([format, (await exported('1.2.0', format)).lost]).toEqual([format, expect.arrayContaining(['labels'])])
      expect([format, (await exported('2.1.0', format)).lost]).toEqual([format, expect.not.arrayContaining(['labels'])])
    }
  })

  test('returns the reason and the location when a version cannot be converted', async () => {
    const chat = [...hub.catalogue.entries.values()].find(({ repository }) => repository.messages !== null)!.repository
    const [status, { code, message }] = await problemOf(
      await ask(`${chat.full_name}/versions/${chat.latest_version}/export/claude-command`),
    )
    expect([status, code]).toEqual([422, 'not_convertible'])
    expect(message).toBe(
      'This version cannot be exported as claude-command. messages: a command is one text; it has no roles.',
    )
  })

  test('the download menu and the API agree on lost fields for the starter catalogue', async () => {
    let compared = 0
    const refused: string[] = []
    // Each owner's first prompt, and the one that a format cannot have.
    const owners = new Set<string>()
    for (const { repository } of hub.catalogue.entries.values()) {
      if (owners.size === owners.add(repository.owner).size && repository.name !== 'research-question-refiner') continue
      const version = repository.latest_version
      if (version === null) continue
      const record = hub.catalogue.entries.get(repository.full_name)!.repository
      const { variables, parameters, messages } = record
      const downloads = listDownloads(repository, { ...record, version, variables, parameters, messages } as never)
      for (const { address, loses } of downloads) {
        const answer = await ask(address.slice('/api/v1/repos/'.length))
        if (answer.status === 422) {
          refused.push(address.split('/').at(-1)!, (await answer.json()).error.message)
          continue
        }
        expect([address, answer.status]).toEqual([address, 200])
        expect([address, answer.headers.get('export-lost') ?? '']).toEqual([address, loses.join(', ')])
        compared++
      }
    }
    expect(refused).toEqual([
      'claude-command',
      'This version cannot be exported as claude-command. content (line 35): $1 would be an argument.',
    ])
    expect(compared).toBeGreaterThan(50)
  })
})

describe('invalid export requests', () => {
  test.each([
    [
      'acme/code-review/versions/2.1.0/export/word',
      404,
      'not_found',
      `There is no format word. The formats are ${FORMATS.join(', ')}.`,
    ],
    ['acme/code-review/versions/9.9.9/export/github', 404, 'not_found', 'acme/code-review has no version 9.9.9.'],
    ['acme/code-reviw/versions/2.1.0/export/github', 404, 'not_found', 'Did you mean acme/code-review?'],
    ['acme/code-review/versions/latest/export/github', 404, 'not_found', 'There is nothing at'],
    ['acme/code-review/versions/2.1.0/export/__proto__', 404, 'not_found', 'There is no format __proto__.'],
    ['acme/code-review/versions/2.1.0/export/%0d%0aX:1', 404, 'not_found', 'There is no format %0d%0aX:1.'],
  ])('%s', async (path, wanted, wantedCode, sentence) => {
    const [status, { code, message }] = await problemOf(await ask(path))
    expect([status, code]).toEqual([wanted, wantedCode])
    expect(message).toContain(sentence)
  })

  test('rejects POST with 405', async () => {
    const answer = await ask('acme/code-review/versions/2.1.0/export/github', { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
