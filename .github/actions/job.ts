// What the actions share: their inputs, lines for the log of a GitHub Actions job and for its summary, and OIDC tokens. The actions run the client of their own commit as it is, because Node 24 needs no build: pinning an action pins the client.
import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { isVersion } from '../../clients/typescript/source/ranges.ts'
import { isObject } from '../../clients/typescript/source/records.ts'

/** The code of the commit of these actions. */
export const CODE = resolve(import.meta.dirname, '../..')
const TRIES = 4
const TIMEOUT_MS = 30_000

/** An error that ends the job. */
export class Stop extends Error {}

/** @throws Stop */
export function stop(message: string): never {
  throw new Stop(message)
}

/** Returns an input of the action; empty if it is not given. */
export const input = (name: string): string => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim()

/** Gives later steps the outputs of the action. Their delimiters are unpredictable, because a value may be a text from elsewhere. */
export function output(values: Readonly<Record<string, string>>): void {
  const { GITHUB_OUTPUT: place } = process.env
  const lines = Object.entries(values).map(([name, value]) => {
    const end = `end-${randomUUID()}`
    return `${name}<<${end}\n${value}\n${end}\n`
  })
  if (place) appendFileSync(place, lines.join(''))
}

/** Installs the packages of this commit, once. They are pinned by their digests, and none of their scripts is run. @param reason what they are for */
export async function installPackages(reason: string): Promise<void> {
  if (existsSync(join(CODE, 'node_modules/zod'))) return
  const args = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', args, { cwd: CODE }).catch((error: unknown) =>
    stop(`Cannot install the packages that ${reason}: ${messageOf(error).slice(-1_000)}`),
  )
}

/** Prints a line. The runner reads commands (::set-output …) from a job's output, so text from files, names and hubs is never printed unchanged. */
export function show(text: string): void {
  const line = text
    .replace(/\p{Cc}/gu, ' ')
    .replaceAll('##[', '## [')
    .replaceAll('::', ': :')
  process.stdout.write(`${line}\n`)
}

/** Prints an error, and lets the job fail. */
export const fail = (message: string): void => annotate('error', message)

/** Prints an annotation; % and line breaks are escaped for the runner, and in a property also : and , @param line of the file */
export function annotate(kind: 'error' | 'warning', message: string, file = '', line = ''): void {
  const encode = (text: string, characters: RegExp) =>
    text
      .replace(characters, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
      .replace(/\p{Cc}/gu, ' ')
  const place = file === '' ? '' : ` file=${encode(file.replace(/\p{Cc}/gu, ' '), /[%:,]/g)}`
  const at = /^[1-9]\d{0,8}$/.test(line) ? `,line=${line}` : ''
  process.stderr.write(`::${kind}${place}${at}::${encode(message.slice(0, 5_000), /[%\r\n]/g)}\n`)
  if (kind === 'error') process.exitCode = 1
}

/** Runs an action, and reports what ends it. */
export async function runAction(main: () => Promise<void>): Promise<void> {
  if (isBehindProxy()) return runThroughProxy()
  try {
    await main()
  } catch (error) {
    fail(messageOf(error))
  }
}

/** Node.js uses the proxy of the runner only if it is told to when it starts. */
function isBehindProxy(): boolean {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, NODE_USE_ENV_PROXY } = process.env
  return NODE_USE_ENV_PROXY !== '1' && Boolean(http_proxy || HTTP_PROXY || https_proxy || HTTPS_PROXY)
}

/** Starts the action again, with the proxy. A token for a hub on this machine does not go through it, where others could read it. */
function runThroughProxy(): void {
  const { no_proxy = process.env.NO_PROXY } = process.env
  const direct = [no_proxy, 'localhost', '127.0.0.1'].filter(Boolean).join(',')
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', no_proxy: direct, NO_PROXY: direct }
  process.exitCode = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit', env }).status ?? 1
}

/** What an error says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** @throws Stop unless the job may request tokens */
export function requirePermission(hub: string): void {
  if (process.env.ACTIONS_ID_TOKEN_REQUEST_URL) return
  stop(
    `The job is not allowed to request OIDC tokens. Give it "permissions: {contents: read, id-token: write}". ${hub || 'The hub'}/docs/publishing#without-a-token explains how.`,
  )
}

/** @throws Stop unless a token may be sent to the hub */
export function requireHub(hub: string, message: string): void {
  const url = URL.canParse(hub) && !/\s/.test(hub) ? new URL(hub) : undefined
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isLocal) stop(message)
}

