// Walks once through hubcli in each other shell. In an unsupported shell, it prints a message.
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { signalGroup } from '../hubs/processes.ts'
import {
  findProgram,
  makeFolder,
  makeTools,
  OTHER_SHELLS,
  PYTHON,
  REFUSED_SHELLS,
  runHubcli,
  type Shell,
  TEXT_FILE,
} from './shells.ts'
import { hangAndTell, STAND_IN_TOKEN, WARNED, withStandIn } from './stand-in.ts'

const listShells = (names: string[]) =>
  names.map((name) => {
    const [program = ''] = name.split(' ')
    const found = findProgram(program)
    return { name, found }
  })
function asShell(name: string, found = ''): Shell {
  // BusyBox provides ash and its own awk, od, sed and tr.
  const isBusybox = name.startsWith('busybox')
  const tools = makeTools({ python: PYTHON, ...(isBusybox && { busybox: found }) })
  // mksh has no built-in printf.
  if (!isBusybox) symlinkSync(findProgram('printf') ?? '', path.join(tools, 'printf'))
  return { name, command: isBusybox ? [found, 'ash'] : [found], tools, bare: tools }
}

describe.each(listShells(OTHER_SHELLS))('$name', ({ name, found }) => {
  test.skipIf(found === undefined)('reads, publishes, locks and reports errors like the other shells', async () => {
    const shell = asShell(name, found)
    await withStandIn(undefined, async ({ url }) => {
      const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
      const cwd = makeFolder()
      const run = (...args: string[]) => runHubcli(shell, args, { env, cwd })
      expect(await run('push', 'acme/é', TEXT_FILE, 'c', 'patch')).toMatchObject({ code: 1, stdout: '', left: [] })
      expect(await run('push', 'acme/new', TEXT_FILE, 'é "quoted"', 'patch')).toMatchObject({
        code: 0,
        stderr: WARNED,
        left: [],
      })
      const copy = await run('cat', 'acme/new')
      expect(copy.bytes.equals(readFileSync(TEXT_FILE))).toBe(true)
      const files = { 'new.sh': readFileSync(TEXT_FILE), 'empty.md': '', 'front.md': `---\ntitle: x\n---\nHi\n` }
      for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, file), text)
      expect(await run('check', 'new.sh', 'empty.md', 'front.md', '--owner', 'acme', '--bump', 'minor')).toMatchObject({
        code: 4,
        stdout: 'acme/new 1.0.0 (unchanged)\nacme/front 1.0.0\n',
        left: [],
        stderr: expect.stringMatching(/^hubcli: warning: front\.md: [\s\S]*\nhubcli: empty\.md: content: [^\n]*\n$/),
      })
      // In zsh, the variable path is PATH, of which this run has one folder.
      const signed = await run('push', 'acme/signed', 'front.md', 'c', 'patch', '--attestation', 'front.md')
      expect(signed).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^hubcli: [^\n]* \(4\d\d\)\n$/),
        left: [],
      })
      const missing = await run('cat', 'acme/missing')
      expect(missing).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^hubcli: Repository not found: acme\/missing\. [^\n]*\(404\)\n$/),
        left: [],
      })
      expect(await run('add', 'acme/code-review@^1')).toMatchObject({ code: 0, left: [] })
      expect(readFileSync(path.join(cwd, 'prompts.lock'), 'utf8')).toContain('"version": "1.1.0"')
    })
  })
})

describe.each(listShells(OTHER_SHELLS))('$name', ({ name, found }) => {
  test.skipIf(found === undefined).each([
    ['pull', 'SIGINT', 130],
    ['add', 'SIGTERM', 143],
  ] as const)('%s: %s while waiting ends it with %i and leaves no files behind', async (command, signal, code) => {
    const { hang, arrived } = hangAndTell()
    await withStandIn(hang, async ({ url }) => {
      const cwd = makeFolder()
      const outcome = await runHubcli(asShell(name, found), [command, 'acme/code-review'], {
        cwd,
        env: { HUB_URL: url },
        onStart: (child) => void arrived.then(() => signalGroup(child, signal)),
      })
      expect(outcome).toMatchObject({ code, stdout: '', left: [] })
      expect(readdirSync(cwd)).toEqual([])
    })
  })
})

describe.each(listShells(REFUSED_SHELLS))('$name', ({ name, found }) => {
  test.skipIf(found === undefined)('reports which shells are supported', async () => {
    const outcome = await runHubcli(asShell(name, found), ['help'])
    expect(outcome).toMatchObject({ code: 1, stdout: '', left: [] })
    expect(outcome.stderr).toMatch(/^hubcli: this shell cannot run it; dash, bash, [^\n]* can, [^\n]*\n$/)
  })
})
