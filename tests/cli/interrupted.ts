// Tests that an interrupted run leaves either the complete old file or the complete new one.
import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { signalGroup } from '../hubs/processes.ts'
import { commandLine, findProgram, makeFolder, makeTools, PYTHON, runHubcli, SHELL, writeScript } from './shells.ts'
import { hangAndTell, type Trouble, withStandIn } from './stand-in.ts'

describe('interrupted commands', () => {
  const cut = (): Trouble => ({ kind: 'cut', promisedBytes: 1000, body: 'half of' })

  test.concurrent('a broken transfer keeps the old file and writes no new one', async () => {
    await withStandIn(cut, async ({ url, requests }) => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
      const env = { HUB_URL: url }
      for (const args of [
        ['pull', 'acme/x'],
        ['pull', 'acme/x', '-o', 'new'],
      ]) {
        const outcome = await runHubcli(SHELL, args, { cwd, env })
        expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept: ['1', '2'] })
        expect(outcome.stderr).toMatch(/^hubcli: cannot reach [^\n]*\n$/)
      }
      expect(requests.length).toBe(6)
      expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
      expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
    })
  })

  test.concurrent('retries a transfer that breaks once', async () => {
    await withStandIn(
      (_, number) => (number === 1 ? cut() : undefined),
      async ({ url }) => {
        const outcome = await runHubcli(SHELL, ['cat', 'acme/code-review', '--version', '1.0.0'], {
          env: { HUB_URL: url },
        })
        expect(outcome).toMatchObject({ code: 0, stdout: 'Review this.\n', stderr: '', slept: ['1'] })
      },
    )
  })

  const waiting = [
    ['pull', 'SIGTERM', 143],
    ['pull', 'SIGINT', 130],
    ['pull', 'SIGHUP', 129],
    ['add', 'SIGTERM', 143],
    ['add', 'SIGINT', 130],
  ] as const
  test.concurrent.each(waiting)('%s: %s while waiting leaves no files behind', async (command, signal, code) => {
    const { hang, arrived } = hangAndTell()
    await withStandIn(hang, async ({ url }) => {
      const cwd = makeFolder()
      const outcome = await runHubcli(SHELL, [command, 'acme/x'], {
        cwd,
        env: { HUB_URL: url },
        onStart: (child) => void arrived.then(() => signalGroup(child, signal)),
      })
      expect(outcome).toMatchObject({ code, left: [] })
      expect(readdirSync(cwd)).toEqual([])
    })
  })

  test.concurrent('keeps the old file when the disk is full', async () => {
    await withStandIn(undefined, async ({ url }) => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'PROMPT.md'), 'old')
      const tools = makeTools()
      rmSync(path.join(tools, 'mv'))
      const mv = findProgram('mv')
      const full = 'echo "mv: No space left on device" >&2; exit 1'
      writeScript(tools, 'mv', `case "$*" in *PROMPT.md) ${full} ;; esac; exec ${mv} "$@"`)
      const outcome = await runHubcli(SHELL, ['pull', 'acme/code-review'], { cwd, tools, env: { HUB_URL: url } })
      expect(outcome).toMatchObject({ code: 1, stderr: 'hubcli: cannot write PROMPT.md\n', left: [] })
      expect(readdirSync(cwd)).toEqual(['PROMPT.md'])
      expect(readFileSync(path.join(cwd, 'PROMPT.md'), 'utf8')).toBe('old')
    })
  })

  test.concurrent('fails when standard output cannot be written', async () => {
    await withStandIn(undefined, async ({ url }) => {
      const cwd = makeFolder()
      const wrapper = path.join(cwd, 'full')
      writeFileSync(wrapper, `${commandLine(SHELL)} cat acme/code-review >&-\n`)
      const outcome = await runHubcli(SHELL, [], { cwd, script: wrapper, env: { HUB_URL: url } })
      expect(outcome).toMatchObject({ code: 1, stderr: 'hubcli: cannot write to standard output\n', left: [] })
    })
  })

  test.concurrent('leaves nothing behind when nobody reads its messages', async () => {
    await withStandIn(undefined, async ({ url }) => {
      const wrapper = path.join(makeFolder(), 'unread')
      writeFileSync(wrapper, `${commandLine(SHELL)} cat acme/none 2>&1 >/dev/null | head -c 0\n`)
      const outcome = await runHubcli(SHELL, [], { script: wrapper, env: { HUB_URL: url } })
      expect(outcome).toMatchObject({ stdout: '', stderr: '', left: [] })
    })
  })

  test.concurrent('pull sets the default file mode and replaces a symlink instead of its target', async () => {
    await withStandIn(undefined, async ({ url }) => {
      const cwd = makeFolder()
      writeFileSync(path.join(cwd, 'target'), 'old')
      symlinkSync('target', path.join(cwd, 'PROMPT.md'))
      expect(await runHubcli(SHELL, ['pull', 'acme/code-review'], { cwd, env: { HUB_URL: url } })).toMatchObject({
        code: 0,
      })
      expect(readFileSync(path.join(cwd, 'target'), 'utf8')).toBe('old')
      expect(statSync(path.join(cwd, 'PROMPT.md')).mode & 0o777).toBe(0o666 & ~process.umask())
    })
  })
})
test('Ctrl-C while Python starts ends without a trace', async () => {
  const tools = makeTools()
  const early = `import os, signal; os.kill(os.getpid(), signal.SIGINT)`
  const find = `sed 's/^from program.main import start/${early}\\n&/'`
  writeScript(tools, 'python3', `code=$(printf '%s\\n' "$3" | ${find})\nshift 3\nexec '${PYTHON}' -IS -c "$code" "$@"`)
  const ended = await runHubcli(SHELL, ['help'], { tools })
  expect([ended.stdout, ended.stderr]).toEqual(['', ''])
  expect(ended.code).not.toBe(0)
})
