// Tests the self-hosting guides by following them: it runs every shell command as far as possible on this machine, and
// checks every configuration with the program that it is for.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, type Running, startCaddy } from '../host/programs.ts'
import { freePort } from '../hubs/processes.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Debian, isDebianRoot, LINK_PACKAGES, openDebian } from './debian.ts'
import { blocksOf } from './follow-guide.ts'
import { testPrivateGuide } from './private-guide.ts'

const UNIT = 'deploy/systemd/prompt-hub.service'

test.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)('systemd accepts the unit file', () => {
  const dir = temporaryFolder('prompt-hub-unit-')
  // systemd-analyze checks whether the program exists, so the test uses this machine's path instead of the guide's.
  const unit = readFileSync(UNIT, 'utf8').replace('/srv/prompt-hub/node_modules/.bin/node', process.execPath)
  writeFileSync(join(dir, 'prompt-hub.service'), unit)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(dir, 'prompt-hub.service')], {
    encoding: 'utf8',
  })
  expect([status, stderr.split('\n').filter((line) => line.includes('prompt-hub'))]).toEqual([0, []])
})

test('the unit file uses the folders from the guide and can write nowhere else', () => {
  const unit = readFileSync(UNIT, 'utf8')
  const guide = readFileSync('src/pages/docs/hosting-machine.md', 'utf8')
  const folders = [...new Set(unit.replace(/^ExecStart=.*$/m, '').match(/\/(?:srv|etc)\/[\w./-]+/g))].sort()
  expect(folders).toEqual(['/etc/prompt-hub.env', '/srv/catalogue', '/srv/prompt-hub', '/srv/prompt-hub/.hub'])
  for (const folder of folders) expect(guide).toContain(`\`${folder}\``)
  expect(unit).toContain('ReadWritePaths=/srv/prompt-hub/.hub /srv/catalogue\n')
  expect(unit).toMatch(/ProtectSystem=strict[\s\S]*NoNewPrivileges=yes/)
})

const [
  install,
  catalogue,
  protect,
  doctor,
  service,
  container,
  look,
  publish,
  backup,
  restore,
  upgrade,
  goBack,
  ...more
] = blocksOf('hosting-machine', 'sh') as [
  ...[string, string, string, string, string, string, string, string, string, string, string, string],
]

test('the container command uses the volumes and port of the image', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  for (const volume of ['/hub/.hub', '/catalogue']) {
    expect(container).toMatch(new RegExp(`--volume \\S+:${volume}[ \n]`))
    expect(dockerfile).toMatch(new RegExp(`VOLUME .*"${volume}"`))
  }
  expect(container).toContain('--read-only --tmpfs /tmp')
  expect(container).toContain('127.0.0.1:8888:8888')
  expect(dockerfile).toContain('EXPOSE 8888')
})

const isPossible = isDebianRoot && isInstalled('caddy')

