// The commands that publish prompt files and folders of skills, and that check them.
import { existsSync } from 'node:fs'
import { FULL_NAME } from '../lock.ts'
import { readWish } from '../ranges.ts'
import { PromptHubError } from '../trouble.ts'
import { type Command, define, flag, invalid, WrongUse } from './define.ts'
import { check, hubUrl, type Published, publish, takeToken } from './hub.ts'
import {
  addAttestations,
  describeUnread,
  expand,
  lastSubject,
  type Named,
  namePrompt,
  readBody,
  refuseAll,
  requireWholeSkill,
} from './sources.ts'
import { complain, note, say, sayJson } from './terminal.ts'

const BUMPS = ['auto', 'major', 'minor', 'patch']
const text = { type: 'string' } as const
const MOST = 10_000

/** A file with what became of it. */
interface Outcome extends Named {
  answer?: Published
  error?: PromptHubError
}

/** `push`. */
export const pushCommand: Command = define({
  takes: [1, MOST],
  options: {
    owner: text,
    message: { type: 'string', short: 'm' },
    bump: text,
    'dry-run': flag,
    'allow-breaking': flag,
    raw: flag,
    format: text,
    skill: text,
    compose: flag,
    label: { type: 'string', multiple: true, default: [] as string[] },
    attestation: { type: 'string', multiple: true, default: [] as string[] },
    json: flag,
  },
  async run(words, values) {
    const { named, problems, changelog, bump, isOne } = await readWords(words, values)
    const { format, skill, raw, attestation, compose } = values
    requireBump(bump)
    if (!values.label.every((label) => readWish(label)?.kind === 'label'))
      throw invalid('--label: expected a name such as production')
    if (format !== undefined && !['text', 'chat'].includes(format))
      throw invalid(`--format: expected text or chat, got ${format || 'nothing'}`)
    if (attestation.length > 0 && named.length + problems.length > 1)
      throw invalid('--attestation: expected one prompt')
    const url = hubUrl()
    const isDry = values['dry-run']
    const token = isDry ? '' : takeToken(url)
    const read = async ({ place, prompt }: Named) => {
      if (!raw) requireWholeSkill(place)
      const read = await readBody(place, complain)
      const body = await addAttestations(place, read, attestation)
      if (body.type === 'application/gzip' && attestation.length === 0 && (raw || format || skill))
        throw invalid(`${place} is a folder: expected no --raw, --format or --skill; its SKILL.md has the description`)
      const query = {
        bump,
        changelog: changelog ?? (place === '-' ? undefined : await lastSubject(place)),
        allow_breaking: values['allow-breaking'] ? undefined : 'false',
        format,
        skill,
        compose: compose ? 'true' : undefined,
        labels: values.label.join(',') || undefined,
      }
      const given = { url, prompt, body: { ...body, bytes: raw ? asText(body.bytes) : body.bytes }, query }
      return () => (isDry ? check(given) : publish(given, token))
    }
    const outcomes = await sendAll(named, problems, read)
    const describe = isDry ? describeDry : describePublished
    for (const outcome of outcomes) showOutcome(outcome, isOne, values.json, describe)
    if (values.json && !isOne) sayJson({ data: outcomes.map(toJson) })
    showErrors(outcomes, isOne)
  },
})

/** `check`. */
export const checkCommand: Command = define({
  takes: [1, MOST],
  options: { owner: text, bump: text, 'allow-breaking': flag, json: flag },
  async run(words, { owner, bump = 'auto', json, ...values }) {
    requireBump(bump)
    const { named, problems } = await nameAll(words, owner)
    const url = hubUrl()
    const query = { bump, allow_breaking: values['allow-breaking'] ? undefined : 'false' }
    const outcomes = await sendAll(named, problems, async ({ place, prompt }) => {
      const body = await readBody(place, complain)
      return () => check({ url, prompt, body, query })
    })
    for (const outcome of outcomes) showOutcome(outcome, false, json, describeCheck)
    if (json) sayJson({ data: outcomes.map(toJson) })
    showErrors(outcomes, false)
  },
})

/** Reads the two forms of `push`: files alone, or one prompt with its file. */
async function readWords(
  words: readonly string[],
  { owner, message, bump }: { owner?: string; message?: string; bump?: string },
): Promise<Everything & { changelog: string | undefined; bump: string; isOne: boolean }> {
  const [prompt = '', place, changelog, number, ...rest] = words
  // One word such as acme/letters is a folder.
  const isOne = owner === undefined && FULL_NAME.test(prompt) && !(words.length === 1 && existsSync(prompt))
  if (!isOne) return { ...(await nameAll(words, owner)), changelog: message, bump: bump ?? 'auto', isOne }
  if (place === undefined || rest.length > 0) throw new WrongUse()
  if ([message, bump].some((each) => each !== undefined) && changelog !== undefined)
    throw invalid(`push ${prompt} ${place}: expected the changelog and the bump after the file, or -m and --bump`)
  if (place !== '-' && !existsSync(place)) throw invalid(`there is no file ${place || 'without a name'}`)
  const one = { named: [{ place, prompt }], problems: [] }
  return { ...one, changelog: changelog ?? message, bump: number ?? bump ?? 'auto', isOne }
}

/** All files and folders that a command names. */
interface Everything {
  named: Named[]
  /** Why the others have no name. */
  problems: string[]
}

