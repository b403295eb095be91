// Owns keeping a served site up to date: building it apart, again whenever the content changed, and taking over in one step when it is complete.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { watch } from 'chokidar'
import type { Config } from '../config.ts'

import { whenAborted } from './abort.ts'
import { inBackground } from './background.ts'
import { type OpenSite, openSite, type Site } from './serve-sites.ts'

const BUILDS_DIR = resolve('.hub/builds')
/** Files often change together: a pull, a publish, an editor that writes twice. */
const SETTLE_MS = 150
/** How long requests that began with a site may still read its files after another took over. */
const RETIRE_MS = 10_000

/** A site that follows its content. */
export interface FollowedSite {
  /** The newest complete build. */
  site: () => Site
}

/**
 * Builds the content of the settings, then follows it until the signal.
 *
 * @param beforeBuild brings what git has into the content folder. @returns whether the folder holds everything that was published until then
 * @param onShow told when a build takes over that holds everything that was published until the given moment
 * @returns once the first build is complete; later ones that fail change nothing and say why
 * @throws when the first build fails; its reasons were printed
 */
export async function followContent(
  config: Config,
  signal: AbortSignal,
  { beforeBuild, onShow }: { beforeBuild: () => Promise<boolean>; onShow: (builtFrom: Date) => void },
): Promise<FollowedSite> {
  removeAbandonedBuilds()
  const retiring = new Set<NodeJS.Timeout>()
  let count = 0
  const build = async (): Promise<{ dir: string; opened: OpenSite; holdsAllUntil: Date | undefined } | undefined> => {
    const dir = join(BUILDS_DIR, `${process.pid}-${++count}`)
    const began = new Date()
    const holdsAllUntil = (await beforeBuild()) ? began : undefined
    if (await runBuild(join(dir, 'dist'), signal)) return { dir, opened: openSite(join(dir, 'dist')), holdsAllUntil }
    await rm(dir, { recursive: true, force: true })
    return undefined
  }
  whenAborted(signal, () => {
    for (const timer of retiring) clearTimeout(timer)
    removeBuildsOf(process.pid)
  })
  // Watching begins before the first build, so that nothing written while it runs is missed.
  const changes = watchContent(config.contentDir, signal)
  const first = await build()
  if (!first) throw new Error('The site was not built.')
  let current = first
  if (first.holdsAllUntil) onShow(first.holdsAllUntil)
  const follow = async () => {
    for await (const _ of changes) {
      const next = await build()
      if (signal.aborted) return
      if (!next) {
        console.error('The build failed; the site stays as it was.')
        continue
      }
      const { dir, opened } = current
      current = next
      if (next.holdsAllUntil) onShow(next.holdsAllUntil)
      console.log('The site shows the changed content.')
      const timer = setTimeout(() => {
        retiring.delete(timer)
        opened.close()
        inBackground('Removing an old build', () => rm(dir, { recursive: true, force: true }))
      }, RETIRE_MS)
      retiring.add(timer)
    }
  }
  inBackground('Following the content', follow)
  return { site: () => current.opened }
}

/** Watches from now on. @returns what yields once for any number of changes since the last time, when they have settled */
function watchContent(contentDir: string, signal: AbortSignal): AsyncIterable<void> {
  const watcher = watch(contentDir, { ignoreInitial: true, followSymlinks: false })
  let settled = Promise.withResolvers<void>()
  let settling: NodeJS.Timeout | undefined
  watcher.on('all', () => {
    clearTimeout(settling)
    settling = setTimeout(() => settled.resolve(), SETTLE_MS)
  })
  watcher.on('error', (error) =>
    console.error(`Changes in ${contentDir} cannot be followed: ${error instanceof Error ? error.message : error}`),
  )
  whenAborted(signal, () => {
    clearTimeout(settling)
    settled.resolve()
    inBackground('Ending the watch', () => watcher.close())
  })
  return {
    async *[Symbol.asyncIterator]() {
      while (!signal.aborted) {
        await settled.promise
        settled = Promise.withResolvers<void>()
        if (!signal.aborted) yield
      }
    },
  }
}

/** Astro keeps state of its own, so each build is a process of its own; it also leaves this one free to answer. @returns whether it succeeded */
function runBuild(outDir: string, signal: AbortSignal): Promise<boolean> {
  mkdirSync(outDir, { recursive: true })
  const astro = join(dirname(createRequire(import.meta.url).resolve('astro/package.json')), 'bin/astro.mjs')
  const child = spawn(process.execPath, [astro, 'build', '--outDir', outDir], {
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text))
  return new Promise((done) => {
    child.once('error', (error) => {
      if (!signal.aborted) console.error(error.message)
      done(false)
    })
    child.once('close', (code) => {
      if (code !== 0 && !signal.aborted) console.error(log.trimEnd())
      if (signal.aborted) rmSync(dirname(outDir), { recursive: true, force: true })
      done(code === 0 && !signal.aborted)
    })
  })
}

/** A process that was killed could not clean up; its folders carry its number. */
function removeAbandonedBuilds(): void {
  mkdirSync(BUILDS_DIR, { recursive: true })
  for (const name of readdirSync(BUILDS_DIR)) {
    const pid = Number(name.split('-')[0])
    if (pid !== process.pid && !isRunning(pid)) removeBuildsOf(pid)
  }
}

function removeBuildsOf(pid: number): void {
  for (const name of readdirSync(BUILDS_DIR)) {
    if (name.startsWith(`${pid}-`)) rmSync(join(BUILDS_DIR, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