describe.skipIf(!isPossible)('a hub on one machine, set up by the guide (needs root on Debian, needs caddy)', () => {
  let machine: Debian
  let caddy: Running | undefined
  let url: string
  let hubPort: number
  beforeAll(async () => {
    const frontPort = await freePort()
    hubPort = await freePort()
    url = `http://localhost:${frontPort}`
    machine = await openDebian({ 'localhost:8888': `localhost:${hubPort}`, 'https://hub.example.org': url })
    const caddyfile = blocksOf('hosting-machine', 'caddyfile')[0]!.replaceAll('localhost:8888', `localhost:${hubPort}`)
    caddy = await startCaddy(frontPort, caddyfile)
  })
  afterAll(async () => {
    await caddy?.stop()
    machine?.remove()
  })
  /** A token from before everything was lost. */
  let token: string
  const versions = async () => {
    const answer = await fetch(`http://localhost:${hubPort}/api/v1/repos/acme/greeting/versions`)
    return ((await answer.json()) as { data: { version: string }[] }).data.map(({ version }) => version)
  }
  const makeToken = async () =>
    (
      await machine.run(['cd /srv/prompt-hub; runuser -u prompt-hub -- node_modules/.bin/node scripts/token.ts acme'])
    ).trim()
  /** Publishes through the proxy. @returns the response */
  const sendWith = (token: string, content: string) =>
    fetch(`${url}/api/v1/repos/acme/greeting/versions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ content, changelog: 'More' }),
    })
  /** Publishes, and tries again after 503, as every client does: on a busy machine, work on a text can take too long. */
  const publishWith = async (token: string, content: string) => {
    for (let tries = 1; ; tries++) {
      const answer = await sendWith(token, content)
      if (answer.status !== 503 || tries === 5) return answer
      await answer.arrayBuffer()
      await sleep(5_000)
    }
  }
  const twice = (block: string) => [block, block]
  const commandFor = (block: string) => /^npx .* npm ci .*$/m.exec(block)?.[0]
  /** Returns a block with another command instead of its `npm ci`. */
  const withoutPackages = (block: string, instead: string) => {
    expect(commandFor(block)).toBe(commandFor(install))
    return block.replace(commandFor(install)!, instead)
  }
  /** Lists the files of the hub that its user does not own, or that others can read. */
  const listForeign = () =>
    machine.run([
      'find /srv/prompt-hub/.hub /srv/catalogue \\! -user prompt-hub',
      'find /srv/prompt-hub/.hub /srv/catalogue /etc/prompt-hub.env -maxdepth 0 -perm /077',
    ])

  // A block runs twice where the second run finds what the first one made.
  test('is installed and checked', async () => {
    expect(more).toEqual([])
    // To install the packages takes long.
    expect(commandFor(install)).toBe('npx --yes --package=node@24 --package=npm@11 -- npm ci --omit=dev')
    await machine.run([withoutPackages(install, LINK_PACKAGES), ...twice(catalogue), ...twice(protect)])
    // Where there is no Node, it comes from Debian. To install its 350 packages would take longer than all else here.
    expect(install).toMatch(/^command -v npx > \/dev\/null \|\| apt-get install .* nodejs npm$/m)
    // The settings of this test: its port, and no limit for its reads.
    const settings = `${blocksOf('hosting-machine', 'ini')[0]}PORT=${hubPort}\nRATE_LIMIT_PER_MINUTE=100000\nMETRICS=on\n`
    await machine.write('/etc/prompt-hub.env', settings)
    expect(await machine.run([doctor])).toMatch(/All checks passed/)
    expect(
      await machine.run([
        'git -C /srv/catalogue status 2>&1 || true; runuser -u prompt-hub -- git -C /srv/catalogue log --format=%s',
      ]),
    ).toMatch(/dubious ownership[\s\S]*\nFirst prompt\n$/)
    expect(await listForeign()).toBe('')
    expect(await machine.run(['ls -A /srv/prompt-hub/.hub'])).toBe('')
  }, 900_000)

  test('runs as a service of its own user, is reachable through Caddy and accepts a publish', async () => {
    const said = await machine.run([service, look, publish])
    expect(said).toMatch(/ok +hub-mcp[\s\S]*All checks passed[\s\S]*"version":"1\.0\.1"/)
    expect(await versions()).toEqual(['1.0.1', '1.0.0'])
    expect(await machine.run(['ps -o user= -p "$(cat /run/prompt-hub.pid)"; cat /var/log/prompt-hub.log'])).toMatch(
      /^prompt-hub\n[\s\S]*"path":"\/mcp","status":200/,
    )
    expect(await listForeign()).toBe('')
    expect((await fetch(`http://localhost:${hubPort}/metrics`)).status).toBe(200)
    for (const path of ['/metrics', '/metrics/', '//metrics', '/METRICS', '/%6detrics', '/metrics?x', '/./metrics'])
      expect([path, await readStatus(url, path)]).toEqual([path, expect.stringMatching(/^(?:404|308)$/)])
  }, 300_000)

  test('is backed up while it runs, as often as you like, and restored without data loss', async () => {
    token = await makeToken()
    await machine.run(twice(backup))
    expect((await publishWith(token, 'Greet {{input}} warmly.\n')).status).toBe(201)
    await machine.run([backup])
    expect(await machine.run(['cd /var/backups/prompt-hub; stat --format "%n %a %U" . *'])).toMatch(
      /^\. 700 prompt-hub\n(?:prompt-hub-\d{8}T\d{6}Z\.tar 600 prompt-hub\n)+prompt-hub\.env 600 root\n$/,
    )
    expect(await machine.run(['runuser -u nobody -- ls /var/backups/prompt-hub 2>&1 || true'])).toMatch(
      /Permission denied/,
    )
    const late = await makeToken()
    // Everything on the machine is lost, except for the backup, and for the code, which is installed again in its place.
    await machine.run([
      'systemctl stop prompt-hub; rm -rf /srv/catalogue /srv/prompt-hub/.hub /etc/prompt-hub.env /etc/systemd/system/*',
      // The programs of the machine are still there.
      withoutPackages(install, LINK_PACKAGES).replaceAll(/^apt-get .*\n/gm, ''),
      ...[restore, restore, service],
    ])
    expect(await versions()).toEqual(['1.0.2', '1.0.1', '1.0.0'])
    expect(
      await machine.run(['ls -d /srv/catalogue*; runuser -u prompt-hub -- git -C /srv/catalogue fsck --full 2>&1']),
    ).toMatch(/^\/srv\/catalogue\n(?:\/srv\/catalogue-before-\S+\n)+$/)
    expect(await listForeign()).toBe('')
    expect((await publishWith(late, 'No.\n')).status).toBe(401)
    expect((await publishWith(token, 'Greet {{input}} on the new machine.\n')).status).toBe(201)
    expect(await versions()).toEqual(['1.0.3', '1.0.2', '1.0.1', '1.0.0'])
  }, 600_000)

  test('loses no read behind Caddy during an upgrade, and keeps its versions and tokens, also after going back', async () => {
    // To install the packages takes long.
    const npx = `printf '#!/bin/sh\\n%s\\n' '${LINK_PACKAGES}' >/usr/local/sbin/npx; chmod 755 /usr/local/sbin/npx`
    const before = await versions()
    const isKept = async () => {
      expect(await versions()).toEqual(before)
      expect(await machine.run(['ls /srv/*'])).not.toMatch(/^prompt-hub(?:-next)?$/m)
    }
    const statuses = new Map<string, number>()
    let isOver = false
    const readers = ['/api/v1/repos/acme/greeting/raw', '/data/v1/tags.json', '/docs', '/acme/greeting'].map(
      async (path) => {
        // Each address is read during the upgrade, however few reads a busy machine manages, and after it.
        for (let wasOver = false; !wasOver; await sleep(100)) {
          wasOver = isOver
          const status = await fetch(url + path).then(({ status }) => `${status}`, String)
          statuses.set(`${path} ${status}`, (statuses.get(`${path} ${status}`) ?? 0) + 1)
        }
      },
    )
    // There was an upgrade before this one, and another that was interrupted.
    await machine
      .run([
        `mkdir -p /srv/prompt-hub-next/left /srv/prompt-hub-before/left; ${npx}`,
        upgrade.replace('VERSION', '1.0.0'),
      ])
      .finally(() => {
        isOver = true
      })
    await Promise.all(readers)
    expect([...statuses.keys()].filter((answer) => !answer.endsWith(' 200'))).toEqual([])
    expect(Math.min(...statuses.values())).toBeGreaterThan(1)
    await isKept()
    await machine.run([goBack])
    await isKept()
    const published = await publishWith(token, 'Greet {{input}} once more.\n')
    expect(published.status).toBe(201)
    expect(await versions()).toHaveLength(before.length + 1)
    expect(await listForeign()).toBe('')
  }, 900_000)

  describe('and made private', () => testPrivateGuide(() => machine))
})

/** Requests a path exactly as given, which `fetch` would normalise. @returns the status */
const readStatus = (base: string, path: string): Promise<string> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(base)
    request({ hostname, port, path }, (answer) => {
      answer.resume()
      done(String(answer.statusCode))
    })
      .on('error', fail)
      .end()
  })
