// Checks each file or folder of a skill, or publishes it with a separate OIDC token whose audience is this hub. With the mode subjects, lists the digests that an attestation must be about, which this job computes itself.
import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, lstatSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { check, type Published, publish } from '../../../clients/typescript/source/commands/hub.ts'
import {
  addAttestations,
  type Body,
  expand,
  lastSubject,
  readBody,
} from '../../../clients/typescript/source/commands/sources.ts'
import { HubManager } from '../../../clients/typescript/source/prompt-hub.ts'
import { isVersion } from '../../../clients/typescript/source/ranges.ts'
import { isObject } from '../../../clients/typescript/source/records.ts'
import { PromptHubError } from '../../../clients/typescript/source/trouble.ts'
import {
  annotate,
  CODE,
  describeImpact,
  installPackages,
  markdown,
  messageOf,
  report,
  requestToken,
  requireHub,
  requirePermission,
  runAction,
  Stop,
  show,
  stop,
  writeSummary,
} from '../job.ts'

const run = promisify(execFile)
const { HUB = '', OWNER = '', FILES = '', CHANGELOG = '', BUMP = '', ALLOW_BREAKING = '', LABEL = '' } = process.env
const { MODE = '', ATTESTATION = '', GITHUB_OUTPUT, GITHUB_REF } = process.env
const mode = MODE || 'publish'

/** A file or folder, and what a check said about it. */
interface Checked {
  file: string
  prompt: string
  body: Body
  answer: Published
  /** The latest version, or null. */
  latest: string | null
  isNew: boolean
}

/** A problem of one file, which does not keep the others from being published. */
class Problem extends Error {}

function requireSettings(): void {
  if (!['publish', 'check', 'subjects'].includes(mode)) stop('mode: expected publish or check.')
  // A check needs no token, so it runs for pull requests from forks too.
  if (mode === 'publish') requirePermission(HUB)
  requireHub(
    HUB,
    'hub: expected an https URL, because over plain http, anyone on the network path could publish with the token.',
  )
  if (!/^[a-z0-9-]+$/.test(OWNER)) stop('owner: expected lower-case letters, digits and hyphens.')
  if (!['auto', 'major', 'minor', 'patch'].includes(BUMP)) stop('bump: expected auto, major, minor or patch.')
  if (!['', 'yes', 'true', 'no', 'false'].includes(ALLOW_BREAKING)) stop('allow-breaking: expected yes or no.')
  if (!/^[a-z0-9-]*$/.test(LABEL)) stop('label: expected lower-case letters, digits and hyphens, such as production.')
}

/** The number of the version, as a publish and a check ask for it. */
const number = () => ({ bump: BUMP, ...(/^(?:yes|true)$/.test(ALLOW_BREAKING) ? {} : { allow_breaking: 'false' }) })

/** Lists the files and folders of skills that the patterns name. */
async function listFiles(): Promise<string[]> {
  const found: string[] = []
  for (const pattern of FILES.split('\n').filter((line) => line !== ''))
    for (const place of await expand(pattern).catch(() => [pattern])) {
      const file = place.replace(/\/$/, '')
      const there = lstatSync(file, { throwIfNoEntry: false })
      const isSkill = ['SKILL.md', 'prompt.md'].some((name) => existsSync(join(file, name)))
      if (there?.isFile() || there?.isSymbolicLink() || isSkill) found.push(file)
    }
  return found
}

/** Checks or publishes a file, and reports its problems. */
async function handle(file: string): Promise<{ prompt?: string; version?: string; wasChanged?: boolean }> {
  let prompt = ''
  try {
    prompt = namePrompt(file)
    const checked = await ask(file, prompt)
    const { answer, latest, isNew } = checked
    let { version } = answer
    if (!isNew) show(`${prompt} ${version} (unchanged)`)
    else if (mode === 'check') {
      show(`${prompt} ${version} would be published`)
      showWarnings(file, answer)
    } else {
      if (!(await isNewest(file))) {
        show(`${prompt}: skipped, because a newer commit changed ${file}`)
        report(prompt, latest ?? '', 'skipped: a newer commit changed the file')
        return { prompt, version: latest ?? '' }
      }
      version = await publishFile(checked)
    }
    report(prompt, version, describeImpact(answer.data))
    if (mode === 'publish' && LABEL !== '' && !isNew) await label(file, prompt, version)
    return { prompt, version, wasChanged: isNew }
  } catch (error) {
    if (error instanceof PromptHubError) reject(file, prompt, error.message)
    else if (error instanceof Problem || error instanceof Stop) annotate('error', error.message, file)
    else throw error
    return { prompt }
  }
}

