// Tests the self-hosting guides by following them: it runs every shell command as far as possible on this machine, and
// checks every configuration with the program that it is for.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, type Running, startCaddy, startNginx } from '../host/programs.ts'
import { freePort } from '../hubs/processes.ts'
import { blocksOf, type GuideMachine, openMachine } from './follow-guide.ts'

const UNIT = 'deploy/systemd/prompt-hub.service'

test.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)('systemd accepts the unit file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-hub-unit-'))
  // systemd-analyze checks whether the program exists, so the test uses this machine's path instead of the guide's.
  const unit = readFileSync(UNIT, 'utf8').replace('/srv/prompt-hub/node_modules/.bin/node', process.execPath)
  writeFileSync(join(dir, 'prompt-hub.service'), unit)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(dir, 'prompt-hub.service')], {
    encoding: 'utf8',
  })
  rmSync(dir, { recursive: true })
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

describe('a hub on one machine, set up by the guide', () => {
  const [install, catalogue, doctor, service, container, look, publish, backup, restore, upgrade, ...more] = blocksOf(
    'hosting-machine',
    'sh',
  ) as [string, string, string, string, string, string, string, string, string, string]
  const settings = blocksOf('hosting-machine', 'ini')[0]!
  const caddyfile = blocksOf('hosting-machine', 'caddyfile')[0]!
  let machine: GuideMachine
  let second: GuideMachine | undefined
  let caddy: Running | undefined
  let url: string
  let hubPort: number
  beforeAll(async () => {
    const [port, frontPort] = [await freePort(), await freePort()]
    hubPort = port
    url = isInstalled('caddy') ? `http://localhost:${frontPort}` : `http://localhost:${port}`
    machine = openMachine(port, url)
    if (isInstalled('caddy')) caddy = await startCaddy(frontPort, machine.localise(caddyfile))
  })
  afterAll(async () => {
    await caddy?.stop()
    await machine?.remove()
    await second?.remove()
  })
  const write = (on: GuideMachine) => writeFileSync(join(on.root, 'etc/prompt-hub.env'), on.localise(settings))
  const versions = async (port: number) => {
    const answer = await fetch(`http://localhost:${port}/api/v1/repos/acme/greeting/versions`)
    return ((await answer.json()) as { data: { version: string }[] }).data.map(({ version }) => version)
  }

  test('is installed, checked and started, is reachable through Caddy and accepts a publish', async () => {
    expect(more).toEqual([])
    await machine.follow([install, catalogue])
    write(machine)
    expect(await machine.follow([`cd /srv/prompt-hub`, doctor])).toMatch(/All checks passed/)
    await machine.follow([`cd /srv/prompt-hub`, service])
    const said = await machine.follow([`cd /srv/prompt-hub`, look, publish])
    expect(said).toMatch(/ok +hub-mcp[\s\S]*All checks passed/)
    expect(said).toMatch(/"version":"1\.0\.1"/)
    expect(await versions(hubPort)).toEqual(['1.0.1', '1.0.0'])
    expect(machine.log()).toMatch(/"path":"\/mcp","status":200/)
  })

  test.skipIf(!isInstalled('nginx'))(
    'passes the same checks behind nginx as documented',
    async () => {
      const nginx = await startNginx(await freePort(), [hubPort])
      const failed = await machine
        .follow([
          `cd /srv/prompt-hub`,
          `npm run --silent doctor -- --json --url ${nginx.url.replace('127.0.0.1', 'localhost')}`,
        ])
        .catch((error: Error) => error.message)
      await nginx.stop()
      // The only problem reported is that this URL is not the hub's own.
      const wrong = [...failed.matchAll(/"check": "([\w-]+)",\s+"about": "[^"]*",\s+"outcome": "error"/g)].map(
        ([, name]) => name,
      )
      expect(wrong).toEqual(['hub-address'])
    },
    30_000,
  )

  test('is backed up during a publish and restored on another machine without data loss', async () => {
    const [first = '', then = ''] = backup.trim().split('\n')
    const again = publish.replace('kindly', 'warmly')
    await machine.follow([`cd /srv/prompt-hub`, first, again, then])
    expect(await versions(hubPort)).toEqual(['1.0.2', '1.0.1', '1.0.0'])
    const token = await machine.follow([`cd /srv/prompt-hub`, 'npm run --silent token -- acme'])
    const other = await freePort()
    second = openMachine(other, `http://localhost:${other}`)
    write(second)
    await second.follow([
      install,
      `cp ${machine.root}/var/backups/* /var/backups/`,
      restore,
      `cd /srv/prompt-hub`,
      service,
    ])
    expect(await versions(other)).toEqual(['1.0.2', '1.0.1', '1.0.0'])
    // The restored hub lacks everything that was created after the backup. The next publish gets the next number, and
    // requires a token from the store on this machine.
    const refused = await second.follow([
      `TOKEN=${token.trim()}`,
      publish.split('\n').slice(1).join('\n').replace('--fail-with-body', ''),
    ])
    expect(refused).toMatch(/unauthorized/)
    expect(await second.follow([`cd /srv/prompt-hub`, publish.replace('kindly', 'on the new machine')])).toMatch(
      /"version":"1\.0\.3"/,
    )
    await second.follow(['systemctl stop prompt-hub'])
  })

  test('keeps its versions and tokens after an upgrade', async () => {
    const token = await machine.follow([`cd /srv/prompt-hub`, 'npm run --silent token -- acme'])
    await machine.follow([upgrade])
    expect(await versions(hubPort)).toEqual(['1.0.2', '1.0.1', '1.0.0'])
    const withToken = [`TOKEN=${token.trim()}`, publish.split('\n').slice(1).join('\n').replace('kindly', 'once more')]
    expect(await machine.follow(withToken)).toMatch(/"version":"1\.0\.3"/)
    await machine.follow(['systemctl stop prompt-hub'])
  })

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

  test('is mirrored by following the mirror guide', async () => {
    const [build, serve, check, read, ...rest] = blocksOf('hosting-mirror', 'sh') as [string, string, string, string]
    expect(rest).toEqual([])
    const port = String(await freePort())
    const at = (block: string) => block.replaceAll(/\b8000\b/g, port)
    const said = await machine.follow([
      'cd /srv/prompt-hub',
      'export CONTENT_DIR=/srv/catalogue/content',
      build,
      `${at(serve).trim()} >/dev/null 2>&1 & server=$!`,
      `tries=0; until curl -fs -o /dev/null http://localhost:${port}/ || [ $tries -gt 50 ]; do tries=$((tries + 1)); sleep 0.1; done`,
      `{ ${at(check)} ${at(read)} } || { kill $server; exit 1; }`,
      'kill $server',
    ])
    expect(said).toMatch(/4 {2}getVersion[\s\S]*Every API read except search is available as a file\./)
    expect(said).toContain('1.0.3')
  })
})
