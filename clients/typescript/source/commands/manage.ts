// The commands that change what is published: labels, yanks, status, texts and results of tests.
import { parseArguments } from '../arguments.ts'
import { readThreshold, sayGuarded } from '../guard.ts'
import { explainNone, labelled } from '../hub-reader.ts'
import { FULL_NAME } from '../lock.ts'
import type { Target } from '../manage.ts'
import { type ChangeResult, HubManager, PromptHubError, type RepositoryChanges } from '../prompt-hub.ts'
import { readRepositoryRecord } from '../records.ts'
import { type Command, define, flag, invalid, WrongUse } from './define.ts'
import { hubUrl, read, takeToken } from './hub.ts'
import { MAX_OUTPUT_BYTES, readOutcome } from './outcome.ts'
import { decodeText, readBounded, readInput } from './sources.ts'
import { complain, note, say, sayJson } from './terminal.ts'

const text = { type: 'string' } as const
const json = flag
const MAX_README_BYTES = 1_048_576

/** `label`. */
export const labelCommand: Command = define({
  takes: [2, 52],
  options: { remove: flag, undo: flag, split: text, reason: text, json },
  async run([name = '', label = '', version, ...more], { remove, undo, split: share, reason, json }) {
    const why = reason === undefined ? {} : { reason }
    if (version?.includes('=')) {
      if (remove || undo || share !== undefined) throw new WrongUse()
      const versions = readPairs([version, ...more])
      const said = Object.entries(versions).map(([one, number]) => `${name}/${one} ${label} ${number}`)
      return change('', json, (hub) => [hub.setLabels(name, label, versions, why), said.join('\n')])
    }
    if (more.length > 0) throw new WrongUse()
    if (Number(remove) + Number(undo) + Number(version !== undefined || share !== undefined) !== 1) throw new WrongUse()
    if (remove) return change(name, json, (hub) => [hub.removeLabel(name, label, why), `${label} removed`])
    if (undo) {
      if (reason !== undefined) throw invalid('--reason: expected no --undo beside it')
      return change(name, json, (hub) => {
        const undone = hub.undoLabel(name, label)
        return [undone, undone.then(({ target }) => `${label} ${target ? sayTarget(target) : 'removed'}`)]
      })
    }
    const split = share === undefined ? null : readShare(share)
    const first = version ?? (await readFirst(name, label))
    await change(name, json, (hub) => [
      hub.setLabel(name, label, first, { split, ...why, ...(version === undefined && { expected: first }) }),
      `${label} ${sayTarget({ version: first, split })}`,
    ])
  },
})

/** Reads `<name>=<x.y.z>`. */
function readPairs(pairs: readonly string[]): Record<string, string> {
  const versions = new Map<string, string>()
  for (const pair of pairs) {
    const [, name = '', version = ''] = /^([a-z0-9-]+)=(\d+\.\d+\.\d+)$/.exec(pair) ?? []
    if (name === '') throw invalid(`expected <name>=<x.y.z>, such as code-review=1.2.0, got ${pair}`)
    if (versions.has(name)) throw invalid(`${name}: expected one version, got two`)
    versions.set(name, version)
  }
  return Object.fromEntries(versions)
}

const sayTarget = ({ version, split }: Target) =>
  split ? `${version}, ${split.version} for ${split.percent} %` : version

function readShare(share: string): NonNullable<Target['split']> {
  const [, version = '', percent] = /^(\d+\.\d+\.\d+)=(\d{1,2})$/.exec(share) ?? []
  if (percent === undefined)
    throw invalid(
      `--split: expected a version and 1 to 99 percent, such as 1.5.0=10, got ${share || 'nothing'}; to give it to everybody, move the label`,
    )
  return { version, percent: Number(percent) }
}

/** The version that a label points at. */
async function readFirst(name: string, label: string): Promise<string> {
  const { fullName } = parseArguments(name, { label })
  const { text } = await read(hubUrl(), `/api/v1/repos/${fullName}`)
  const { labels } = await readRepositoryRecord(text, fullName)
  const target = labelled(labels, label)
  if (!target) throw new PromptHubError('not_found', explainNone(fullName, label, labels, []))
  return target.version
}

