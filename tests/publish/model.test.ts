// Checks that no confirmed version is ever lost. Random sequences of publishes, edits, commits, branch switches, kills,
// full disks and restarts run against a real hub and a simple model, and the results are compared.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { REPOSITORY } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Answered, type BadGit, type KillableHub, makeBadGit, noteAnswer, startKillable } from './killing.ts'

/** The number of sequences. To run more: `MODEL_RUNS=100 SEED=2 npx vitest run tests/publish/model.test.ts` */
const RUNS = Number(process.env.MODEL_RUNS ?? 2)
const SEED = Number(process.env.SEED ?? 1)
/** The maximum number of steps in a sequence. */
const MAX_STEPS = 20
/** One more than the number of git calls in a publish that write. A kill at a later call has no effect. */
const GIT_WRITES = 4
vi.setConfig({ testTimeout: 300_000 + RUNS * 200_000 })

const INDEX = `content/${REPOSITORY}/index.md`
const versionFile = (version: string) => `content/${REPOSITORY}/versions/${version}.md`

/** The expected state, as far as the test knows it. */
interface Model {
  /**
   * The confirmed versions, keyed by the branch that the hub served. A new branch starts with the versions of the
   * branch from which it was created.
   */
  answered: Map<string, Answered>
  /** The branch that is checked out; undefined while HEAD is detached. */
  standing: string | undefined
  /** The branch that the hub publishes to, which is the one it was started on. Undefined while no hub is running. */
  served: string | undefined
  /** The user's uncommitted edit of index.md. */
  edit: string | undefined
  /** A publish without a response, which its client retries once a hub serves that branch again. */
  pending: { branch: string; content: string; key: string } | undefined
  /** Whether a killed hub may have left unfinished work. */
  isUnfinished: boolean
}

/** The repository, and the hub that is currently running. */
interface Real {
  folder: string
  contentDir: string
  badGit: BadGit
  hub: KillableHub | undefined
  /** Returns the state folder of a branch: each branch is a separate deployment with its own state. */
  blobsDirOf(branch: string): string
  git(...args: string[]): string
  steps: Map<string, number>
}

type Command = fc.AsyncCommand<Model, Real>
let number = 0

/** Git's messages when it protects an uncommitted edit, or when there is nothing to commit. */
const REFUSALS = /would be overwritten|\bcommit -q -a\b/

/**
 * Runs git as the user does. @param mayRemove whether the user removes the lock of a killed hub if git fails because of
 * the lock and suggests removing it
 */
function runAsUser(
  { folder, git }: Pick<Real, 'folder' | 'git'>,
  mayRemove: boolean,
  ...args: string[]
): 'done' | 'refused' {
  try {
    git(...args)
    return 'done'
  } catch (error) {
    if (/index\.lock/.test(String(error))) {
      if (!mayRemove) return 'refused'
      rmSync(join(folder, '.git/index.lock'))
      return runAsUser({ folder, git }, false, ...args)
    }
    expect(String(error)).toMatch(REFUSALS)
    return 'refused'
  }
}

/** Checks what must be true after every step. */
async function judge(model: Model, real: Real): Promise<void> {
  const { git, hub } = real
  for (const [branch, answered] of model.answered)
    for (const [version, content] of answered) {
      const text = git('cat-file', 'blob', `refs/heads/${branch}:${versionFile(version)}`)
      expect(text.endsWith(`\n---\n${content}`), `${branch} ${version}`).toBe(true)
    }
  expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('')
  if (model.edit !== undefined) expect(readFileSync(join(real.folder, INDEX), 'utf8')).toBe(model.edit)
  if (!hub || model.served === undefined) return
  for (const [version, content] of model.answered.get(model.served) ?? []) {
    const path = `/api/v1/repos/${REPOSITORY}/raw?version=${version}`
    expect(await hub.ask({ method: 'GET', path }), version).toEqual({ status: 200, text: content })
  }
  const edited = git('ls-tree', 'HEAD', '--', INDEX) === '' ? `?? ${INDEX}\n` : ` M ${INDEX}\n`
  expect(git('status', '--porcelain', '-uall')).toBe(model.edit === undefined ? '' : edited)
}

/** Wraps a step so that it is counted and followed by the checks. */
function step(
  name: string,
  check: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return {
    check: (model) => check(model),
    run: async (model, real) => {
      const kind = name.split(/[ ,]/)[0]!
      real.steps.set(kind, (real.steps.get(kind) ?? 0) + 1)
      await run(model, real)
      await judge(model, real)
    },
    toString: () => name,
  }
}

