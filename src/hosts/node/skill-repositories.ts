// Keeps a bare git repository for the skills of each owner and of the hub, and lets the git program send them.
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { SiteFiles } from '../../built/site-files.ts'
import { createTurns } from '../../concurrency/turn-queue.ts'
import { HubError } from '../../domain/api/errors.ts'
import { createGit, type Git } from '../../git/git-command.ts'
import { GitFailure } from '../../git/git-failure.ts'
import type { SkillRepositories, SkillRepository } from '../../skills/handle-git.ts'
import {
  checkSize,
  countFolded,
  formatHistory,
  HISTORY_BRANCH,
  type HistorySource,
  listSteps,
  nameOf,
  type SkillStep,
} from '../../skills/skill-history.ts'
import { keepUp } from './keep-up.ts'

/** Made anew if it is lost. */
const FOLDER = '.hub/skills'
/** The folder of the hub's own repository. No owner has such a name. */
const HUB = '_hub'
/** What a repository has, and the commit with it. */
const STATE = 'prompt-hub.json'
/** Changes when other commits are made of the same catalogue. */
const LAYOUT = 2
/** The longest time for sending to one client. */
const SEND_MS = 120_000
/** A slower client loses its place to others. */
const PACE = { behindMs: 10_000, bytesPerSecond: 100_000 }
/** The longest time for each step of making a repository. */
const MAKE_MS = 300_000
const RETRY_SECONDS = 5
/** What git may use for one client, and for packing. */
const BOUNDS = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=32m', '-c', 'core.packedGitLimit=64m']

interface State {
  layout: number
  baseUrl: string
  tip: string
  steps: string[]
}

/** A repository that was made, and the commit with what a build has. */
interface Made extends SkillRepository {
  path: string
  tip: string
}

/** Opens the repositories. A repository is made when somebody asks for it. */
export function openSkillRepositories(
  folder = resolve(FOLDER),
  environment: Readonly<Record<string, string | undefined>> = process.env,
  pace = PACE,
): SkillRepositories {
  const turnToSend = createTurns({
    running: { total: 16, perSender: 2 },
    waiting: { total: 40, perSender: 10 },
    refuse: () => busy('Too many are cloning right now'),
  })
  // The senders are the owners: making one repository reads many files, and must not delay all others.
  const turnToMake = createTurns({
    running: { total: 2, perSender: 1 },
    waiting: { total: 40, perSender: 4 },
    refuse: () => busy('Other repositories are being made right now'),
  })
  const gitIn = (path: string, own = {}) => createGit(path, environment, { GIT_DIR: path, ...own })
  /** What each build has been made into. */
  const made = new WeakMap<SiteFiles, Map<string, Promise<Made | undefined>>>()
  /** The commit that each repository has now. Requests of an old build and of a new one can come in any order. */
  const tips = new Map<string, string>()

  const make = async (source: HistorySource, steps: readonly SkillStep[]): Promise<Made> => {
    const path = join(folder, source.owner ?? HUB)
    await mkdir(path, { recursive: true })
    const git = gitIn(path)
    tips.delete(path)
    const tip = await bringUpToDate(git, path, source, steps)
      .catch(async (error: unknown) => {
        // Other errors pass, and others may be cloning what is there.
        if (!(error instanceof GitFailure || isTooLarge(error))) throw error
        // What a full disk or a killed process left is made again.
        await rm(path, { recursive: true, force: true })
        if (isTooLarge(error)) throw error
        await mkdir(path, { recursive: true })
        return bringUpToDate(git, path, source, steps)
      })
      .catch((error: unknown) => {
        throw error instanceof HubError ? error : busy('The repository cannot be made right now', error)
      })
    tips.set(path, tip)
    return { path, tip, ...serve(path) }
  }
  const makeInTurn = async (source: HistorySource): Promise<Made | undefined> => {
    const steps = await listSteps(source)
    if (steps.length === 0) return undefined
    return turnToMake({ sender: source.owner ?? HUB, waitMs: MAKE_MS }, () => make(source, steps))
  }
  const isThere = async ({ path, tip }: Made) =>
    tips.get(path) === tip &&
    access(join(path, STATE)).then(
      () => true,
      () => false,
    )

  const serve = (repository: string): SkillRepository => {
    const start = (protocol: string | undefined, options: readonly string[], wants?: Uint8Array) => {
      const git = gitIn(repository, protocol === undefined ? {} : { GIT_PROTOCOL: protocol })
      const args = [...BOUNDS, '-c', `safe.directory=${repository}`, 'upload-pack', '--stateless-rpc', ...options]
      const run = { signal: AbortSignal.timeout(SEND_MS), ...(wants && { input: wants }) }
      return git.open([...args, '--strict', '--timeout=30', repository], run)
    }
    const listed = new Map<string | undefined, Promise<Uint8Array<ArrayBuffer>>>()
    const listNow = async (protocol: string | undefined) => {
      const branches = new Uint8Array(await buffer(start(protocol, ['--advertise-refs']).output))
      if (branches.length > 0) return branches
      throw busy('Git did not answer')
    }
    return {
      list(protocol) {
        const known = listed.get(protocol)
        if (known !== undefined) return known
        const listing = listNow(protocol).catch((error: unknown) => {
          listed.delete(protocol)
          throw error instanceof HubError ? error : busy('Git cannot be started right now', error)
        })
        listed.set(protocol, listing)
        return listing
      },
      send({ protocol, wants, client }) {
        const opened = Promise.withResolvers<ReadableStream<Uint8Array>>()
        const send = async () => {
          const { output, pid, ended } = start(protocol, [], wants)
          yieldToOthers(pid)
          opened.resolve(Readable.toWeb(keepUp(output, pace)) as ReadableStream<Uint8Array>)
          await ended
        }
        turnToSend({ sender: client, waitMs: 10_000 }, send).catch((error: unknown) =>
          opened.reject(error instanceof HubError ? error : busy('Git cannot be started right now', error)),
        )
        return opened.promise
      },
    }
  }

  return {
    async find(source) {
      const ofBuild = made.get(source.siteFiles) ?? new Map<string, Promise<Made | undefined>>()
      made.set(source.siteFiles, ofBuild)
      const key = source.owner ?? HUB
      const known = ofBuild.get(key)
      const found = await known
      if (found && (await isThere(found))) return found
      // Of several requests that find this out, the first makes it.
      const now = ofBuild.get(key)
      if (now !== undefined && now !== known) return now
      const making = makeInTurn(source)
      ofBuild.set(key, making)
      const forget = () => ofBuild.get(key) === making && ofBuild.delete(key)
      making.then(
        (result) => result === undefined && forget(),
        (error) => isTooLarge(error) || forget(),
      )
      return making
    },
  }
}