/** Names the prompts of all files. @throws PromptHubError `invalid_request` for what concerns all of them */
async function nameAll(words: readonly string[], owner: string | undefined): Promise<Everything> {
  if (owner !== undefined && !FULL_NAME.test(`${owner}/x`))
    throw invalid(`--owner: expected an owner such as acme, got ${owner || 'nothing'}`)
  if (words.includes('-')) throw invalid('standard input has no name; use: prompt-hub push <owner>/<name> -')
  const problems: string[] = []
  const collect = async <Value>(place: string, work: Promise<Value>) =>
    work.catch((error: unknown) => {
      problems.push(describeUnread(error, place))
    })
  const places: string[] = []
  for (const word of words) places.push(...((await collect(word, expand(word))) ?? []))
  const named = new Map<string, Named>()
  for (const place of new Set(places)) {
    const each = await collect(place, namePrompt(place, owner))
    const other = each && named.get(each.prompt)
    if (other) problems.push(`${other.place} and ${place} would both be the prompt ${other.prompt}; rename one`)
    else if (each) named.set(each.prompt, each)
  }
  return { named: [...named.values()], problems }
}

/** @throws PromptHubError `invalid_request` */
export function requireBump(bump: string): void {
  if (!BUMPS.includes(bump)) throw invalid(`bump: expected major, minor, patch or auto, got ${bump || 'nothing'}`)
}

/** With --raw, content that could begin with front matter follows empty front matter. */
function asText(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return /^(?:\xef\xbb\xbf)?---/.test(Buffer.from(bytes.slice(0, 6)).toString('latin1'))
    ? new Uint8Array(Buffer.concat([Buffer.from('---\n---\n'), bytes]))
    : bytes
}

/**
 * Reads all files, then sends them one after the other. What the hub rejects does not keep the others from being sent; any other trouble would meet them too.
 *
 * @param unnamed the problems of what has no name
 * @param read reads a file, and returns what sends it
 * @throws PromptHubError `invalid_request` naming every problem, before anything is sent
 */
async function sendAll(
  named: readonly Named[],
  unnamed: readonly string[],
  read: (named: Named) => Promise<() => Promise<Published>>,
): Promise<Outcome[]> {
  const problems = [...unnamed]
  const ready: { each: Named; send: () => Promise<Published> }[] = []
  for (const each of named)
    try {
      ready.push({ each, send: await read(each) })
    } catch (error) {
      problems.push(describeUnread(error, each.place))
    }
  refuseAll(problems, complain)
  const outcomes: Outcome[] = []
  for (const [index, { each, send }] of ready.entries()) {
    const outcome: Outcome = { ...each }
    outcomes.push(outcome)
    try {
      outcome.answer = await send()
    } catch (error) {
      if (!(error instanceof PromptHubError)) throw error
      outcome.error = error
      if (error.code !== 'unavailable' && error.status !== 401) continue
      const rest = ready.length - index - 1
      if (rest > 0) complain(`${rest === 1 ? 'one more was' : `${rest} more were`} not sent`)
      break
    }
  }
  return outcomes
}

function showOutcome(
  { place, prompt, answer }: Outcome,
  isOne: boolean,
  isJson: boolean,
  describe: (answer: Published) => string,
): void {
  if (!answer) return
  const isShown = !answer.unchanged || isOne
  for (const { message, line } of isShown ? answer.warnings : [])
    complain(`warning: ${isOne ? '' : `${place}: `}${message}${line === null ? '' : ` (line ${line})`}`)
  if (answer.page && isOne) note(`its page is ${answer.page}`)
  if (isJson && isOne) say(answer.text.trimEnd())
  if (!isJson) say(`${isOne ? '' : `${prompt} `}${answer.version}${describe(answer)}`)
}

/** What follows the version of a publish. */
export function describePublished({ url, breaking, unchanged, hasCommit }: Published): string {
  const state = unchanged ? ` (unchanged${hasCommit ? ', except for its details' : ''})` : ''
  return ` ${url}${breaking ? ' (breaking)' : ''}${state}`
}

/** What follows the version of a dry run. */
export function describeDry({ breaking, unchanged, fields }: Published): string {
  if (!unchanged) return `${breaking ? ' (breaking)' : ''} would be published`
  return ` is unchanged${fields.length > 0 ? `, except for ${fields.join(', ')}` : ''}`
}

function describeCheck({ breaking, reasons, unchanged, fields }: Published): string {
  if (unchanged && fields.length === 0) return ' (unchanged)'
  return breaking ? ` (breaking: ${reasons.join(', ')})` : ''
}

const toJson = ({ place, prompt, answer, error }: Outcome) => ({
  file: place,
  prompt,
  ...(answer ? answer.data : { error: error?.message }),
})

/** Names all problems, and sets the exit code of the first. @throws PromptHubError the problem, if there is one prompt */
function showErrors(outcomes: readonly Outcome[], isOne: boolean): void {
  const failed = outcomes.flatMap(({ place, error }) => (error ? [{ place, error }] : []))
  const [first] = failed
  if (!first) return
  if (isOne) throw first.error
  for (const { place, error } of failed.slice(0, -1)) complain(`${place}: ${error.message}`)
  const { place, error } = failed.at(-1)!
  const status = (failed.find(({ error }) => error.status === 401 || error.status === 403) ?? { error }).error.status
  throw new PromptHubError(error.code, `${place}: ${error.message}`, status === undefined ? {} : { status })
}