/** Returns the prompt of a file. @throws Problem for a link anywhere in the path, which could publish any file on the runner, and for a name that could be read as a workflow command */
function namePrompt(file: string): string {
  if (/\p{Cc}/u.test(file)) throw new Problem('The name of a file contains a control character; rename the file.')
  const parts = file.split('/')
  if (file.startsWith('/') || parts.includes('..')) throw new Problem(`${file} is not inside the working directory.`)
  for (const index of parts.keys()) {
    const place = parts.slice(0, index + 1).join('/')
    if (lstatSync(place).isSymbolicLink()) throw new Problem(`${place} is a symbolic link; publish the file itself.`)
  }
  const last = parts.at(-1)!
  const name = lstatSync(file).isDirectory() ? last : last.replace(/\.[^.]*$/, '')
  if (/^[a-z0-9-]+$/.test(name)) return `${OWNER}/${name}`
  throw new Problem(
    `Each file is published to the prompt of the same name: expected lower-case letters, digits and hyphens, got ${name}; rename the file.`,
  )
}

/** Asks what publishing a file would do. */
async function ask(file: string, prompt: string): Promise<Checked> {
  const body = await readBody(file, show)
  const answer = await check({ url: HUB, prompt, body, query: number() }).catch((error: unknown) => {
    if (!(error instanceof PromptHubError) || !error.message.includes('did not say which version')) throw error
    throw new PromptHubError('unavailable', `${HUB} did not return a check; is it a Prompt Hub?`)
  })
  const { changes } = answer.data
  const from = isObject(changes) && typeof changes.from === 'string' ? changes.from : null
  const latest = answer.unchanged ? answer.version : from
  if (latest !== null && !isVersion(latest))
    throw new PromptHubError('unavailable', `${HUB} did not return a check; is it a Prompt Hub?`)
  return { file, prompt, body, answer, latest, isNew: !answer.unchanged || answer.fields.length > 0 }
}

/** Publishes a file, if the latest version is still the one that was checked. @returns the version */
async function publishFile({ file, prompt, body, latest }: Checked): Promise<string> {
  const changelog = (CHANGELOG || (await lastSubject(file)) || '').replace(/\p{Cc}/gu, ' ')
  const query = {
    ...number(),
    changelog: [...changelog].slice(0, 500).join(''),
    expected_version: String(latest),
    // If the label may not move, nothing is published.
    ...(LABEL !== '' && { labels: LABEL }),
  }
  const signed = await addAttestations(file, body, ATTESTATION === '' ? [] : [ATTESTATION])
  const token = await requestToken(HUB)
  const answer = await publish({ url: HUB, prompt, body: signed, query }, token).catch((error: unknown) => {
    if (!(error instanceof PromptHubError)) throw error
    if (error.message.includes('did not say which version'))
      throw new Problem(`${HUB} accepted ${prompt}, but its response has no version.`)
    throw error
  })
  show(`${prompt} ${answer.version}`)
  if (LABEL !== '') show(`${prompt}: ${LABEL} points at ${answer.version}`)
  showWarnings(file, answer)
  return answer.version
}

/** Points the label to a version that was published before. */
async function label(file: string, prompt: string, version: string): Promise<void> {
  try {
    const hub = new HubManager({ url: HUB, token: await requestToken(HUB), timeoutMs: 60_000, deadlineMs: 180_000 })
    await hub.setLabel(prompt, LABEL, version)
    show(`${prompt}: ${LABEL} points at ${version}`)
  } catch (error) {
    annotate('error', `${prompt} ${version} is published, but ${LABEL} was not moved: ${messageOf(error)}`, file)
  }
}

/** Reports why a file is not published: each problem in the hub's message at the line that it names. */
function reject(file: string, prompt: string, message: string): void {
  const verb = mode === 'check' ? 'cannot be published' : 'was not published'
  const problems = message.slice(0, 5_000).split(/; (?=(?:[^;: ]+: )?line [0-9]+: )/)
  for (const problem of problems) {
    const line = /line ([0-9]+)/.exec(problem)?.[1]
    annotate('error', `${prompt} ${verb}: ${problem}`, file, line)
  }
  report(prompt, '', `**failed**: ${markdown(problems.join('; '))}`)
}

function showWarnings(file: string, { warnings }: Published): void {
  for (const { message, line } of warnings) annotate('warning', message, file, line === null ? undefined : String(line))
}