/** Such a repository is too large until the next build. */
const isTooLarge = (error: unknown) => error instanceof HubError && error.code === 'not_found'

function busy(problem: string, cause?: unknown): HubError {
  return new HubError('unavailable', `${problem}. Try again in ${RETRY_SECONDS} s.`, {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** Adds what was published since to a repository, or makes it. @returns its commit */
async function bringUpToDate(
  git: Git,
  path: string,
  source: HistorySource,
  steps: readonly SkillStep[],
): Promise<string> {
  await checkSize(source, steps)
  const names = steps.map(nameOf)
  const before = await readState(path)
  const tip = before && (await git.find(['rev-parse', '--verify', '--quiet', HISTORY_BRANCH]))
  const isContinued =
    before?.layout === LAYOUT &&
    before.baseUrl === source.baseUrl &&
    before.tip === tip &&
    before.steps.every((name, at) => name === names[at]) &&
    countFolded(steps.slice(0, before.steps.length)) === countFolded(steps)
  if (isContinued && before.steps.length === names.length) return before.tip
  if (!isContinued) await git.run(['init', '--quiet', '--bare', '--initial-branch=main', path])
  const after = isContinued ? { count: before.steps.length, tip: before.tip } : { count: 0, tip: undefined }
  const input = formatHistory(source, steps, after)
  const run = (args: readonly string[], more = {}) =>
    git.run([...BOUNDS, ...args], { signal: AbortSignal.timeout(MAKE_MS), onStart: yieldToOthers, ...more })
  const commit = (await run(['fast-import', '--quiet', '--force', '--date-format=raw'], { input })).toString().trim()
  const state: State = { layout: LAYOUT, baseUrl: source.baseUrl, tip: commit, steps: names }
  await writeFile(join(path, `${STATE}.tmp`), JSON.stringify(state))
  await rename(join(path, `${STATE}.tmp`), join(path, STATE))
  // What was yanked or deleted goes, too.
  await run(isContinued ? ['-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'] : ['gc', '--prune=now', '--quiet'])
  return commit
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
