// Checks the exports with other tools' packages: they read every prompt in the starter catalogue, and fill it in as the
// hub does.

import { load } from '@langchain/core/load'
import { ChatPromptClient, TextPromptClient } from '@langfuse/client'
import { Dotprompt } from 'dotprompt'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { toExported, WRITERS } from '../../packages/prompt-formats/source/formats.ts'
import { loadCatalogue } from '../../scripts/bench/load-catalogue.ts'
import { readConfig } from '../../src/config.ts'
import type { ExportFormat } from '../../src/domain/api/export-formats.ts'
import { fillMessages } from '../../src/domain/content/filling.ts'
import { isChatMessage } from '../../src/domain/values/chat.ts'

interface Message {
  role: string
  content: string
}

const HISTORY: Message[] = [{ role: 'user', content: 'Earlier' }]
const catalogue = loadCatalogue(readConfig({ CONTENT_DIR: 'content', SITE_URL: 'https://hub.example' }))
const prompts = [...catalogue.entries.values()].flatMap(({ repository }) => {
  const { latest_version: version, content, content_sha256, format, variables, parameters } = repository
  if (version === null || content === null || content_sha256 === null || format === null) return []
  const exported = toExported(repository, {
    version,
    content,
    content_sha256,
    format,
    variables,
    parameters,
    changelog: '',
    skill: repository.skill,
  })
  // These values break template engines that expand or escape values.
  const values = Object.fromEntries(
    variables.map(({ name, type, options }, index) => [
      name,
      type === 'enum' ? options[0]! : type === 'string' ? `<b> & "${index}" \\ $1` : type === 'boolean' ? true : index,
    ]),
  )
  const parts = exported.body.format === 'chat' ? exported.body.messages : [{ role: 'user' as const, content }]
  const filled = fillMessages({ messages: parts, variables }, values, 'strict').value!.messages
  const messages = filled.flatMap((part): Message[] => (isChatMessage(part) ? [part] : HISTORY))
  return [{ fullName: repository.full_name, exported, values, messages }]
})
type Prompt = (typeof prompts)[number]

/** Reads every prompt that a format can represent. @returns how many prompts were read, and how many were rejected */
async function readAll(format: ExportFormat, read: (text: string, prompt: Prompt) => Promise<Message[]> | Message[]) {
  let count = 0
  let refused = 0
  for (const prompt of prompts) {
    const { file } = WRITERS[format](prompt.exported)
    if (!file) {
      refused++
      continue
    }
    expect([prompt.fullName, await read(file.text, prompt)]).toEqual([prompt.fullName, prompt.messages])
    count++
  }
  return { count, refused }
}

const asTexts = (values: Prompt['values']) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

test('dotprompt renders exported prompts as the hub does', async () => {
  const dotprompt = new Dotprompt()
  const history = HISTORY.map(({ content }) => ({ role: 'user' as const, content: [{ text: content }] }))
  const roles: Readonly<Record<string, string>> = { model: 'assistant' }
  const outcome = await readAll('dotprompt', async (text, { values, messages }) => {
    const earlier = messages.includes(HISTORY[0]!) ? { messages: history } : {}
    const { messages: rendered } = await dotprompt.render(text, { input: values, ...earlier })
    // dotprompt trims line breaks at both ends of a prompt; the hub keeps them.
    const trim = (content: string, wanted: string | undefined) => (content === wanted?.trim() ? wanted : content)
    return rendered.map(({ role, content }, index) => ({
      role: roles[role] ?? role,
      content: trim(
        content
          .map((part) => part.text ?? '')
          .join('')
          .trim(),
        messages[index]?.content,
      ),
    }))
  })
  expect(outcome).toEqual({ count: prompts.length, refused: 0 })
})

test('LangChain renders exported prompts as the hub does', async () => {
  const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system' }
  const outcome = await readAll('langchain', async (text, { exported, values }) => {
    const template = await load<{
      format(values: object): Promise<string>
      formatMessages(values: object): Promise<{ getType(): string; content: string }[]>
    }>(text)
    if (exported.body.format === 'text') return [{ role: 'user', content: await template.format(asTexts(values)) }]
    const messages = await template.formatMessages({ ...asTexts(values), history: HISTORY })
    return messages.map((message) => ({ role: roles[message.getType()]!, content: message.content }))
  })
  expect(outcome).toEqual({ count: prompts.length, refused: 0 })
})

test('Langfuse renders exported prompts as the hub does', async () => {
  const outcome = await readAll('langfuse', (text, { values }) => {
    const prompt = { ...JSON.parse(text), version: 1, labels: ['production'] }
    if (prompt.type === 'text')
      return [{ role: 'user', content: new TextPromptClient(prompt).compile(asTexts(values)) }]
    const messages = new ChatPromptClient(prompt).compile(asTexts(values), { history: HISTORY as never })
    return messages.map(({ role, content }) => ({ role, content }))
  })
  expect(outcome).toEqual({ count: prompts.length, refused: 0 })
})

test('exported GitHub Models YAML renders as on the hub', async () => {
  const outcome = await readAll('github', (text, { values }) => {
    const { messages } = parse(text) as { messages: Message[] }
    const names = Object.entries(asTexts(values))
    return messages.map(({ role, content }) => ({
      role,
      content: names.reduce((all, [name, value]) => all.replaceAll(`{{${name}}}`, () => value), content),
    }))
  })
  // The format does not support earlier messages.
  const withHistory = prompts.filter(
    ({ exported: { body } }) => body.format === 'chat' && !body.messages.every(isChatMessage),
  )
  expect(outcome).toEqual({ count: prompts.length - withHistory.length, refused: withHistory.length })
})