const answeredOn = (model: Readonly<Model>, branch: string): Answered => {
  const answered = model.answered.get(branch)
  if (!answered) throw new Error(`nobody made the branch ${branch}`)
  return answered
}
const hasVersion = ({ answered, standing }: Readonly<Model>) =>
  standing !== undefined && (answered.get(standing)?.size ?? 0) > 0

/** Publishes a new version. @param isTitled whether the publish also changes `index.md` */
function send(real: Real, isTitled: boolean): { content: string; key: string; reply: ReturnType<KillableHub['ask']> } {
  number += 1
  const content = `Text ${number}\n`
  const key = `publish-${number}`
  const body = { content, changelog: key, ...(isTitled && { title: `Title ${number}` }) }
  const reply = real.hub!.ask({ method: 'POST', path: `/api/v1/repos/${REPOSITORY}/versions`, key, body })
  return { content, key, reply }
}

async function die(model: Model, real: Real): Promise<void> {
  await real.hub?.ended
  real.hub = undefined
  model.served = undefined
  model.isUnfinished = true
}

const publish = (isTitled: boolean) =>
  step(
    `publish ${isTitled ? 'with a title' : 'plainly'}`,
    ({ served }) => served !== undefined,
    async (model, real) => {
      const { content, reply } = send(real, isTitled)
      const version = noteAnswer(answeredOn(model, model.served!), content, await reply)
      // Publishing is rejected if another branch is checked out, or if the user's own edit blocks index.md.
      if (model.standing !== model.served) expect(version).toBeUndefined()
      else if (model.edit === undefined || !isTitled) expect(version, JSON.stringify(await reply)).toBeDefined()
      if (version === undefined) expect(await reply).toMatchObject({ status: 503 })
    },
  )

const publishAndKill = (call: number | string, when: 'before' | 'after', isTitled: boolean) =>
  step(
    `killed ${when} call ${call}${isTitled ? ' with a title' : ''}`,
    ({ served }) => served !== undefined,
    async (model, real) => {
      real.badGit.arm(call, when, 'writes')
      const { content, key, reply } = send(real, isTitled)
      const answer = await reply
      real.badGit.disarm()
      const branch = model.served!
      if (answer !== 'died') return void noteAnswer(answeredOn(model, branch), content, answer)
      if (!isTitled) model.pending = { branch, content, key }
      await die(model, real)
    },
  )

const kill = step(
  'kill',
  ({ served }) => served !== undefined,
  async (model, real) => {
    real.hub!.kill()
    await die(model, real)
  },
)

const fullDisk = (call: number, isTitled: boolean) =>
  step(
    `full-disk from call ${call}`,
    ({ served }) => served !== undefined,
    async (model, real) => {
      real.badGit.arm(call, 'full', 'writes')
      const { content, reply } = send(real, isTitled)
      const answer = await reply
      real.badGit.disarm()
      const version = noteAnswer(answeredOn(model, model.served!), content, answer)
      if (version === undefined) expect(answer).toMatchObject({ status: 503 })
    },
  )

const restart = step(
  'restart',
  ({ standing }) => standing !== undefined,
  async (model, real) => {
    real.hub?.kill()
    await real.hub?.ended
    const branch = model.standing!
    const settings = { contentDir: real.contentDir, blobsDir: real.blobsDirOf(branch) }
    real.hub = await startKillable(settings, real.badGit.dir)
    model.served = branch
    model.isUnfinished = false
    if (model.pending?.branch !== branch) return
    const { content, key } = model.pending
    const reply = await real.hub.publish(content, key)
    expect(noteAnswer(answeredOn(model, branch), content, reply), JSON.stringify(reply)).toBeDefined()
    model.pending = undefined
  },
)

const edit = step('edit', hasVersion, async (model, real) => {
  number += 1
  model.edit = `---\ntitle: By hand ${number}\n---\n\nAbout it, by hand.\n`
  writeFileSync(join(real.folder, INDEX), model.edit)
})

const commitByHand = (mayRemove: boolean) =>
  step(
    `commit by hand${mayRemove ? ', removing the lock' : ''}`,
    () => true,
    async (model, real) => {
      const done = runAsUser(real, mayRemove, 'commit', '-q', '-a', '-m', 'By hand')
      if (done === 'refused') return
      model.edit = undefined
      // The user made a commit on top of what a killed hub had left behind, despite its lock, so unconfirmed versions
      // may be lost.
      if (model.isUnfinished) model.pending = undefined
    },
  )