/** Whether the branch still has this file: an old job must not publish an old text as the newest version. Together with expected_version, this holds for any number of jobs, because the branch is read after the latest version. */
async function isNewest(file: string): Promise<boolean> {
  if (!GITHUB_REF) return true
  const git = (...args: string[]) => run('git', ['--literal-pathspecs', ...args])
  try {
    await git('fetch', '--quiet', 'origin', GITHUB_REF)
    await git('diff', '--quiet', 'FETCH_HEAD', '--', file)
    return true
  } catch (error) {
    const { code, stderr } = error as { code?: number; stderr?: string }
    if (code === 1) return false
    throw new Problem(
      `Cannot fetch ${GITHUB_REF} to check whether a newer commit changed ${file}; let actions/checkout keep its credentials. ${(stderr ?? messageOf(error)).slice(0, 500)}`,
    )
  }
}

/** Whether the job may store attestations: GitHub answers an empty one with 422 if it may, and with 403 if not. */
async function mayAttest(): Promise<boolean> {
  const { GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL = 'https://api.github.com' } = process.env
  if (!GITHUB_TOKEN || !GITHUB_REPOSITORY) return false
  const headers = { Authorization: `Bearer ${GITHUB_TOKEN}`, 'Content-Type': 'application/json' }
  const url = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/attestations`
  const options = { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(30_000) }
  const status = await fetch(url, options).then(
    (answer) => answer.status,
    () => 0,
  )
  if ([400, 422].includes(status)) return true
  show(
    'The job may not write attestations, so the versions are not signed. To sign them, add "attestations: write" to its permissions.',
  )
  return false
}

/** Lists what publishing the files would add. A signature says that this job built the version, so the job takes no digest from the hub: it ends if its own differ. Publishing reports every other problem again. */
async function listSubjects(files: readonly string[]): Promise<void> {
  const { RUNNER_TEMP = tmpdir() } = process.env
  const subjects: string[] = []
  for (const file of files) {
    const checked = await (async () => ask(file, namePrompt(file)))().catch(() => undefined)
    if (!checked?.isNew) continue
    await installPackages('compute what is signed')
    const { prompt, body, answer } = checked
    const sent = join(RUNNER_TEMP, `prompt-hub-body-${process.pid}`)
    writeFileSync(sent, body.bytes)
    const query = new URLSearchParams(number()).toString()
    const script = join(CODE, 'scripts/check-here.ts')
    const { stdout } = await run(process.execPath, [script, HUB, prompt, sent, body.type, query]).catch(
      ({ stderr }: { stderr: string }) =>
        stop(`Cannot compute what publishing ${file} would sign: ${stderr.slice(0, 1_000)}`),
    )
    const own = digestsOf(JSON.parse(stdout).data)
    const theirs = digestsOf(answer.data)
    if (own.length !== 2 || !own.every((digest) => /^[0-9a-f]{64}$/.test(digest)) || own.join() !== theirs.join())
      stop(
        `${HUB} names other digests than this job computes from ${file}: expected ${own.join(' and ')}, got ${theirs.join(' and ')}. Nothing was signed. If somebody else just published ${prompt}, run the job again; otherwise, do not trust the hub.`,
      )
    subjects.push(`${own[0]}  ${prompt}\n${own[1]}  ${prompt}#manifest\n`)
  }
  if (subjects.length === 0 || !GITHUB_OUTPUT) return
  // It is kept until the job ends, because the next step reads it.
  const path = join(RUNNER_TEMP, `prompt-hub-subjects-${process.pid}`)
  writeFileSync(path, subjects.join(''))
  appendFileSync(GITHUB_OUTPUT, `path=${path}\n`)
}

const digestsOf = ({ bundle_sha256, content_sha256, manifest_sha256 }: Record<string, unknown>): string[] =>
  [bundle_sha256 ?? content_sha256, manifest_sha256].filter((digest) => typeof digest === 'string')

await runAction(async () => {
  requireSettings()
  if (mode === 'subjects' && !(await mayAttest())) return
  const files = await listFiles()
  if (mode === 'subjects') return listSubjects(files)
  if (files.length === 0) stop('No files match.')
  const versions: string[] = []
  const urls: string[] = []
  let isChanged = false
  for (const file of files) {
    const { prompt = '', version = '', wasChanged = false } = await handle(file)
    versions.push(version)
    urls.push(version === '' ? '' : `${HUB}/${prompt}/v/${version}`)
    isChanged ||= wasChanged
  }
  // Versions and URLs have no line break, and nothing else in them is from a file.
  const list = (name: string, lines: string[]) => `${name}<<END\n${lines.map((line) => `${line}\n`).join('')}END\n`
  if (GITHUB_OUTPUT)
    appendFileSync(GITHUB_OUTPUT, `${list('version', versions)}${list('url', urls)}changed=${isChanged}\n`)
  writeSummary()
})
