// Tests the Dockerfile by executing its steps one by one: it copies exactly the files that are needed, and the hub runs
// on a read-only file system.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundlePlaceOf, findBundle } from '../../src/hosts/node/builds/pages-bundle.ts'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { freePort } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { buildStage, canContain, type Image, ownerOf, sizeOf, start } from './container.ts'
import { listContext, readDockerfile } from './dockerfile.ts'

const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'))
const steps = stages.flatMap((stage) => stage.steps)
const argsOf = (word: string) => steps.filter((step) => step.word === word).flatMap(({ args }) => args)
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
const context = listContext(
  readFileSync('.dockerignore', 'utf8'),
  tracked
    .trim()
    .split('\n')
    .filter((file) => existsSync(file)),
)
const root = temporaryFolder('prompt-hub-image-')

describe('Dockerfile', () => {
  test('the last stage runs as the node user, with two volumes and a health check', () => {
    const last = stages.at(-1)!
    const words = last.steps.map(({ word }) => word)
    expect(words.filter((word) => ['USER', 'VOLUME', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(word))).toEqual([
      ...['VOLUME', 'USER', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
    ])
    expect([argsOf('USER'), argsOf('VOLUME')]).toEqual([['node'], ['/hub/.hub', '/catalogue']])
    expect(argsOf('CMD')).toEqual(['node', '--max-semi-space-size=2', 'scripts/start.ts'])
    expect(new Set(stages.map(({ base }) => base))).toEqual(
      new Set([`node:${readFileSync('.nvmrc', 'utf8').trim()}-bookworm-slim`]),
    )
  })

  test('contains no secrets', () => {
    expect(argsOf('ENV').join(' ')).not.toMatch(/TOKEN|SECRET|KEY/)
    expect(steps.some(({ args }) => args.join(' ').includes('.env'))).toBe(false)
  })

  test('npm, the systemd service and the image use the same commands to start, and to bundle the pages', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(argsOf('CMD')?.join(' ')).toBe(scripts.start)
    expect(argsOf('RUN').some((command) => command.startsWith(`${scripts.prepare} && `))).toBe(true)
    expect(readFileSync('deploy/systemd/prompt-hub.service', 'utf8')).toContain(`/.bin/${scripts.start}\n`)
  })

  test('the build context excludes git data, tests, content and local settings', () => {
    expect(new Set(context.map((file) => file.split('/')[0]))).toEqual(
      new Set([
        ...['.npmrc', '.nvmrc', 'astro.config.mjs', 'clients', 'netlify', 'package-lock.json', 'package.json'],
        ...['packages', 'releases', 'scripts', 'src', 'tsconfig.json'],
      ]),
    )
    const given = listContext(
      readFileSync('.dockerignore', 'utf8'),
      words`
      .env .git/config src/a.ts src/a.test.ts src/b/a.test.ts scripts/bench/x.ts scripts/start.ts
    `,
    )
    expect(given).toEqual(['src/a.ts', 'scripts/start.ts'])
  })
})

test.runIf(canContain)(
  'every build step runs, and the hub serves and publishes while writing only to its volumes',
  async () => {
    const images = new Map<string, Image>()
    for (const [index, stage] of stages.entries()) {
      const name = stage.name ?? String(index)
      images.set(name, buildStage(stage, join(root, name), { dir: '.', files: context }, images))
    }
    const image = [...images.values()].at(-1)!
    const hub = join(image.root, image.workdir)
    // The image contains our own files and the installed npm packages, without test browsers or a second Node.
    expect(sizeOf(hub)).toBeLessThan(300e6)
    expect(existsSync(join(hub, 'node_modules/vitest'))).toBe(false)
    // The pages are part of the image, because bundling them needs 400 MB of memory and a writable folder.
    expect(findBundle(bundlePlaceOf(hub))).toBeDefined()
    expect(image.volumes.map((volume) => ownerOf(join(image.root, volume)))).toEqual([1000, 1000])

    // git rejects repositories owned by another user, so this test owns the repository while it writes to it.
    chownSync(join(image.root, 'catalogue'), 0, 0)
    const catalogue = makeRepository('ready', {
      folder: join(image.root, 'catalogue'),
      files: { 'content/acme/greet/versions/1.0.0.md': versionFile('Greet {{name}}.') },
    })
    giveTo(1000, catalogue.folder)
    const before = listFiles(image.root)
    const port = String(await freePort())
    const running = start(image, image.command, { PORT: port, RATE_LIMIT_PER_MINUTE: '0' })
    let log = ''
    for (const stream of [running.stdout, running.stderr]) stream?.on('data', (text) => (log += text))
    try {
      const url = `http://localhost:${port}`
      await poll(`the hub serves\n${log}`, 60_000, async () => {
        if (running.exitCode !== null) throw new Error(`it ended by itself:\n${log}`)
        const answer = await fetch(`${url}/readyz`).catch(() => undefined)
        return answer?.status === 200 ? true : undefined
      }).catch((error: Error) => {
        throw new Error(`${error.message}\n${log}`)
      })
      expect(await (await fetch(`${url}/api/v1/repos/acme/greet/raw`)).text()).toBe('Greet {{name}}.\n')
      const inside = (command: readonly string[], environment: Record<string, string> = {}) =>
        new Promise<{ code: number | null; stdout: string }>((done) => {
          const child = start(image, command, { PORT: port, ...environment })
          let stdout = ''
          child.stdout?.on('data', (text) => (stdout += text))
          child.on('close', (code) => done({ code, stdout }))
        })
      const [healthy, ill, token, tried, who] = await Promise.all([
        inside(image.healthcheck),
        inside(image.healthcheck, { PORT: '9' }),
        inside(['node', 'scripts/token.ts', 'acme']),
        inside([
          'sh',
          '-c',
          'for d in . src .pages node_modules /etc /usr /home/node; do touch $d/x 2>/dev/null && echo $d; done; touch .hub/x /catalogue/x /tmp/x && rm .hub/x /catalogue/x && echo volumes',
        ]),
        inside(['id', '-u']),
      ])
      expect([healthy.code, ill.code, tried.stdout, who.stdout]).toEqual([0, 1, 'volumes\n', '1000\n'])
      const published = await fetch(`${url}/api/v1/repos/acme/greet/versions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token.stdout.trim()}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ content: 'Greet {{name}} kindly.\n' }),
      })
      expect(published.status).toBe(201)
      expect(await (await fetch(`${url}/api/v1/repos/acme/greet/raw`)).text()).toBe('Greet {{name}} kindly.\n')
    } finally {
      running.kill('SIGTERM')
      await new Promise((closed) => running.once('close', closed))
    }
    giveTo(0, catalogue.folder)
    expect(catalogue.git('log', '--format=%s', '-1').trim()).toBe('Publish acme/greet 1.0.1')
    expect(listFiles(image.root)).toEqual(before)
  },
  600_000,
)

/** Returns everything except the packages, the volumes and the system folders of this machine. */
function listFiles(image: string): string[] {
  const own = readdirSync(join(image, 'hub')).filter((name) => !['.hub', 'node_modules'].includes(name))
  const list = (path: string): string[] =>
    statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => list(join(path, name))) : [path]
  return [...own.map((name) => `hub/${name}`), 'etc', 'home'].flatMap((place) => list(join(image, place)))
}

function giveTo(id: number, folder: string): void {
  chownSync(folder, id, id)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chownSync(join(entry.parentPath, entry.name), id, id)
}
