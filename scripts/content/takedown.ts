// `npm run takedown -- acme/review@1.1.0 "reason"`: removes a version, or a whole prompt, from the content and the fresh copies, and says what is gone from where and what is not.
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { STATE_FILE } from '../../packages/node-server/open-state.ts'
import { findServedContent } from '../../packages/node-server/own-catalogue.ts'
import { removeCopies } from '../../packages/stores/state/fresh-copies.ts'
import { readConfig } from '../../src/config.ts'
import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import { countOf } from '../../src/domain/text/count-of.ts'
import { splitFullName, splitVersionAddress } from '../../src/domain/values/names.ts'
import { line } from '../../src/domain/values/values.ts'
import { logAudit } from '../../src/ports/log.ts'
import { inStore } from '../operator.ts'
import { runCommand } from '../run-command.ts'
import {
  type ContentTree,
  findInHistory,
  isTakenDown,
  listContained,
  listIncluding,
  openContentTree,
  removeFromGit,
  type TakedownTarget,
} from './remove-from-git.ts'

const USAGE = `Usage: npm run takedown -- OWNER/NAME@VERSION "REASON"   removes one version
       npm run takedown -- OWNER/NAME "REASON"           removes a prompt with all its versions
       npm run takedown -- --check OWNER/NAME[@VERSION]  says what is gone from where, and deletes the fresh copies of what was taken down`

/** How long the hub may take to build the content without what was removed. */
const WAIT_MS = 60_000
const PAUSE_MS = 1_000
const REASON = line(500).min(1)

const options = { check: { type: 'boolean', default: false } } as const
await runCommand({ usage: USAGE, options, allowPositionals: true }, ({ positionals, values }) =>
  takeDown(positionals, values.check),
)

async function takeDown([address = '', reason = '', ...more]: readonly string[], isCheck: boolean): Promise<void> {
  const target = readTarget(address)
  if (!target || more.length > 0) throw new Error('expected a prompt, or a version such as acme/review@1.1.0')
  if (!isCheck && !REASON.safeParse(reason).success)
    throw new Error('expected a reason on one line, which is written to index.md and visible to everyone')
  const config = readConfig(process.env)
  if (config.keepsClone)
    throw new Error(
      'This hub follows a repository on GitHub and never changes its own clone. Clone the repository, and set CONTENT_DIR to the content folder of that clone.',
    )
  const tree = await openContentTree(findServedContent(config))
  const gone: string[] = []
  if (!isCheck) {
    const { commit, removed, also } = await removeFromGit(tree, target, reason)
    logAudit('prompt_taken_down', { prompt: address, commit })
    const extra = also.length === 0 ? '' : `; with ${also.join(', ')}`
    gone.push(`content: ${removed.join(' and ')} (commit ${commit.slice(0, 12)}${extra})`)
    const numbers = target.version === undefined ? 'numbers: none is' : `number: ${target.version} is never`
    gone.push(`${numbers} used again (removed, in index.md)`)
  }
  const left: string[] = []
  const contained = isCheck ? await listContained(tree, target) : []
  if (contained.length > 0)
    left.push(`content: ${countOf(contained.length, 'file')} on this branch, such as ${contained[0]}`)
  const isStored = config.databaseUrl !== undefined || existsSync(STATE_FILE)
  if (isStored && isCheck && !(await isTakenDown(tree, target)))
    left.push('fresh copies: kept, because removed in index.md does not say that this was taken down')
  else if (isStored)
    await inStore(async (state) => {
      const count = await removeCopies(state, target)
      gone.push(`fresh copies: ${count === 0 ? 'none were stored' : `${countOf(count, 'record')} deleted`}`)
    })
  else left.push(`fresh copies: there is no store here. ${describeOtherStores(target)}`)
  const served = await findServed(config.baseUrl, target, isCheck ? 0 : WAIT_MS)
  if (served === undefined)
    left.push(`hub: ${config.baseUrl} does not respond. Run this again with --check when it does.`)
  else if (served.length === 0)
    gone.push(`hub: ${config.baseUrl} returns 404 for its API, raw text, data file and page`)
  else {
    process.exitCode = 1
    left.push(`hub: ${config.baseUrl} still serves ${served.join(', ')}. Build, or push first, then use --check.`)
  }
  left.push(...(await listLeft(tree, target)))
  console.log([`${address}`, '', 'Gone:', ...indent(gone), '', 'Not gone:', ...indent(left)].join('\n'))
}

