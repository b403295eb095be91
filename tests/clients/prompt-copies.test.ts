// Checks what a prompt says about itself, that it can be copied to another thread or process, and how it takes values.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PromptHub } from '../../clients/typescript/source/prompt-hub.ts'
import { pointing } from '../fixtures/labels.ts'
import { type FaultHub, openFaultHub, sha256 } from './fault-hub.ts'

const run = promisify(execFile)
const CHAT = '{{role "user"}}\n{{question}}'
const record = (content: string, format: string, variable: string) => ({
  full_name: 'acme/help',
  version: '1.0.0',
  format,
  content,
  content_sha256: sha256(content),
  variables: [{ name: variable }],
  parameters: { model: 'm', max_tokens: 300, seed: 7 },
})
let hub: FaultHub
beforeAll(async () => {
  hub = await openFaultHub()
  const serve = (path: string, data: unknown) =>
    hub.faults.set(path, (_request, response) => {
      response.end(JSON.stringify({ data }))
      return true
    })
  const repository = {
    full_name: 'acme/help',
    status: 'active',
    status_message: null,
    labels: pointing({ live: '1.0.0' }),
  }
  serve('/data/v1/repos/acme/help.json', {
    ...repository,
    ...record(CHAT, 'chat', 'question'),
    latest_version: '1.0.0',
    versions: ['1.0.0'],
  })
  serve('/data/v1/repos/acme/help/versions/1.0.0.json', record(CHAT, 'chat', 'question'))
  // A text prompt may begin with what would be a role line in a chat prompt.
  serve('/data/v1/repos/acme/help/versions/2.0.0.json', {
    ...record('{{role "user"}}\n{{unknown}}', 'text', 'unknown'),
    version: '2.0.0',
  })
})
afterAll(() => hub.stop())

test('TypeScript: format, label, a structured clone, and values that the prompt does not have', async () => {
  const client = new PromptHub({ url: hub.url })
  const prompt = await client.get('acme/help@live')
  expect(prompt).toMatchObject({ format: 'chat', label: 'live' })
  const copy = structuredClone(prompt)
  expect(copy).toEqual({ ...prompt })
  expect(copy).toMatchObject({ name: 'acme/help', version: '1.0.0', content: CHAT, parameters: { seed: 7 } })
  const { messages } = prompt
  expect(messages({ question: 'Why?' })).toEqual([{ role: 'user', content: 'Why?' }])
  expect(() => prompt.messages({ question: 'Why?', __evalId: 1 })).toThrow('__evalId')
  expect(prompt.messages({ question: 'Why?', __evalId: 1 }, { unknown: 'ignore' })).toHaveLength(1)
  expect(() => prompt.messages({ __evalId: 1 }, { unknown: 'ignore' })).toThrow('question: missing')
  const text = await client.get('acme/help@2.0.0')
  expect(text).toMatchObject({ format: 'text', label: null })
  expect(text.fill({ unknown: 'x' })).toBe('{{role "user"}}\nx')
  expect(text.fill({ unknown: 'x', more: 1 }, { unknown: 'ignore' })).toContain('x')
})

const PROGRAM = `
import copy, json, multiprocessing, pickle, sys
import prompt_hub

def fill(prompt):
    return prompt.fill({"unknown": "x"})

def code_of(work):
    try:
        return work()
    except prompt_hub.PromptHubError as error:
        return error.code + " " + ",".join(problem.name for problem in error.problems)

if __name__ == "__main__":
    hub = prompt_hub.PromptHub(sys.argv[1], token="secret-token")
    chat, text = hub.get("acme/help@live"), hub.get("acme/help@2.0.0")
    got = [chat.format, chat.label, text.format, text.label]
    data = pickle.dumps(chat)
    again = pickle.loads(data)
    got += [again == chat, copy.deepcopy(chat) == chat, b"secret-token" in data, code_of(again.results)]
    got.append(again.messages(question="Why?"))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        got.append(pool.map(fill, [text])[0])
    got.append(text.fill(unknown="y"))
    got.append(text.fill({"unknown": "z", "more": 1}, unknown="ignore"))
    got.append(code_of(lambda: text.fill({"unknown": "z", "more": 1})))
    got.append(code_of(lambda: text.fill({"unknown": "z"}, unknown="skip")))
    error = pickle.loads(pickle.dumps(prompt_hub.PromptHubError("refused", "No", status=403)))
    got.append([error.code, str(error), error.status])
    print(json.dumps(got))
`

test('Python: format, label, pickle, and values that the prompt does not have', async () => {
  const env = { ...process.env, PYTHONPATH: 'clients/python' }
  const { stdout } = await run('python3', ['-c', PROGRAM, hub.url], { env })
  expect(JSON.parse(stdout)).toEqual([
    'chat',
    'live',
    'text',
    null,
    true,
    true,
    false,
    'invalid_request ',
    [{ role: 'user', content: 'Why?' }],
    '{{role "user"}}\nx',
    '{{role "user"}}\ny',
    '{{role "user"}}\nz',
    'invalid_values more',
    'invalid_request ',
    ['refused', 'No', 403],
  ])
})
