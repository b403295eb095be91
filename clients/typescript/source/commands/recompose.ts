// The command that composes prompts again: it replaces their include lines with the newest versions in their ranges.

import { parseDays } from '../lifetime.ts'
import { FULL_NAME } from '../lock.ts'
import { isVersion } from '../ranges.ts'
import { isObject } from '../records.ts'
import { isNotFound, PromptHubError } from '../trouble.ts'
import { type Command, define, flag, invalid } from './define.ts'
import { check, hubUrl, type Publication, type Published, publish, readRows, takeToken } from './hub.ts'
import { describeDry, describePublished, requireBump } from './push.ts'
import { complain, say } from './terminal.ts'

const text = { type: 'string' } as const

/** No prompt can include others more deeply than this. */
const MAX_ROUNDS = 20

/** `recompose`. */
export const recomposeCommand: Command = define({
  takes: [1, 3],
  options: { all: flag, 'min-age': text, 'dry-run': flag, 'allow-breaking': flag, json: flag },
  async run([name = '', changelog, bump = 'auto'], values) {
    const age = values['min-age'] === undefined ? undefined : parseDays(values['min-age'], '--min-age')
    const isDry = values['dry-run']
    const url = hubUrl()
    if (values.all) {
      if (changelog !== undefined) throw invalid(`--all: unexpected ${changelog}`)
      if (values.json) throw invalid('--json: expected no --all beside it')
      return recomposeAll(url, name, age, isDry)
    }
    if (!FULL_NAME.test(name)) throw invalid(`expected <owner>/<name>, got ${name || 'nothing'}`)
    requireBump(bump)
    const body = {
      ...recomposeFields(age),
      bump,
      ...(changelog !== undefined && { changelog }),
      allow_breaking: values['allow-breaking'],
    }
    const given = { url, prompt: name, body: JSON.stringify(body) }
    const answer = isDry ? await check(given) : await publish(given, takeToken(url))
    for (const { message } of answer.warnings) complain(`warning: ${message}`)
    if (values.json) say(answer.text.trimEnd())
    else say(`${answer.version}${isDry ? describeDry(answer) : describePublished(answer)}`)
  },
})

/** The fields of every request that composes again. @param age in days */
export const recomposeFields = (age: number | undefined): object => ({
  recompose: true,
  ...(age !== undefined && { min_age_days: age }),
})

/** A prompt whose include lines select other versions now, or none. */
interface Moved {
  name: string
  /** The prompt of which its include line selects no version. */
  gone?: string
}

/** Lists the composed prompts of an owner with their parts. The list is as old as the last build. */
async function listComposed(url: string, owner: string): Promise<Composed[]> {
  if (!FULL_NAME.test(`${owner}/x`)) throw invalid(`--all: expected an owner such as acme, got ${owner || 'nothing'}`)
  // An owner without composed prompts has no list.
  const found = await readRows(url, `/data/v1/users/${owner}/composed.json`).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return (found?.rows ?? []).map((row) => readComposed(row, owner, url))
}

/** Finds the prompts whose parts have other versions now. */
function findMoved(composed: readonly Composed[]): Moved[] {
  return composed.flatMap(({ name, includes }): Moved[] => {
    const gone = includes.find(({ wanted }) => wanted === null)
    if (gone) return [{ name, gone: gone.repository }]
    return includes.some(({ version, wanted }) => version !== wanted) ? [{ name }] : []
  })
}

/** A composed prompt, and its parts. */
interface Composed {
  name: string
  includes: { repository: string; version: string; wanted: string | null }[]
}

function readComposed(row: Record<string, unknown>, owner: string, url: string): Composed {
  const wrong = () => new PromptHubError('unavailable', `${url} did not return a list of prompts; is it a Prompt Hub?`)
  const { full_name: name, includes } = row
  if (typeof name !== 'string' || !FULL_NAME.test(name) || !name.startsWith(`${owner}/`)) throw wrong()
  if (!Array.isArray(includes)) throw wrong()
  const parts = includes.map((each: unknown) => {
    const { repository, version, wanted } = isObject(each) ? each : {}
    const isVersionText = (value: unknown): value is string => typeof value === 'string' && isVersion(value)
    if (typeof repository !== 'string' || !FULL_NAME.test(repository) || !isVersionText(version)) throw wrong()
    if (wanted !== null && !isVersionText(wanted)) throw wrong()
    return { repository, version, wanted }
  })
  return { name, includes: parts }
}

async function recomposeAll(url: string, owner: string, age: number | undefined, isDry: boolean): Promise<void> {
  const token = isDry ? '' : takeToken(url)
  let last: PromptHubError | undefined
  const composed = await listComposed(url, owner)
  // What was composed again may be a part of another prompt, which moves then.
  let moved = findMoved(composed)
  for (let round = 0; round < MAX_ROUNDS && moved.length > 0; round++) {
    const published = new Set<string>()
    for (const each of moved) await recomposeOne(each, published)
    moved = isDry ? [] : composed.filter(({ includes }) => includes.some(({ repository }) => published.has(repository)))
  }
  if (last) throw last

  async function recomposeOne({ name, gone }: Moved, published: Set<string>): Promise<void> {
    try {
      if (gone !== undefined)
        throw new PromptHubError(
          'refused',
          `its include line selects no version of ${gone} now; publish ${name} with another line`,
        )
      if (await recomposeNext({ url, prompt: name, body: JSON.stringify(recomposeFields(age)) }, token, isDry))
        published.add(name)
    } catch (error) {
      if (!(error instanceof PromptHubError) || error.code !== 'refused' || error.status === 401) throw error
      if (last) complain(last.message)
      last = new PromptHubError(
        'refused',
        `${name}: ${error.message}`,
        error.status === undefined ? {} : { status: error.status },
      )
    }
  }
}

/** Composes a prompt again, if that changes anything. @returns whether it does */
async function recomposeNext(given: Publication, token: string, isDry: boolean): Promise<boolean> {
  const found: Published = await check(given)
  if (found.unchanged) return false
  if (isDry) {
    say(`${given.prompt} ${found.version}${found.breaking ? ' (breaking)' : ''} would be published`)
    return true
  }
  const expected = isObject(found.data.changes) ? found.data.changes.from : undefined
  const body = JSON.stringify({ ...JSON.parse(given.body as string), expected_version: expected })
  const { version, url } = await publish({ ...given, body }, token)
  say(`${given.prompt} ${version} ${url}`)
  return true
}
