// Tests that hubcli names what is wrong and what to do, where a person would otherwise look in the wrong place: at
// certificates, proxies, missing programs, other spellings of a version, and prompts that should not be used any more.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../listen.ts'
import { type PlainFiles, startPlainFiles } from './plain-files.ts'
import { findProgram, makeFolder, makeTools, runHubcli, SHELL } from './shells.ts'
import { STAND_IN_TOKEN, withStandIn } from './stand-in.ts'

let hub: PlainFiles
let cwd: string
beforeEach(async () => {
  cwd = makeFolder()
  hub = await startPlainFiles('hub', {
    'acme/x': { versions: { '1.0.0': 'one', '1.1.0': 'two', '2.0.0': 'three' }, labels: { live: '1.0.0' } },
  })
})
afterEach(() => hub.close())

const OPENSSL = findProgram('openssl')
const servers: Server[] = []
const certificates = makeFolder()
/** Starts an https server. @returns its URL and the file with its certificate */
async function startHttps(name: string, days = '2'): Promise<{ url: string; certificate: string }> {
  const [key, certificate] = ['key', 'crt'].map((end) => path.join(certificates, `${name}${days}.${end}`)) as [
    string,
    string,
  ]
  const subject = /^[0-9.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`
  const dates = days === 'past' ? ['-not_before', '20200101000000Z', '-not_after', '20200102000000Z'] : ['-days', days]
  const options = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...dates,
  ]
  execFileSync(OPENSSL!, [...options, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${subject}`], {
    stdio: 'pipe',
  })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, answer) =>
    answer.writeHead(200, { 'Content-Type': 'text/plain' }).end('x'),
  )
  servers.push(server)
  return { url: (await listen(server)).replace('http:', 'https:'), certificate }
}
afterAll(() => {
  for (const server of servers) server.close()
})

