// The commands that read prompts: cat, pull, render, search and versions.
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArguments } from '../arguments.ts'
import { fillChat } from '../chat.ts'
import { openLock, readLockFile, writeWhole } from '../files.ts'
import { fillContent, type Values } from '../filling.ts'
import type { Prompt } from '../prompt.ts'
import { PromptHub } from '../prompt-hub.ts'
import { isVersion, readWish } from '../ranges.ts'
import { isObject } from '../records.ts'
import { judge, noticesOf } from '../review.ts'
import { PromptHubError } from '../trouble.ts'
import { type Command, define, flag, invalid } from './define.ts'
import { hubUrl, read, readRows, readVersionPages, texts } from './hub.ts'
import { enterProject } from './lock-place.ts'
import { decodeText, readBounded } from './sources.ts'
import { clean, complain, note, say, sayBytes, sayJson, sayTable } from './terminal.ts'

const text = { type: 'string' } as const
const list = { type: 'string', multiple: true, default: [] as string[] } as const
/** The option -o. */
export const output = { type: 'string', short: 'o' } as const
/** The options that choose a version. */
export const WHICH = { version: { type: 'string' }, label: { type: 'string' }, at: { type: 'string' } } as const
const LOCK = 'prompts.lock'
const MAX_VALUE_BYTES = 1_048_576

/** Which version to read. */
interface Which {
  version?: string
  label?: string
  at?: string
  locked?: boolean
  /** Names the caller. */
  key?: string
}

/** The address of a proposal, which only `cat` reads. */
const PROPOSAL = /^([a-z0-9-]+\/[a-z0-9-]+)@proposal:([0-9a-f]{32})$/

/** `cat`. */
export const catCommand: Command = define({
  takes: [1, 1],
  options: { ...WHICH, locked: flag, key: text },
  async run([name = ''], which) {
    const [, prompt, proposal] = PROPOSAL.exec(name) ?? []
    if (proposal !== undefined) {
      const answer = await read(hubUrl(), `/api/v1/repos/${prompt}/proposals/${proposal}/raw`)
      return sayBytes(new TextEncoder().encode(answer.text))
    }
    sayBytes(new TextEncoder().encode((await findPrompt(name, which)).content))
  },
})

/** `pull`. */
export const pullCommand: Command = define({
  takes: [1, 1],
  options: { ...WHICH, locked: flag, output },
  async run([name = ''], { output = 'PROMPT.md', ...which }) {
    requireOutput(output)
    await write(output, new TextEncoder().encode((await findPrompt(name, which)).content))
  },
})

/** `render`. */
export const renderCommand: Command = define({
  takes: [1, 1],
  options: { ...WHICH, locked: flag, var: list, 'var-file': list, messages: flag, history: text },
  async run([name = ''], { var: given, 'var-file': files, messages, history, ...which }) {
    const values = await readValues(given, files)
    const earlier = history === undefined ? [] : await readHistory(history)
    const prompt = await findPrompt(name, which)
    const { content, variables } = prompt
    if (!messages && history === undefined) sayBytes(new TextEncoder().encode(fillContent(content, variables, values)))
    else sayJson(fillChat(content, variables, values, earlier))
  },
})

/** `search`. */
export const searchCommand: Command = define({
  takes: [1, 1],
  options: { kind: { type: 'string', default: '' }, json: flag, header: flag },
  async run([words = ''], { kind, json, header }) {
    const path = `/api/v1/repos?${new URLSearchParams({ q: words, kind })}`
    const { rows, meta, text: answer } = await readRows(hubUrl(), path)
    if (json) return say(answer.trimEnd())
    const row = (each: Record<string, unknown>) => {
      const status = cell(each.status)
      const title = cell(each.title)
      return [cell(each.full_name), cell(each.latest_version), status === 'active' ? title : `${title} (${status})`]
    }
    sayTable(['NAME', 'VERSION', 'TITLE'], rows.map(row), header)
    const { corrected, ignored } = isObject(meta.matched) ? meta.matched : {}
    const used = isObject(corrected)
      ? Object.entries(corrected).map(([typed, word]) => `${cell(word)} for ${typed}`)
      : []
    if (used.length > 0) complain(`searched ${used.join(', ')}`)
    if (texts(ignored).length > 0) complain(`ignored words: ${texts(ignored).join(', ')}`)
    if (rows.length === 0) complain('nothing found')
    else if (Number(meta.total) > rows.length)
      complain(`showing the best ${rows.length} of ${meta.total}; add words to narrow the search`)
  },
})

/** `versions`. */
export const versionsCommand: Command = define({
  takes: [1, 1],
  options: { json: flag, header: flag },
  async run([name = ''], { json, header }) {
    const rows = await readVersionPages(hubUrl(), name)
    if (json) return sayJson({ data: rows, meta: { page: 1, pages: 1, total: rows.length } })
    const row = (each: Record<string, unknown>) => {
      const reason = cell(each.yank_reason)
      const yanked = each.yanked === true ? `[yanked${reason === '' ? '' : `: ${reason}`}] ` : ''
      const day = cell(each.published_at).slice(0, 10)
      return [cell(each.version), day, cell(each.published_by), yanked + cell(each.changelog)]
    }
    sayTable(['VERSION', 'PUBLISHED', 'BY', 'CHANGELOG'], rows.map(row), header)
    if (rows.length === 0) complain('nothing found')
  },
})

