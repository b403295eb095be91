// The command that brings prompts of other tools to a hub: from files and folders, or from Langfuse.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HubManager } from '../prompt-hub.ts'
import { PromptHubError } from '../trouble.ts'
import { type Command, define, flag, invalid } from './define.ts'
import { type Line, type OnHub, openFormats, type PromptToPublish, type VersionToPublish } from './formats.ts'
import { check, hubUrl, LIMITS, publish, readVersions, takeToken } from './hub.ts'
import { fetchLangfuse } from './langfuse.ts'
import type { Body } from './sources.ts'
import { packTar } from './tar.ts'
import { say } from './terminal.ts'

const text = { type: 'string' } as const

/** `import`. */
export const importCommand: Command = define({
  takes: [1, 10_000],
  options: { owner: text, from: text, license: text, 'without-variables': flag, 'dry-run': flag, json: flag },
  async run(words, { 'without-variables': keepsText, 'dry-run': isDry, json, ...choices }) {
    const formats = await openFormats()
    const isLangfuse = words.some((word) => /^https?:\/\//.test(word))
    if (isLangfuse && (words.length > 1 || choices.from !== 'langfuse'))
      throw invalid('expected one URL beside --from langfuse, or files and folders')
    const url = hubUrl()
    const token = isDry ? undefined : takeToken(url)
    const read = (paths: readonly string[]) => {
      try {
        return formats.readToPublish(paths, { ...choices, keepsText })
      } catch (error) {
        throw invalid(error instanceof Error ? error.message : String(error))
      }
    }
    const { owner, prompts, lines, skipped } = isLangfuse ? await readLangfuse(words[0]!, read) : read(words)
    if (prompts.length + lines.length === 0)
      throw invalid('no prompts found; specify a format with --from, or pass other paths')
    const onHub = new Map<number, OnHub>()
    for (const prompt of prompts) lines.push(await send(prompt, { url, owner, token, onHub }))
    if (json) say(formats.formatImport(lines))
    else say(formats.describeImport(lines, skipped, owner, isDry ? 'Would publish' : 'Published').join('\n'))
    if (lines.some(({ status }) => status === 'refused')) process.exitCode = 4
  },
})

/** Fetches the prompts of a Langfuse project, and reads them like the file of an export. */
async function readLangfuse<Found extends { lines: Line[]; prompts: PromptToPublish[] }>(
  address: string,
  read: (paths: readonly string[]) => Found,
): Promise<Found> {
  const folder = await mkdtemp(join(tmpdir(), 'prompt-hub-'))
  try {
    const file = join(folder, 'langfuse.json')
    await writeFile(file, JSON.stringify(await fetchLangfuse(address)))
    const found = read([file])
    for (const line of [...found.lines, ...found.prompts.map((each) => each.line)]) line.path = address
    return found
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Target {
  url: string
  owner: string
  /** Undefined for a dry run. */
  token: string | undefined
  onHub: Map<number, OnHub>
}

/** Publishes the versions of a prompt that the hub does not have, in order, and sets its labels. @returns its line of the report */
async function send({ index, line, versions }: PromptToPublish, target: Target): Promise<Line> {
  if (line.reasons.length > 0) return { ...line, status: 'refused' }
  const { url, owner, token, onHub } = target
  const name = `${owner}/${line.name}`
  const lost = [...line.lost]
  const numbers = new Map<string, string>()
  const labels = new Map<string, string>()
  try {
    const rows = await readVersions(url, name)
    const before = rows.at(-1)?.version
    const known = findKnown(versions, rows)
    let [version, isChanged, hasCommit] = [before, false, false]
    for (const [at, each] of versions.entries()) {
      const there = known[at]
      const isLatest = there !== undefined && there === before
      if (there !== undefined && !(isLatest && at === versions.length - 1)) {
        version = there
        if (at === versions.length - 1) lost.push(`version: ${there} is on the hub, and newer ones are above it`)
      } else if (token === undefined && at < versions.length - 1) {
        // Only the first version can be checked: each of the others depends on the one before.
        isChanged = true
        continue
      } else {
        const written = each.write((other) => onHub.get(other))
        lost.push(...written.kept)
        const given = {
          url,
          prompt: name,
          body: bodyOf(each, written.text),
          query: queryOf(each, written.compose, before === undefined && versions.length > 1),
        }
        const answer = token === undefined ? await check(given) : await publish(given, token)
        version = answer.version
        isChanged ||= !answer.unchanged
        hasCommit ||= answer.hasCommit || answer.fields.length > 0
      }
      if (each.number !== undefined) numbers.set(each.number, version!)
      for (const label of each.labels) labels.set(label, version!)
    }
    const isLabelled = token !== undefined && (await setLabels(name, labels, target, lost))
    onHub.set(index, { versions: numbers, labels: new Set(isLabelled ? labels.keys() : []) })
    const status = before === undefined ? 'new' : isChanged ? 'changed' : hasCommit ? 'updated' : 'unchanged'
    return { ...line, status, version: version ?? null, lost }
  } catch (error) {
    if (!(error instanceof PromptHubError) || error.code !== 'refused' || error.status === 401) throw error
    return { ...line, status: 'refused', lost, reasons: [error.message] }
  }
}

/** Sets labels, if the token may. @returns whether it did */
async function setLabels(
  name: string,
  labels: ReadonlyMap<string, string>,
  { url, token = '' }: Target,
  lost: string[],
): Promise<boolean> {
  const hub = new HubManager({ url, token, ...LIMITS })
  try {
    for (const [label, version] of labels) await hub.setLabel(name, label, version)
    return true
  } catch (error) {
    if (!(error instanceof PromptHubError) || !['refused', 'not_found'].includes(error.code)) throw error
    lost.push(`labels: ${[...labels.keys()].join(', ')}: ${error.message}`)
    return false
  }
}

/**
 * Finds the versions of a source that the hub has, in order, so that an import that is repeated adds only new ones.
 *
 * @param rows those of the hub, lowest first
 * @returns the version on the hub for each, or undefined
 */
export function findKnown(
  versions: readonly Pick<VersionToPublish, 'sha256'>[],
  rows: readonly { version: string; content_sha256: string }[],
): (string | undefined)[] {
  let at = -1
  return versions.map(({ sha256 }) => {
    const isNext = (row: number) =>
      rows[row] !== undefined && (sha256 === undefined || rows[row].content_sha256 === sha256)
    // Two versions of the source may differ only in what a hub does not store.
    const later = rows.findIndex((row, index) => index > at && row.content_sha256 === sha256)
    const found = isNext(at + 1) ? at + 1 : at >= 0 && isNext(at) ? at : later
    if (found < 0) return undefined
    at = found
    return rows[found]!.version
  })
}

function bodyOf({ files }: VersionToPublish, written: string): Body {
  const bytes = new Uint8Array(Buffer.from(written))
  if (files.length === 0) return { bytes, type: 'text/markdown' }
  const all = files.map(({ path, read }) => [path, read()] as const)
  return { bytes: packTar([['prompt.md', bytes], ...all]), type: 'application/gzip' }
}

/** @param isHistory whether the source had this version before the prompt was on the hub; such versions are numbered by minor versions, whatever changed */
const queryOf = ({ changelog }: VersionToPublish, compose: boolean, isHistory: boolean) => ({
  changelog: changelog || 'Imported',
  bump: isHistory ? 'minor' : 'auto',
  compose: compose ? 'true' : undefined,
})