describe('hubcli', () => {
  const options = (env: Record<string, string> = {}) => ({ cwd, env: { HUB_URL: hub.url, ...env } })
  const run = (args: string[], env: Record<string, string> = {}) => runHubcli(SHELL, args, options(env))

  test.skipIf(OPENSSL === undefined)('a certificate that is not trusted is named in one sentence', async () => {
    const own = await startHttps('127.0.0.1')
    const other = await startHttps('hub.example')
    const refused = await run(['cat', 'acme/x'], { HUB_URL: own.url })
    expect(refused).toMatchObject({ code: 5, stdout: '', slept: [] })
    expect(refused.stderr).toMatch(
      /^hubcli: cannot trust the certificate of https:\/\/127\.0\.0\.1:\d+: [^\n]*self[- ]signed certificate[^\n]*; if your organisation issued it, set CURL_CA_BUNDLE to the file with its certificates\n$/,
    )
    const wrongName = await run(['cat', 'acme/x'], { HUB_URL: other.url, CURL_CA_BUNDLE: other.certificate })
    expect(wrongName).toMatchObject({ code: 5, stdout: '' })
    expect(wrongName.stderr).toMatch(/^hubcli: cannot trust the certificate of [^\n]*127\.0\.0\.1[^\n]*\n$/)
    const noBundle = await run(['cat', 'acme/x'], { HUB_URL: own.url, CURL_CA_BUNDLE: '/nowhere.pem' })
    expect(noBundle.stderr).toMatch(/^hubcli: cannot read the trusted certificates: [^\n]*; check CURL_CA_BUNDLE\n$/)
    for (const { stderr } of [refused, wrongName, noBundle]) expect(stderr).not.toContain('web page')
    // With the certificate, the connection works, and the answer is what is wrong.
    const trusted = await run(['cat', 'acme/x'], { HUB_URL: own.url, CURL_CA_BUNDLE: own.certificate })
    expect(trusted.stderr).not.toContain('certificate')
  })

  test('a missing program for checksums is named', async () => {
    const tools = makeTools()
    rmSync(path.join(tools, 'sha256sum'))
    expect(await runHubcli(SHELL, ['cat', 'acme/x'], { ...options(), tools })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'hubcli: sha256sum, shasum or openssl is needed to verify a prompt, and none of them was found in PATH\n',
    })
  })

  test('a proxy that compresses unasked does no harm, and one with another encoding is named', async () => {
    const content = 'long '.repeat(1_000)
    hub.prompts['acme/x']!.versions['3.0.0'] = content
    let encoding = 'gzip'
    const seen: unknown[] = []
    const inner = await startPlainFiles('hub', hub.prompts)
    hub.meddle = (asked, answer) => {
      seen.push(answer.req.headers['accept-encoding'])
      const send = async (response: Response) => {
        for (const [name, value] of response.headers)
          if (/^(?:content-type|x-|repr-)/.test(name)) answer.setHeader(name, value)
        answer.writeHead(response.status, { 'Content-Encoding': encoding })
        answer.end(gzipSync(Buffer.from(await response.arrayBuffer())))
      }
      fetch(inner.url + asked, { headers: { Accept: answer.req.headers.accept ?? '*/*' } })
        .then(send)
        .catch(() => answer.destroy())
      return true
    }
    expect(await run(['cat', 'acme/x'])).toMatchObject({ code: 0, stdout: content, stderr: '' })
    const missing = await run(['cat', 'acme/nothing'])
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no acme/nothing.') })
    expect(new Set(seen)).toEqual(new Set(['identity']))
    encoding = 'br'
    expect(await run(['cat', 'acme/x'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: `hubcli: ${hub.url} sent a compressed response that cannot be read; check the proxy before it\n`,
    })
    // A small response that would fill the disk.
    encoding = 'gzip'
    hub.meddle = (_asked, answer) => {
      answer.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' })
      answer.end(gzipSync(Buffer.alloc(50_000_000)))
      return true
    }
    expect(await run(['cat', 'acme/x'])).toMatchObject({ code: 5, stdout: '', left: [] })
    await inner.close()
  })

  test('latest is the latest version, and a v before a version is named', async () => {
    expect(await run(['cat', 'acme/x@latest'])).toMatchObject({ code: 0, stdout: 'three', stderr: '' })
    hub.asked.length = 0
    for (const [written, bare] of [
      ['v2.0.0', '2.0.0'],
      ['^v1.2', '^1.2'],
      ['v1.x', '1.x'],
    ])
      expect(await run(['cat', `acme/x@${written}`])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `hubcli: versions are written without v: acme/x@${bare}\n`,
      })
    expect(hub.asked).toEqual([])
  })

  test('reading says that a prompt is deprecated or has moved', async () => {
    Object.assign(hub.prompts['acme/x']!, {
      status: 'deprecated',
      status_message: 'Too "long".',
      replaced_by: 'acme/y',
    })
    for (const args of [
      ['cat', 'acme/x', '--label', 'live'],
      ['pull', 'acme/x'],
    ])
      expect(await run(args)).toMatchObject({
        code: 0,
        stderr: 'hubcli: warning: acme/x is deprecated: Too "long".; use acme/y\n',
      })
    hub.prompts['acme/x']!.status_message = undefined!
    hub.prompts['acme/x']!.replaced_by = undefined!
    expect((await run(['cat', 'acme/x'])).stderr).toBe('hubcli: warning: acme/x is deprecated\n')
    // The static file is as old as the last build.
    hub.meddle = (asked, answer) => {
      if (asked !== '/data/v1/repos/acme/x.json') return false
      answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":{"status":"active","moved_to":null}}')
      return true
    }
    expect((await run(['cat', 'acme/x'])).stderr).toBe('hubcli: warning: acme/x is deprecated\n')
    hub.meddle = () => false
    hub.prompts['acme/x']!.moved_to = 'nina/x'
    expect(await run(['cat', 'acme/x'])).toMatchObject({
      code: 0,
      stdout: 'three',
      stderr: 'hubcli: warning: acme/x has moved to nina/x\n',
    })
    expect(await run(['cat', 'acme/x@2.0.0'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('push and readme read standard input', async () => {
    const input = 'From a pipe\n'
    await withStandIn(undefined, async ({ url, requests }) => {
      const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
      const push = ['push', 'acme/x', '-', 'Why', 'patch']
      expect(await runHubcli(SHELL, push, { cwd, env, input })).toMatchObject({ code: 0 })
      expect(requests[0]!.body.toString()).toBe(input)
      expect(requests[0]!.url).toBe('/api/v1/repos/acme/x/versions?bump=patch&changelog=%57%68%79&allow_breaking=false')
      const latin = await runHubcli(SHELL, push, { cwd, env, input: Buffer.from([0x61, 0xe9]) })
      expect(latin).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^hubcli: The body is not UTF-8\. [^\n]*\(400\)\n$/),
      })
      expect(await runHubcli(SHELL, ['readme', 'acme/x', '-'], { cwd, env, input })).toMatchObject({ code: 0 })
      expect(JSON.parse(requests.at(-1)!.body.toString())).toEqual({ readme: input })
    })
  })
})

test('render warns as cat does, and reading the locked version ignores a final newline that a formatter added', async () => {
  const run = (...args: string[]) => runHubcli(SHELL, args, { cwd, env: { HUB_URL: hub.url } })
  await run('add', 'acme/x@1.0.0')
  writeFileSync(path.join(cwd, 'prompts/acme/x.md'), 'one\n')
  for (const command of ['cat', 'render'])
    expect(await run(command, 'acme/x', '--locked')).toMatchObject({ code: 0, stdout: 'one', stderr: '' })
  Object.assign(hub.prompts['acme/x']!, { status: 'deprecated', status_message: 'Too long.', replaced_by: 'acme/y' })
  for (const more of [[], ['--label', 'live']])
    expect((await run('render', 'acme/x', ...more)).stderr).toContain(
      'hubcli: warning: acme/x is deprecated: Too long.; use acme/y\n',
    )
})
