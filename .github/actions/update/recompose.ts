// Composes an owner's prompts again whose parts have other versions now, each on its own: publishes a version as a trusted publisher or, by default if a part is another owner's, opens a pull request in the catalogue.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { check, type Published, publish, readRows } from '../../../clients/typescript/source/commands/hub.ts'
import { describePublished } from '../../../clients/typescript/source/commands/push.ts'
import { recomposeFields } from '../../../clients/typescript/source/commands/recompose.ts'
import { FULL_NAME } from '../../../clients/typescript/source/lock.ts'
import { isVersion } from '../../../clients/typescript/source/ranges.ts'
import { isObject } from '../../../clients/typescript/source/records.ts'
import { isNotFound } from '../../../clients/typescript/source/trouble.ts'
import { asksGit, git } from '../git.ts'
import {
  describeImpact,
  fail,
  input,
  markdown,
  messageOf,
  report,
  requestToken,
  requireHub,
  requirePermission,
  show,
  stop,
  versionOr,
  writeSummary,
} from '../job.ts'
import { propose, readDifferences } from './pull.ts'

/** GitHub accepts a body of 65,536 characters, some of which are needed for the rest of the text. */
const MAX_DIFFERENCES = 50_000

export async function recomposeOwner(): Promise<void> {
  const [mode, owner, age, by] = [input('mode'), input('owner'), input('min-age'), input('by')]
  if (!['auto', 'publish', 'pull-request'].includes(mode)) stop('mode: expected auto, publish or pull-request.')
  const hub = input('hub').replace(/\/$/, '')
  if (mode === 'publish') requirePermission(hub)
  requireHub(hub, 'hub: expected the https URL of the hub whose prompts are composed again.')
  if (!/^[a-z0-9-]+$/.test(owner)) stop('owner: expected lower-case letters, digits and hyphens.')
  if (!/^\d{1,4}d$/.test(age)) stop('min-age: expected a number of days such as 7d.')
  process.chdir(input('directory') || '.')
  const isHere = existsSync('content')
  if (mode === 'pull-request' && !isHere)
    stop('mode: pull-request needs the repository of the catalogue; check it out first.')
  if (mode !== 'publish' && isHere && !/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(by))
    stop('by: expected the GitHub login of a member of the owner.')
  const base = isHere ? process.env.GITHUB_REF_NAME || (await git('symbolic-ref', '--short', 'HEAD')) : ''
  const start = isHere ? await git('rev-parse', 'HEAD') : ''
  let isNothing = true
  for (const { prompt, others } of await listMoved(hub, owner)) {
    const given = { url: hub, prompt, body: JSON.stringify(recomposeFields(Number(age.slice(0, -1)))) }
    try {
      const checked = await check(given).catch((error: unknown) => {
        throw new Error(`${prompt} cannot be composed again: ${messageOf(error)}`)
      })
      if (checked.unchanged) continue
      isNothing = false
      const impact = describeImpact(checked.data)
      const isPull = mode === 'pull-request' || (mode === 'auto' && others.length > 0)
      if (isPull && isHere) await openPull(prompt, { checked, impact, others, start, base, by, age })
      else if (isPull)
        stop(
          `${prompt} waits: it includes ${others.join(', ')}, which ${owner} does not own. Run this action in the repository of the catalogue, where it opens a pull request; or publish it with hubcli recompose ${prompt}, or with mode: publish.`,
        )
      else {
        requirePermission(hub)
        const token = await requestToken(hub)
        const answer = await publish(given, token).catch((error: unknown) => {
          throw new Error(`${prompt} was not published: ${messageOf(error)}`)
        })
        show(`${prompt} ${answer.version}${describePublished(answer)}`)
        report(prompt, versionOr(answer.version), impact)
      }
    } catch (error) {
      isNothing = false
      fail(messageOf(error))
      report(prompt, '', `**failed**: ${markdown(messageOf(error))}`)
    }
  }
  if (isNothing)
    show(`Every prompt of ${owner} has the versions that its include lines select and that have been out for ${age}.`)
  writeSummary()
}

interface Moved {
  prompt: string
  /** The parts of other owners that have other versions now. */
  others: string[]
}

const isNameAndVersion = (name: unknown, version: unknown) =>
  typeof name === 'string' && FULL_NAME.test(name) && typeof version === 'string' && isVersion(version)

/** Lists the prompts whose parts have other versions now; what no hub would send is left out. @throws Error if the list cannot be read */
async function listMoved(hub: string, owner: string): Promise<Moved[]> {
  try {
    const { rows } = await readRows(hub, `/data/v1/users/${owner}/composed.json`)
    return rows.flatMap(({ full_name: name, includes }) => {
      if (typeof name !== 'string' || !Array.isArray(includes)) throw new Error('expected names and includes')
      if (!FULL_NAME.test(name) || !name.startsWith(`${owner}/`)) return []
      const parts = includes.map((each: unknown) => (isObject(each) ? each : {}))
      const isKnown = parts.every(({ repository: part, wanted }) => isNameAndVersion(part, wanted))
      const moved = isKnown ? parts.filter(({ version, wanted }) => version !== wanted) : []
      const others = moved.map(({ repository: part }) => String(part)).filter((part) => !part.startsWith(`${owner}/`))
      return moved.length > 0 ? [{ prompt: name, others: [...new Set(others)] }] : []
    })
  } catch (error) {
    // An owner without composed prompts has no list.
    if (isNotFound(error)) return []
    return stop(`Cannot read ${owner}'s composed prompts from ${hub}: ${messageOf(error)}`)
  }
}

interface Pull {
  checked: Published
  impact: string
  others: readonly string[]
  start: string
  base: string
  by: string
  age: string
}

/** Writes the next version with `npm run compose`, and proposes it on a branch of its own. */
async function openPull(prompt: string, { checked, impact, others, start, base, by, age }: Pull): Promise<void> {
  const expected = String(checked.data.manifest_sha256)
  await git('checkout', '--quiet', start)
  const args = ['run', '--silent', 'compose', '--', prompt, '--by', by, '--expect', expected]
  await promisify(execFile)('npm', args).catch((error: { stderr?: string }) => {
    throw new Error(`${prompt} was not composed again: ${(error.stderr || messageOf(error)).slice(0, 2_000)}`)
  })
  await git('add', '--all', '--', `content/${prompt}`)
  if (await asksGit('diff', '--cached', '--quiet')) {
    show(
      `${prompt} waits: the branch has it already, or has newer versions of its parts than those that have been out for ${age}.`,
    )
    return
  }
  const names = await git('diff', '--cached', '--name-only')
  const [, version = ''] = /^content\/[^/]+\/[^/]+\/versions\/([0-9.]+)\.md$/m.exec(names) ?? []
  const { text } = await readDifferences(MAX_DIFFERENCES, '')
  const title = `Compose ${prompt} ${version}`
  const owners =
    others.length > 0 ? `It takes what other owners published: ${others.join(', ')}. Read it before you merge.\n\n` : ''
  await propose(`prompt-hub/recompose/${prompt}`, base, title, `${owners}Impact on callers: ${impact}\n\n${text}`)
  await git('checkout', '--quiet', start)
  report(prompt, versionOr(version), impact)
}
