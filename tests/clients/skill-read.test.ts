// Reads the files of Agent Skills with both libraries: from the hub, under a lock, and from the project without a network.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLock } from '../../clients/typescript/source/files.ts'
import { PromptHub, PromptHubError } from '../../clients/typescript/source/prompt-hub.ts'
import { type PlainFiles, sha256, startPlainFiles } from '../cli/plain-files.ts'
import { writeFiles } from '../write-files.ts'
import { environment } from './both-clients.ts'
import { pushFolder, type SkillHub, startSkillHub } from './skill-hub.ts'

const BINARY = Buffer.from([0, 255, 254, 13, 10])
const CONTENT = 'Run scripts/fill.py for {{name}}.\n\n## Inputs\n\nOf its own.\n'
const FILES = { 'data.bin': BINARY, 'scripts/fill.py': 'print("é")\r\n' }
const AWAY = 'http://127.0.0.1:9'

let hub: SkillHub
beforeAll(async () => {
  hub = await startSkillHub()
  writeFiles(join(hub.scratch, 'forms'), {
    'SKILL.md': `---\nname: forms\ndescription: Fills in forms.\n---\n${CONTENT}`,
    ...FILES,
  })
  await pushFolder(hub, 'acme/forms', join(hub.scratch, 'forms'), 'major')
  writeFiles(hub.scratch, { 'project/README.md': '' })
  expect(await hub.hubcli(join(hub.scratch, 'project'), 'add', 'acme/forms', '--as', 'skill')).toMatchObject({
    code: 0,
  })
})
afterAll(() => hub?.close())

/** What a library read: the content, the files with their digests, and the bytes of each in hex, or the error. */
interface Read {
  content?: string
  source?: string
  files?: [string, string][]
  bytes?: string[]
  /** The attributes of a span about the skill. */
  skill?: Record<string, string>
  error?: [string, string]
}

async function readWithTypeScript(url: string, lock: string | undefined, path?: string): Promise<Read> {
  try {
    const client = new PromptHub({ url, retries: 0, ...(lock !== undefined && { lock: await openLock(lock) }) })
    const prompt = await client.get('acme/forms')
    const { content, source, files } = prompt
    const wanted = path === undefined ? files.map((file) => file.path) : [path]
    const bytes = await Promise.all(wanted.map(async (each) => Buffer.from(await prompt.file(each)).toString('hex')))
    const skill = Object.fromEntries(Object.entries(prompt.attributes()).filter(([key]) => key.includes('skill')))
    return { content, source, files: files.map(({ path, sha256 }) => [path, sha256]), bytes, skill }
  } catch (error) {
    if (error instanceof PromptHubError) return { error: [error.code, error.message] }
    throw error
  }
}

const PYTHON = `
import asyncio, json, sys
from prompt_hub import AsyncPromptHub, PromptHubError
url, lock, path = (each or None for each in sys.argv[1:])
async def main():
    hub = AsyncPromptHub(url, lock=lock, retries=0)
    prompt = await hub.get("acme/forms")
    wanted = [file.path for file in prompt.files] if path is None else [path]
    read = [(await hub.file(prompt, each)).hex() for each in wanted]
    skill = {key: value for key, value in prompt.attributes().items() if "skill" in key}
    return {"content": prompt.content, "source": prompt.source, "files": prompt.files, "bytes": read, "skill": skill}
try:
    print(json.dumps(asyncio.run(main())))
except PromptHubError as error:
    print(json.dumps({"error": [error.code, str(error)]}))
`
async function readWithPython(url: string, lock: string | undefined, path?: string): Promise<Read> {
  const { stdout } = await promisify(execFile)('python3', ['-c', PYTHON, url, lock ?? '', path ?? ''], {
    env: environment(url),
  })
  return JSON.parse(stdout)
}

const WHOLE = {
  content: CONTENT,
  files: Object.entries(FILES).map(([path, data]) => [path, sha256(data)]),
  bytes: Object.values(FILES).map((data) => Buffer.from(data).toString('hex')),
}

describe.each([
  ['TypeScript', readWithTypeScript],
  ['Python', readWithPython],
] as const)('%s', (_, read) => {
  test('from the hub', async () => {
    expect(await read(hub.url, undefined)).toEqual({
      ...WHOLE,
      source: 'network',
      skill: { 'gen_ai.skill.name': 'forms', 'gen_ai.skill.description': 'Fills in forms.' },
    })
    const { error } = await read(hub.url, undefined, '../SKILL.md')
    expect(error).toEqual([
      ...['not_found', 'acme/forms 1.0.0 has no file ../SKILL.md; it has: data.bin, scripts/fill.py'],
    ])
  })

  test('from the project under a lock, without a network', async () => {
    expect(await read(AWAY, join(hub.scratch, 'project/prompts.lock'))).toEqual({
      ...WHOLE,
      source: 'lock',
      skill: { 'gen_ai.skill.name': 'forms' },
    })
  })

  test('from the hub under a lock, for files that are not in the project', async () => {
    const project = mkdtempSync(join(hub.scratch, 'bare-'))
    const lock = join(project, 'prompts.lock')
    writeFiles(project, { 'prompts.lock': readFileSync(join(hub.scratch, 'project/prompts.lock')) })
    expect((await read(hub.url, lock)).bytes).toEqual(WHOLE.bytes)
    expect((await read(AWAY, lock)).error?.[0]).toBe('unavailable')
  })

  test('no changed file', async () => {
    const project = mkdtempSync(join(hub.scratch, 'changed-'))
    await hub.hubcli(project, 'add', 'acme/forms', '--as', 'skill')
    writeFileSync(join(project, '.agents/skills/forms/scripts/fill.py'), 'evil')
    const lock = join(project, 'prompts.lock')
    expect(await read(AWAY, lock)).toEqual({
      error: [
        'integrity',
        '.agents/skills/forms/scripts/fill.py is not what prompts.lock says; prompt-hub install --force restores it',
      ],
    })
    writeFileSync(join(project, '.agents/skills/forms/SKILL.md'), 'evil')
    expect((await read(AWAY, lock)).error?.[1]).toMatch(/^\.agents\/skills\/forms\/SKILL\.md is not what/)
  })

  test('no other bytes from a mirror', async () => {
    const mirror: PlainFiles = await startPlainFiles('mirror', {
      'acme/forms': {
        versions: { '1.0.0': 'x' },
        skill: { description: 'x', license: null },
        files: { 'a.md': 'one' },
      },
    })
    expect(await read(mirror.url, undefined)).toMatchObject({ bytes: [Buffer.from('one').toString('hex')] })
    mirror.meddle = (asked, answer) => {
      if (!asked.includes('/blobs/')) return false
      answer.writeHead(200).end('two')
      return true
    }
    expect((await read(mirror.url, undefined)).error).toEqual([
      'integrity',
      'acme/forms@1.0.0: a.md has other bytes than its SHA-256 says.',
    ])
    await mirror.close()
  })
})
