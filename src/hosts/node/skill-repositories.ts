// Keeps a bare git repository for the skills of each owner and of the hub, and lets the git program send them.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { SiteFiles } from '../../built/site-files.ts'
import { createTurns } from '../../concurrency/turn-queue.ts'
import { HubError } from '../../domain/api/errors.ts'
import { createGit, type Git } from '../../git/git-command.ts'
import type { SkillRepositories } from '../../skills/handle-git.ts'
import {
  countFolded,
  formatHistory,
  HISTORY_BRANCH,
  type HistorySource,
  listSteps,
  nameOf,
  type SkillStep,
} from '../../skills/skill-history.ts'

/** Made anew if it is lost. */
const FOLDER = '.hub/skills'
/** The folder of the hub's own repository. No owner has such a name. */
const HUB = '_hub'
/** What a repository has, and the commit with it. */
const STATE = 'prompt-hub.json'
/** Changes when other commits are made of the same catalogue. */
const LAYOUT = 1
/** The longest time for sending to one client. */
const SEND_MS = 120_000
const RETRY_SECONDS = 5
/** What git may use for one client. */
const BOUNDS = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=32m', '-c', 'core.packedGitLimit=64m']

interface State {
  layout: number
  baseUrl: string
  tip: string
  steps: string[]
}

/** Opens the repositories. A repository is made when somebody asks for it. */
export function openSkillRepositories(
  folder = resolve(FOLDER),
  environment: Readonly<Record<string, string | undefined>> = process.env,
): SkillRepositories {
  const takeTurn = createTurns({
    running: { total: 4, perSender: 2 },
    waiting: { total: 40, perSender: 10 },
    refuse: () => busy('Too many are cloning right now'),
  })
  const gitIn = (path: string, own = {}) => createGit(path, environment, { GIT_DIR: path, ...own })
  /** What each build has been made into. */
  const made = new WeakMap<SiteFiles, Map<string, Promise<string | undefined>>>()
  let last: Promise<unknown> = Promise.resolve()

  const make = async (source: HistorySource, steps: readonly SkillStep[]): Promise<string> => {
    const path = join(folder, source.owner ?? HUB)
    await mkdir(path, { recursive: true })
    const git = gitIn(path)
    try {
      await bringUpToDate(git, path, source, steps)
    } catch (error) {
      if (error instanceof HubError) throw error
      // What a full disk or a killed process left is made again.
      await rm(path, { recursive: true, force: true })
      await mkdir(path, { recursive: true })
      await bringUpToDate(git, path, source, steps).catch((cause: unknown) => {
        throw cause instanceof HubError ? cause : busy('The repository cannot be made right now', cause)
      })
    }
    return path
  }
  const findNow = async (source: HistorySource): Promise<string | undefined> => {
    const steps = await listSteps(source)
    if (steps.length === 0) return undefined
    // One after the other, because making one reads many files.
    const making = last.then(() => make(source, steps))
    last = making.catch(() => {})
    return making
  }

  return {
    find(source) {
      const ofBuild = made.get(source.siteFiles) ?? new Map<string, Promise<string | undefined>>()
      made.set(source.siteFiles, ofBuild)
      const key = source.owner ?? HUB
      const known = ofBuild.get(key)
      if (known !== undefined) return known
      const making = findNow(source)
      ofBuild.set(key, making)
      const forget = () => ofBuild.delete(key)
      making.then((path) => path === undefined && forget(), forget)
      return making
    },
    answer(repository, { protocol, wants, client }) {
      const opened = Promise.withResolvers<ReadableStream<Uint8Array>>()
      const send = async () => {
        const git = gitIn(repository, protocol === undefined ? {} : { GIT_PROTOCOL: protocol })
        const how = wants === undefined ? ['--advertise-refs'] : []
        const args = [...BOUNDS, '-c', `safe.directory=${repository}`, 'upload-pack', '--stateless-rpc', ...how]
        const signal = AbortSignal.timeout(SEND_MS)
        const { output, pid, ended } = git.open([...args, '--strict', '--timeout=30', repository], {
          signal,
          ...(wants && { input: wants }),
        })
        yieldToOthers(pid)
        opened.resolve(Readable.toWeb(output) as ReadableStream<Uint8Array>)
        await ended
      }
      takeTurn({ sender: client, waitMs: 10_000 }, send).catch(opened.reject)
      return opened.promise
    },
  }
}

function busy(problem: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${problem}. Try again in ${RETRY_SECONDS} s.`, {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** Adds what was published since to a repository, or makes it. */
async function bringUpToDate(
  git: Git,
  path: string,
  source: HistorySource,
  steps: readonly SkillStep[],
): Promise<void> {
  const names = steps.map(nameOf)
  const before = await readState(path)
  const tip = before && (await git.find(['rev-parse', '--verify', '--quiet', HISTORY_BRANCH]))
  const isContinued =
    before?.layout === LAYOUT &&
    before.baseUrl === source.baseUrl &&
    before.tip === tip &&
    before.steps.every((name, at) => name === names[at]) &&
    countFolded(steps.slice(0, before.steps.length)) === countFolded(steps)
  if (isContinued && before.steps.length === names.length) return
  if (!isContinued) await git.run(['init', '--quiet', '--bare', '--initial-branch=main', path])
  const after = isContinued ? { count: before.steps.length, tip: before.tip } : { count: 0, tip: undefined }
  const input = formatHistory(source, steps, after)
  const commit = (await git.run(['fast-import', '--quiet', '--force', '--date-format=raw'], { input }))
    .toString()
    .trim()
  const state: State = { layout: LAYOUT, baseUrl: source.baseUrl, tip: commit, steps: names }
  await writeFile(join(path, `${STATE}.tmp`), JSON.stringify(state))
  await rename(join(path, `${STATE}.tmp`), join(path, STATE))
  // What was yanked or deleted goes with the packs that have it.
  await (isContinued ? git.run(['-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet']) : git.run(['repack', '-adq']))
}

async function readState(path: string): Promise<State | undefined> {
  try {
    return JSON.parse(await readFile(join(path, STATE), 'utf8'))
  } catch {
    return undefined
  }
}

/** Lets the hub and its other requests go first. */
function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended, or the system does not allow that.
  }
}
