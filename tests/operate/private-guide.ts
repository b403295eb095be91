// Tests the guide to a private hub by following it. The hub from the single-machine guide, which guides.test.ts has set
// up, runs with this guide's settings and Caddyfile, and the doctor checks it over https from inside and outside the network.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { poll } from '../e2e/client.ts'
import { freePort } from '../hubs/processes.ts'
import type { Debian } from './debian.ts'
import { blocksOf } from './follow-guide.ts'

// The first blocks are those of a hub for a company, which tests/operate/company-guide.test.ts follows.
const [, settings = '', ...moreSettings] = blocksOf('hosting-private', 'ini')
const [, caddyfile = '', ...moreCaddy] = blocksOf('hosting-private', 'caddyfile')
const look = blocksOf('hosting-private', 'sh').at(-1)!
const service = blocksOf('hosting-machine', 'sh')[4]!

/** Adds the tests. @param opened returns the machine, on which the hub runs; called once it does */
export function testPrivateGuide(opened: () => Debian): void {
  let machine: Debian
  let caddy: ChildProcess | undefined
  let hubPort: number
  let port: number
  let plainPort: number
  beforeAll(async () => {
    ;[hubPort, port, plainPort] = [await freePort(), await freePort(), await freePort()]
    machine = opened().renamed({
      'localhost:8888': `localhost:${hubPort}`,
      'https://prompts.internal': `https://prompts.internal:${port}`,
      'https://hub.example.org': `https://prompts.internal:${port}`,
    })
    await machine.run(['echo 127.0.0.1 prompts.internal >> /etc/hosts'])
  })
  afterAll(() => stopCaddy())

  const AUTHORITY = 'caddy/pki/authorities/local/root.crt'
  /**
   * Starts Caddy with the guide's Caddyfile on our own ports; its certificate authority is stored in a separate folder.
   */
  async function startCaddy(change: (text: string) => string = (text) => text): Promise<void> {
    const options = [
      ...['admin off', 'skip_install_trust', 'auto_https disable_redirects', `http_port ${plainPort}`],
      ...[`https_port ${port}`, `storage file_system ${machine.shared}/caddy`],
    ]
    const file = join(machine.shared, 'Caddyfile')
    const site = caddyfile.replaceAll('localhost:8888', `localhost:${hubPort}`)
    writeFileSync(file, `{\n${options.join('\n')}\n}\n${change(site)}`)
    caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore' })
    await poll('Caddy with its certificate', 60_000, async () => {
      if (caddy!.exitCode !== null) throw new Error('ended by itself')
      const { status } = spawnSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`])
      return status === 0 && existsSync(join(machine.shared, AUTHORITY)) ? true : undefined
    })
  }
  async function stopCaddy(): Promise<void> {
    if (!caddy || caddy.exitCode !== null) return
    const ended = new Promise((done) => caddy!.once('exit', done))
    caddy.kill()
    await ended
  }
  /**
   * Runs code blocks as a member of the network, which resolves the host name and, by default, trusts the certificate
   * authority.
   */
  const fromInside = (blocks: readonly string[], isTrusting = true) =>
    machine.run([
      isTrusting ? `export NODE_EXTRA_CA_CERTS=/mnt/${AUTHORITY} CURL_CA_BUNDLE=/mnt/${AUTHORITY}` : '',
      ...blocks,
    ])

  test('is a private hub with the settings of the guide, and passes all checks inside the network', async () => {
    expect([moreSettings, moreCaddy]).toEqual([[], []])
    await machine.write('/etc/prompt-hub.env', `CONTENT_DIR=/srv/catalogue/content\n${settings}PORT=${hubPort}\n`)
    await machine.run([service])
    await startCaddy()
    expect(await fromInside([look])).toMatch(/ok +hub-mcp[\s\S]*ok +hub-publishing[\s\S]*All checks passed/)
  }, 900_000)

  test('does not respond outside the network or without the root certificate, and listens only on localhost', async () => {
    const address = /--url (\S+)/.exec(look)![1]
    const read = [`curl -sS -o /dev/null ${address}/readyz 2>&1 || echo "failed with $?"`]
    expect(await fromInside(read)).toBe('')
    expect(await fromInside(read, false)).toMatch(/certificate[\s\S]*failed with 60/)
    await stopCaddy()
    // Here, requests from this machine come from outside the network.
    await startCaddy((text) => text.replace('private_ranges', '192.0.2.0/24'))
    expect(await fromInside(read)).toMatch(/failed with (?:52|56|92)/)
    expect(listeners(hubPort)).toEqual(['00000000000000000000000001000000', '0100007F'])
  })
}

/**
 * Returns the IP addresses on which a process listens, in the kernel's format: ::1 and 127.0.0.1. See proc_pid_net(5).
 */
function listeners(port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n').slice(1))
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = '', , state]) => state === '0A' && local.endsWith(ending))
    .map(([, local = '']) => local.slice(0, -ending.length))
    .sort()
}