/** Reads the prompt that a command names. */
export async function findPrompt(name: string, { version, label, at, key, locked = false }: Which): Promise<Prompt> {
  if (version !== undefined && !isVersion(version))
    throw invalid(`--version: expected a version such as 1.2.0, got ${version || 'nothing'}`)
  if (label !== undefined && readWish(label)?.kind !== 'label')
    throw invalid(`--label: expected a name such as production, got ${label || 'nothing'}`)
  const { fullName, wish } = parseArguments(name, {
    ...(version !== undefined && { version }),
    ...(label !== undefined && { label }),
  })
  if (key !== undefined && (wish?.kind !== 'label' || at !== undefined))
    throw invalid('--key: expected a label beside it, such as --label production, and no --at')
  if (locked && wish) throw invalid('--locked: expected no version or label beside it')
  if (locked) await enterProject()
  if (locked) return new PromptHub({ lock: await openLock(LOCK) }).get(fullName)
  const hub = new PromptHub({ url: hubUrl() })
  if (at !== undefined) {
    if (wish?.kind !== 'label') throw invalid('--at: expected a label beside it, such as --label production')
    return hub.get(fullName, { version: await findAt(hub.url, fullName, wish.label, at) })
  }
  const prompt = await hub.get(
    fullName,
    wish?.kind === 'version'
      ? { version: wish.version }
      : wish?.kind === 'range'
        ? { range: wish.range }
        : { ...wish, ...(key !== undefined && { key }) },
  )
  if (prompt.name !== fullName) complain(`warning: ${fullName} has moved to ${prompt.name}`)
  await warn(hub, prompt)
  if (!wish) await tellOfLock(prompt)
  return prompt
}

/** The version to which a label pointed at a time. */
async function findAt(url: string, fullName: string, label: string, at: string): Promise<string> {
  if (!/^[0-9TZ:.+-]{1,40}$/.test(at))
    throw invalid(`--at: expected a time such as 2026-11-20T10:00:00Z, got ${at || 'nothing'}`)
  const { headers } = await read(url, `/api/v1/repos/${fullName}/raw?label=${label}&at=${encodeURIComponent(at)}`)
  const version = headers.get('X-Prompt-Version') ?? ''
  if (isVersion(version)) return version
  throw new PromptHubError('unavailable', `${url} did not say which version it sent; is it a Prompt Hub?`)
}

/** Says which version the lock has, when the latest one was read. */
async function tellOfLock({ name, version }: Prompt): Promise<void> {
  const lock = await readLockFile(LOCK).catch(() => undefined)
  const held = lock && Object.hasOwn(lock.prompts, name) ? lock.prompts[name]?.version : undefined
  if (held === undefined) return
  if (held === version) complain(`${name} ${version}, the latest and the one in ${LOCK}`)
  else complain(`${name} ${version}, the latest; ${LOCK} has ${held}, which --locked gives`)
}

/** Says what the hub says about a prompt and its version. No read fails without it. */
async function warn(hub: PromptHub, { name, version }: Prompt): Promise<void> {
  const state = await hub.readState(name, version ?? '').catch((error: unknown) => {
    if (!(error instanceof PromptHubError)) throw error
  })
  if (!state || version === null) return
  const row = state.rows.find((each) => each.version === version)
  const problems = row ? judge('', `${name} ${version}`, version, state.record, row) : []
  for (const { message } of [...problems, ...noticesOf(name, state.record)]) complain(`warning: ${message}`)
}

async function readValues(given: readonly string[], files: readonly string[]): Promise<Values> {
  const split = (option: string, pair: string): [string, string] => {
    const found = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(pair)
    if (!found) throw invalid(`${option}: expected <name>=<value>, got ${pair || 'nothing'}`)
    return [found[1]!, found[2]!]
  }
  const read = files.map(async (pair) => {
    const [name, path] = split('--var-file', pair)
    const bytes = await readBounded(path, MAX_VALUE_BYTES, path)
    return [name, decodeText(bytes, `--var-file ${name}: ${path}`)] as const
  })
  return Object.fromEntries([...given.map((pair) => split('--var', pair)), ...(await Promise.all(read))])
}

async function readHistory(path: string): Promise<object[]> {
  const written = decodeText(await readBounded(path, MAX_VALUE_BYTES, path), path)
  try {
    const found: unknown = JSON.parse(written)
    if (Array.isArray(found) && found.every(isObject)) return found
  } catch {
    // The error is thrown below.
  }
  throw invalid('--history: expected a JSON list of messages')
}

/** Fails before anything is sent, if no file can be written to a path. */
export function requireOutput(path: string): void {
  if (path === '') throw invalid('-o: expected a path, got nothing')
  if (!existsSync(dirname(path))) throw invalid(`there is no folder ${dirname(path)}`)
  if (!existsSync(path)) return
  const there = statSync(path)
  if (there.isDirectory()) throw invalid(`${path} is a folder; name a file in it`)
  // A device or a pipe would be replaced by a file.
  if (!there.isFile()) throw invalid(`${path} is not a regular file; prompt-hub cat writes to anything`)
}

/** Writes a file, and says so to a person. */
export async function write(path: string, bytes: Uint8Array): Promise<void> {
  await writeWhole(path, bytes).catch((cause: unknown) => {
    throw new PromptHubError('invalid_request', `cannot write ${path}`, { cause })
  })
  note(`wrote ${path}`)
}

/** The text of a value, for a table. */
const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : clean(JSON.stringify(value))