function indent(lines: readonly string[]): string[] {
  return lines.map((text) => `  ${text}`)
}

function readTarget(address: string): TakedownTarget | undefined {
  const place = splitVersionAddress(address) ?? splitFullName(address)
  return place && { version: undefined, ...place }
}

function describeOtherStores({ owner, name, version = '*' }: TakedownTarget): string {
  const key = `fresh/repositories/${owner}/${name}`
  return `On the hub's machine, use --check. On Netlify: netlify blobs:delete prompt-hub ${key}, fresh/versions/${owner}/${name}/${version} and fresh/files/${owner}/${name}/${version}.`
}

/** Lists what the hub still serves after its next build, for which it has some time. @returns undefined if it does not respond */
async function findServed(
  baseUrl: string,
  { owner, name, version }: TakedownTarget,
  waitMs: number,
): Promise<string[] | undefined> {
  const api = `/api/v1/repos/${owner}/${name}`
  const paths =
    version === undefined
      ? [api, `${api}/raw`, DATA_FILES.repository(owner, name), `/${owner}/${name}`]
      : [
          ...[`${api}/versions/${version}`, `${api}/raw?version=${version}`],
          ...[DATA_FILES.version(owner, name, version), `/${owner}/${name}/v/${version}`],
        ]
  const endMs = performance.now() + waitMs
  for (;;) {
    const statuses = await Promise.all(
      paths.map((path) =>
        fetch(`${baseUrl}${path}`, { headers: { 'Cache-Control': 'no-cache' } }).then(
          ({ status }) => status,
          () => undefined,
        ),
      ),
    )
    if (statuses.includes(undefined)) return undefined
    const served = paths.filter((_, index) => statuses[index] !== 404)
    if (served.length === 0 || performance.now() >= endMs) return served
    await sleep(PAUSE_MS)
  }
}

/** Names at most ten versions that contain the text, because they include it. */
function describeIncluding(versions: readonly string[]): string[] {
  if (versions.length === 0) return []
  const more = versions.length > 10 ? ` and ${versions.length - 10} more` : ''
  return [
    `included: this text is also in ${versions.slice(0, 10).join(', ')}${more}. Publish without it, then take down these versions too.`,
  ]
}

/** Lists what no command of the hub can remove. */
async function listLeft(tree: ContentTree, target: TakedownTarget): Promise<string[]> {
  const { paths, commits } = await findInHistory(tree, target)
  const remotes = await tree.git.find(['remote'])
  return [
    'secrets: if the text contains one, revoke it. Assume that somebody has read it.',
    ...describeIncluding(listIncluding(tree, target)),
    commits === 0
      ? 'git history: no commit of this clone concerns it. Check the address, and other clones.'
      : `git history: ${countOf(commits, 'commit')} of this clone concern it. To rewrite them: git filter-repo --invert-paths ${paths.map((path) => `--path ${path}`).join(' ')}`,
    ...(remotes
      ? [`remote: git push. Clones, forks and pull requests keep the old commits; ask the git host to delete them.`]
      : []),
    'caches: purge the CDN. Browsers and proxies may keep a version for a year.',
    'mirrors: copies of /data/v1 keep it until they are updated or deleted.',
    'users: lock files, vendored prompts and the caches of clients keep it.',
    'backups: of the content, of .hub and of the database.',
  ]
}
