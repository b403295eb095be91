// The command that writes prompts in the formats of other tools: one, or all of an owner.
import { existsSync, lstatSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../files.ts'
import { FULL_NAME } from '../lock.ts'
import { isVersion, readWish } from '../ranges.ts'
import { isObject } from '../records.ts'
import { PromptHubError } from '../trouble.ts'
import { type Command, define, invalid } from './define.ts'
import { hubUrl, read } from './hub.ts'
import { findPrompt, output, requireOutput, WHICH, write } from './read.ts'
import { complain, say, sayBytes } from './terminal.ts'

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** A name without a folder, which no system treats specially. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const SKILL = 'SKILL.md'

/** `export`. */
export const exportCommand: Command = define({
  takes: [1, 1],
  options: { ...WHICH, to: { type: 'string' }, output },
  async run([name = ''], { to, output, ...which }) {
    if (to === undefined || to.length > 40 || !SLUG.test(to))
      throw invalid(`--to: expected a format such as dotprompt, got ${to || 'nothing'}`)
    if (SLUG.test(name)) return exportOwner(name, to, output, which)
    if (output !== undefined) requireOutput(output)
    const { name: fullName, version } = await findPrompt(name, which)
    const { bytes, lost } = await readExport({ name: fullName, version: version ?? '' }, to)
    if (lost !== null) complain(`${to} has no place for: ${lost}`)
    if (output === undefined) sayBytes(bytes)
    else await write(output, bytes)
  },
})

interface Wanted {
  name: string
  version: string
}

async function readExport({ name, version }: Wanted, to: string) {
  const { text, headers } = await read(hubUrl(), `/api/v1/repos/${name}/versions/${version}/export/${to}`)
  if (headers.get('X-Prompt-Version') !== version)
    throw new PromptHubError('unavailable', `${hubUrl()} did not return an export; is it a Prompt Hub?`)
  const [, file = ''] = /filename="([^"]*)"/.exec(headers.get('Content-Disposition') ?? '') ?? []
  return { bytes: new TextEncoder().encode(text), file, lost: headers.get('Export-Lost') }
}

/** Writes each prompt of an owner to a folder. What a format cannot represent is reported, and the others are written. */
async function exportOwner(
  owner: string,
  to: string,
  folder: string | undefined,
  { version, label, at }: { version?: string; label?: string; at?: string },
): Promise<void> {
  if (version !== undefined || at !== undefined) throw invalid('expected no --version or --at beside an owner')
  if (label !== undefined && readWish(label)?.kind !== 'label')
    throw invalid(`--label: expected a name such as production, got ${label || 'nothing'}`)
  if (!folder) throw invalid(`-o: expected a folder for the prompts of ${owner}`)
  if (existsSync(folder) && !lstatSync(folder).isDirectory()) throw invalid(`-o: ${folder} is not a folder`)
  let [written, refused] = [0, 0]
  const losses = new Map<string, number>()
  for (const wanted of await listPrompts(owner, label, to === 'skill')) {
    try {
      const { bytes, file, lost } = await readExport(wanted, to)
      if (!FILE_NAME.test(file))
        throw new PromptHubError('unavailable', `${hubUrl()} did not name the file; is it a Prompt Hub?`)
      // The folder of a skill has its name.
      const place = file === SKILL ? join(folder, wanted.name.slice(owner.length + 1)) : folder
      await mkdir(place, { recursive: true })
      await writeWhole(join(place, file), bytes)
      if (lost !== null) losses.set(lost, (losses.get(lost) ?? 0) + 1)
      written++
    } catch (error) {
      if (!(error instanceof PromptHubError) || error.status !== 422) throw error
      complain(`${wanted.name}: ${error.message}`)
      refused++
    }
  }
  if (written + refused === 0) throw new PromptHubError('not_found', `${owner} has no such prompts on ${hubUrl()}`)
  for (const [lost, count] of losses) complain(`${to} has no place for: ${lost} (${count} of ${written})`)
  say(`${written} written to ${folder}${refused > 0 ? `, ${refused} refused` : ''}`)
  if (refused > 0) process.exitCode = 4
}

/** Lists an owner's prompts at a label, or their latest versions. */
async function listPrompts(owner: string, label: string | undefined, areSkills: boolean): Promise<Wanted[]> {
  const path = `/api/v1/users/${owner}${label === undefined ? '' : `/labels/${label}`}`
  const { text } = await read(hubUrl(), path)
  const rows = readListed(text)
  const found = rows?.flatMap(({ full_name: name, latest_version: latest, version = latest, kind }) => {
    if (version === null || (areSkills && kind !== undefined && kind !== 'skill')) return []
    const isNamed = typeof name === 'string' && FULL_NAME.test(name) && name.startsWith(`${owner}/`)
    return isNamed && typeof version === 'string' && isVersion(version) ? [{ name, version }] : [undefined]
  })
  if (found?.every((each) => each !== undefined)) return found
  throw new PromptHubError('unavailable', `${hubUrl()} did not return a list of prompts; is it a Prompt Hub?`)
}

/** The rows of a list, or of the record of an owner. */
function readListed(text: string): Record<string, unknown>[] | undefined {
  try {
    const { data }: { data?: unknown } = JSON.parse(text)
    const rows = isObject(data) ? data.repos : data
    return Array.isArray(rows) && rows.every(isObject) ? rows : undefined
  } catch {
    return undefined
  }
}