/** `yank`. */
export const yankCommand: Command = define({
  takes: [3, 3],
  options: { json },
  async run([name = '', version = '', reason = ''], { json }) {
    if (reason === '') throw invalid('expected a reason, got nothing')
    await change(name, json, (hub) => [hub.yank(name, version, reason), `${version} yanked`])
  },
})

/** `unyank`. */
export const unyankCommand: Command = define({
  takes: [2, 2],
  options: { json },
  run: async ([name = '', version = ''], { json }) =>
    change(name, json, (hub) => [hub.unyank(name, version), `${version} restored`]),
})

/** `deprecate`. */
export const deprecateCommand: Command = define({
  takes: [1, 2],
  options: { undo: flag, 'replaced-by': text, json },
  async run([name = '', message], { undo, 'replaced-by': other, json }) {
    if (undo !== (message === undefined)) throw new WrongUse()
    if (other !== undefined && !FULL_NAME.test(other))
      throw invalid(`--replaced-by: expected <owner>/<name>, got ${other || 'nothing'}`)
    const changes: RepositoryChanges =
      message === undefined
        ? { status: 'active', status_message: null, replaced_by: null }
        : { status: 'deprecated', status_message: message, ...(other !== undefined && { replaced_by: other }) }
    await change(name, json, (hub) => [hub.change(name, changes), undo ? 'active' : 'deprecated'])
  },
})

/** `readme`. */
export const readmeCommand: Command = define({
  takes: [2, 2],
  options: { json },
  async run([name = '', path = ''], { json }) {
    const readme = decodeText(await readGiven(path, MAX_README_BYTES), path)
    await change(name, json, (hub) => [hub.change(name, { readme }), 'readme changed'])
  },
})

/** `edit`. */
export const editCommand: Command = define({
  takes: [1, 1],
  options: { title: text, description: text, tags: text, license: text, json },
  async run([name = ''], { json, tags, license, title, description }) {
    const changes: RepositoryChanges = {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(license !== undefined && { license: license === '' ? null : license }),
      ...(tags !== undefined && { tags: tags.split(',').filter((tag) => tag !== '') }),
    }
    if (Object.keys(changes).length === 0) throw new WrongUse('expected something to change')
    await change(name, json, (hub) => [hub.change(name, changes), 'changed'])
  },
})

/** `result`. */
export const resultCommand: Command = define({
  takes: [3, 4],
  options: { model: text, url: text, remove: flag, guard: text, threshold: text, json },
  async run([name = '', version = '', suite = '', path], { model, url, remove, guard, threshold = '0', json }) {
    if (remove !== (path === undefined) || (remove && guard !== undefined)) throw new WrongUse()
    const worseBy = readThreshold(threshold)
    if (worseBy === undefined)
      throw invalid(`--threshold: expected a number from 0 to 1, such as 0.05, got ${threshold || 'nothing'}`)
    if (path === undefined) {
      await change(name, json, (hub) => [hub.removeResult(name, version, suite), `${version} ${suite} removed`])
      return
    }
    const found = readOutcome(await readGiven(path, MAX_OUTPUT_BYTES), path === '-' ? 'standard input' : path)
    const outcome = { ...found, ...(model !== undefined && { model }), ...(url !== undefined && { url }) }
    const skipped = found.skipped > 0 ? `, ${found.skipped} skipped` : ''
    const said = `${version} ${suite}: ${found.passed} passed, ${found.failed} failed${skipped}`
    await change(name, json, (hub) => [hub.report(name, version, suite, outcome), said])
    if (guard === undefined) return
    const hub = openManager()
    complain(`${guard}: ${sayGuarded(await hub.guardSplit(name, guard, suite, worseBy))}`)
  },
})

function openManager(): HubManager {
  const url = hubUrl()
  return new HubManager({ url, token: takeToken(url), timeoutMs: 60_000, deadlineMs: 180_000 })
}

/** Makes a change, and says what it was. */
async function change(
  name: string,
  isJson: boolean,
  start: (hub: HubManager) => [change: Promise<ChangeResult>, said: string | Promise<string>],
): Promise<void> {
  const [changing, said] = start(openManager())
  const result = await changing
  if (result.unchanged) note('unchanged: nothing to do')
  if (isJson) sayJson({ data: result })
  else say(`${name} ${await said}`.trim())
}

async function readGiven(path: string, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  return path === '-' ? readInput(limit, 'standard input') : readBounded(path, limit, path)
}
