// Kills hubs and git during a publish, and checks the repository afterwards.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { readContentDir } from '../../src/content/content-dir.ts'
import { REPOSITORY } from '../hubs/publishing.ts'
import type { World } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { judgeHistory } from './history.ts'
import type { KillableSettings } from './killable-hub.ts'

/** A response, or `died` if the process died before it responded. */
export type Reply = { status: number; text: string } | 'died'

/** A request to the hub: to publish, to change something, or to read. */
interface Question {
  method: 'POST' | 'PUT' | 'PATCH' | 'GET'
  path: string
  body?: object
  key?: string
}

export type KillableHub = Awaited<ReturnType<typeof startKillable>>

/**
 * Starts a hub and lets it build its content. @param gitDir a folder with the `git` that the hub runs instead of the
 * real one
 */
export async function startKillable(settings: KillableSettings, gitDir?: string) {
  const program = join(import.meta.dirname, 'killable-hub.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...(gitDir !== undefined && { PATH: `${gitDir}:${process.env.PATH}` }) },
  })
  const ended = once(child, 'close')
  const listening = once(createInterface(child.stdout), 'line')
  const [line] = await Promise.race([
    listening,
    ended.then(() => Promise.reject(new Error('ended before it was ready'))),
  ])
  const { url, token }: { url: string; token: string } = JSON.parse(line)
  const ask = async ({ method, path, body, key }: Question): Promise<Reply> => {
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${token}`,
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
        body: body ? JSON.stringify(body) : null,
      })
      return { status: answer.status, text: await answer.text() }
    } catch (error) {
      if (child.signalCode === null) await ended
      expect(child.signalCode, String(error)).toBe('SIGKILL')
      return 'died'
    }
  }
  /** Builds the current content and serves it from then on. */
  const build = async () =>
    expect(await ask({ method: 'POST', path: '/build' })).toEqual({ status: 200, text: 'built' })
  await build()
  return {
    ask,
    build,
    /** @param more further fields of the request */
    publish: (content: string, key: string, more?: object) =>
      ask({
        method: 'POST',
        path: `/api/v1/repos/${REPOSITORY}/versions`,
        key,
        body: { content, changelog: key, ...more },
      }),
    /** Sends SIGKILL. */
    kill: () => child.kill('SIGKILL'),
    isAlive: () => child.signalCode === null,
    ended,
  }
}

/** A git wrapper that, at a chosen call, fails or kills the process that runs it. */
export interface BadGit {
  /** The folder to put first in PATH. */
  dir: string
  /**
   * @param call the 1-based number of the call, counted from now on; or a git command such as `update-ref`, to select
   * the next call of that command
   * @param what whether the process is killed before, after or instead of a run of the real git; with `full`, this call
   * and all later calls that write fail, as on a full disk
   * @param counted whether only calls that may write count. A call that only reads leaves nothing behind, so a kill
   * there leaves the same as a kill before the next call that writes
   */
  arm(call: number | string, what: 'before' | 'after' | 'instead' | 'full', counted?: 'all' | 'writes'): void
  disarm(): void
  /** Returns the number of calls since `arm` was called. */
  calls(): number
}

const findGit = () => runSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
let real: string | undefined

export function makeBadGit(): BadGit {
  const dir = temporaryFolder('hub-git-')
  real ??= findGit()
  writeFileSync(
    join(dir, 'git'),
    `#!/bin/sh
read -r at what counted < '${dir}/armed'
[ "$at" = 0 ] && exec ${real} "$@"
if [ "$counted" = writes ]; then
  case " $* " in *' rev-parse '* | *' log '* | *' cat-file '* | *' ls-files '* | *' ls-tree '*) exec ${real} "$@" ;; esac
fi
read -r n < '${dir}/count'
n=$((n + 1))
echo "$n" > '${dir}/count'
case " $* " in *" $at "*)
  echo "0 none all" > '${dir}/armed'
  at=$n ;;
esac
if [ "$what" = full ] && [ "$n" -ge "$at" ]; then
  case " $* " in
    *' fast-import '* | *' update-index '* | *' update-ref '*)
      echo 'fatal: No space left on device' >&2
      exit 128 ;;
  esac
fi
[ "$n:$what" = "$at:instead" ] && kill -9 $PPID && exit 1
[ "$n:$what" = "$at:before" ] && kill -9 $PPID
[ "$n:$what" = "$at:after" ] || exec ${real} "$@"
${real} "$@"
status=$?
kill -9 $PPID
exit $status
`,
  )
  chmodSync(join(dir, 'git'), 0o755)
  const arm = (call: number | string, what: string, counted = 'all') => {
    writeFileSync(join(dir, 'count'), '0\n')
    writeFileSync(join(dir, 'armed'), `${call} ${what} ${counted}\n`)
  }
  arm(0, 'none')
  return {
    dir,
    arm,
    disarm: () => arm(0, 'none'),
    calls: () => Number(readFileSync(join(dir, 'count'), 'utf8')),
  }
}

/** Maps each confirmed version to its content. */
export type Answered = Map<string, string>

/** Records a response. @returns the version, or undefined if the publish failed */
export function noteAnswer(answered: Answered, content: string, reply: Reply): string | undefined {
  if (reply === 'died' || reply.status > 201) return undefined
  const { data }: { data: { version: string; content: string } } = JSON.parse(reply.text)
  expect(data.content).toBe(content)
  // A repeated number must belong to the same content.
  expect(answered.get(data.version) ?? content).toBe(content)
  answered.set(data.version, content)
  return data.version
}

/** Checks that a hub returns the confirmed versions. @param versions the versions to check; all by default */
export async function expectReadable(
  hub: KillableHub,
  answered: Answered,
  versions: Iterable<string> = answered.keys(),
): Promise<void> {
  for (const version of versions) {
    const path = `/api/v1/repos/${REPOSITORY}/raw?version=${version}`
    expect(await hub.ask({ method: 'GET', path }), version).toEqual({ status: 200, text: answered.get(version) })
  }
}

/**
 * Checks that a clean build from a clone contains every confirmed version, and that git finds the history intact: each
 * commit adds one version file, and no version file ever changes.
 */
export async function expectKept(world: World, answered: Answered): Promise<void> {
  await judgeHistory(world)
  const folder = temporaryFolder('hub-clone-')
  runSync('git', ['clone', '-q', '--branch', 'main', await world.gitFolder(), folder])
  const { tree, problems } = readContentDir(join(folder, 'content'))
  expect(problems).toEqual([])
  const kept = new Map(tree.repositories.get(REPOSITORY)?.versions.map(({ version, content }) => [version, content]))
  for (const [version, content] of answered) expect(kept.get(version), version).toBe(content)
}