/** Requests a token whose audience is the hub, which is valid for one request. */
export async function requestToken(hub: string): Promise<string> {
  const url = new URL(process.env.ACTIONS_ID_TOKEN_REQUEST_URL ?? '')
  url.searchParams.set('audience', hub)
  const headers = { Authorization: `Bearer ${process.env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}` }
  const { value } = await askJson(url.href, { headers }).catch((): Record<string, unknown> => ({}))
  if (typeof value !== 'string' || !/^[\w.~+/=-]+$/.test(value)) stop('The issuer did not return a token.')
  process.stdout.write(`::add-mask::${value}\n`)
  return value
}

/** Asks for JSON. @param accepted statuses that are no error either @throws Error with the message in the answer */
export async function askJson(
  url: string,
  options: RequestInit = {},
  accepted: readonly number[] = [],
): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await fetch(url, { ...options, signal, redirect: 'error' }).catch((error: unknown) => {
      if (attempt >= TRIES) throw new Error(`${new URL(url).origin} did not respond: ${causeOf(error)}`)
    })
    if (answer && (answer.ok || (answer.status < 500 && answer.status !== 429) || attempt >= TRIES)) {
      const value: unknown = JSON.parse(await answer.text())
      const said = isObject(value) ? value : { list: value }
      if (answer.ok || accepted.includes(answer.status)) return said
      throw new Error(typeof said.message === 'string' ? said.message : `${url} answered ${answer.status}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 500 * attempt))
  }
}

/** A request to GitHub's API about the repository of the job. */
interface GitHubRequest {
  method: string
  /** Relative to the repository. */
  path: string
  body?: object | undefined
  /** Statuses that are no error either. */
  accepted?: readonly number[] | undefined
}

/** Asks GitHub with the input `token`. @param needs what the job may lack @throws Stop */
export async function askGitHub(
  { method, path, body, accepted }: GitHubRequest,
  needs: string,
): Promise<Record<string, unknown>> {
  const { GITHUB_API_URL: api = 'https://api.github.com', GITHUB_REPOSITORY: repository = '' } = process.env
  const headers = { Authorization: `Bearer ${input('token')}`, Accept: 'application/vnd.github+json' }
  const options = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return askJson(`${api}/repos/${repository}/${path}`, options, accepted).catch((error: unknown) =>
    stop(`GitHub: ${messageOf(error)}. ${needs}`),
  )
}

const causeOf = (error: unknown) => messageOf(error instanceof Error && error.cause ? error.cause : error)

/** Text as Markdown: names, settings and messages are text from prompts, so every character that could be markup becomes a character reference. */
export const markdown = (text: string): string =>
  [...text.slice(0, 500)].map((each) => (/[A-Za-z0-9 ]/.test(each) ? each : `&#${each.codePointAt(0)};`)).join('')

const rows: string[] = []

/** Adds a row to the summary. @param impact Markdown */
export function report(prompt: string, version: string, impact: string): void {
  rows.push(`| ${prompt} | ${version} | ${impact} |\n`)
}

/** Writes the summary of the job. */
export function writeSummary(): void {
  const place = process.env.GITHUB_STEP_SUMMARY
  if (place && rows.length > 0)
    appendFileSync(place, `| Prompt | Version | Impact on callers |\n|---|---|---|\n${rows.join('')}`)
}

/** Says in Markdown what callers of the latest version must know. @param data that of the hub's answer to a check */
export function describeImpact({ changes, unchanged, fields }: Record<string, unknown>): string {
  if (isObject(changes)) {
    const of = (part: unknown, key: string) => listOf(isObject(part) ? part[key] : undefined)
    const { breaking, reasons, variables, messages, parameters } = changes
    const required = of(variables, 'added_required')
    const settings = ['added', 'removed', 'changed'].flatMap((key) => of(parameters, key))
    const parts = [
      ...(breaking === true ? [`**breaking**: ${listOf(reasons).map(markdown).join(', ')}`] : []),
      ...name(
        'adds',
        of(variables, 'added').filter((each) => !required.includes(each)),
      ),
      ...name('changes', of(variables, 'changed')),
      ...name('adds messages:', of(messages, 'added')),
      ...name('removes messages:', of(messages, 'removed')),
      ...name('settings:', settings),
    ]
    return parts.length > 0 ? parts.join('; ') : 'none'
  }
  if (unchanged !== true) return 'none: a new prompt'
  return name('none: only', listOf(fields))[0] ?? 'none: unchanged'
}

/** The texts of a list, or the names of its objects. */
const listOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).map((each) => String(isObject(each) ? each.name : each))

function name(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`${what} ${names.slice(0, 10).map(markdown).join(', ')}${names.length > 10 ? ', …' : ''}`]
}

/** Whether a text is a version, for a row of the summary. */
export const versionOr = (text: string): string => (isVersion(text) ? text : '')