const move = (name: string, mayRemove: boolean, args: (real: Real) => string[]) =>
  step(
    `${name}${mayRemove ? ', removing the lock' : ''}`,
    () => true,
    async (model, real) => {
      const from = real.git('rev-parse', 'HEAD').trim()
      if (runAsUser(real, mayRemove, ...args(real)) === 'refused') return
      const branch = real.git('branch', '--show-current').trim()
      if (branch !== '' && !model.answered.has(branch)) {
        // The new branch starts at HEAD, so it has the confirmed versions that exist at that commit.
        const all = [...model.answered.values()].flatMap((answered) => [...answered])
        const there = all.filter(([version, content]) => {
          try {
            return real.git('cat-file', 'blob', `${from}:${versionFile(version)}`).endsWith(`\n---\n${content}`)
          } catch {
            return false
          }
        })
        model.answered.set(branch, new Map(there))
      }
      model.standing = branch === '' ? undefined : branch
    },
  )

const switchTo = (branch: string, mayRemove: boolean) =>
  move(`switch to ${branch}`, mayRemove, ({ git }) =>
    git('branch', '--list', branch) === '' ? ['switch', '-q', '-c', branch] : ['switch', '-q', branch],
  )

const call = fc.integer({ min: 1, max: GIT_WRITES })
/** Half of the kills happen while the branch is being updated, the only moment that leaves unfinished work. */
const killedAt = fc.oneof(call, fc.constant('update-ref' as const))
/** The more often a step is listed, the more often it is chosen. Publishes and kills are the most frequent steps. */
const steps = [
  fc.boolean().map(publish),
  fc.boolean().map(publish),
  fc
    .tuple(killedAt, fc.constantFrom('before' as const, 'after' as const), fc.boolean())
    .map((of) => publishAndKill(...of)),
  fc.constant(kill),
  fc.tuple(call, fc.boolean()).map((of) => fullDisk(...of)),
  fc.constant(restart),
  fc.constant(restart),
  fc.constant(edit),
  fc.boolean().map(commitByHand),
  fc.tuple(fc.constantFrom('main', 'another'), fc.boolean()).map((of) => switchTo(...of)),
  fc.tuple(fc.constantFrom('main', 'another'), fc.boolean()).map((of) => switchTo(...of)),
  fc.boolean().map((mayRemove) => move('detach', mayRemove, () => ['switch', '-q', '--detach'])),
]

test(`${RUNS} random sequences of publishing, manual git work, kills and full disks`, async () => {
  const counts = new Map<string, number>()
  let versions = 0
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: MAX_STEPS, size: 'max' }), async (commands) => {
      const world = openLocalWorld()
      const state = temporaryFolder('hub-state-')
      const contentDir = await world.contentDir()
      const folder = dirname(contentDir)
      const real: Real = {
        folder,
        contentDir,
        badGit: makeBadGit(),
        hub: undefined,
        blobsDirOf: (branch) => join(state, branch),
        git: (...args) =>
          execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
            cwd: folder,
            encoding: 'utf8',
            stdio: 'pipe',
          }),
        steps: counts,
      }
      const model: Model = {
        answered: new Map([['main', new Map()]]),
        standing: 'main',
        served: undefined,
        edit: undefined,
        pending: undefined,
        isUnfinished: false,
      }
      try {
        await fc.asyncModelRun(() => ({ model, real }), [restart, publish(false), ...commands])
        // Whatever happened before, a hub on main has every version and publishes the next one after the user has
        // discarded the edit.
        if (model.edit !== undefined) {
          if (real.git('ls-files', '--', INDEX) === '') rmSync(join(folder, INDEX))
          else real.git('checkout', '-q', '--', INDEX)
          model.edit = undefined
        }
        await fc.asyncModelRun(() => ({ model, real }), [restart, switchTo('main', true), restart, publish(true)])
        expect(model.served).toBe('main')
        for (const answered of model.answered.values()) versions += answered.size
      } finally {
        real.hub?.kill()
        await real.hub?.ended
      }
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  )
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.info(`${RUNS} sequences, ${all} steps, ${versions} versions:`, Object.fromEntries(counts))
})
