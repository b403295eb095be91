// Tests the help and shell completion of hubcli, and checks that the script is readable.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXPORT_FORMATS } from '../../src/domain/api/export-formats.ts'
import { findProgram, HUBCLI, makeFolder, runHubcli, SHELL } from './shells.ts'

describe('help and version', () => {
  const all = ['pull', 'cat', 'search', 'versions', 'push', 'HUB_TOKEN', 'https://hub.example.com']
  test.concurrent.each([
    ['help', all],
    ['--help', all],
    ['-h', all],
    ['pull --help', ['hubcli pull <owner>/<name>', '-o <path>', '--locked']],
    ['help push', ['hubcli push <file or folder>...', '-m "<changelog>"', '--dry-run']],
  ])('%s', async (args, words) => {
    const env = { HUB_URL: 'https://hub.example.com' }
    const outcome = await runHubcli(SHELL, args.split(' '), { env })
    expect(outcome).toMatchObject({ code: 0, stderr: '', left: [] })
    for (const word of words) expect(outcome.stdout).toContain(word)
    expect(Math.max(...outcome.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test.concurrent('help without python3 names what curl alone can do, and where the rest is', async () => {
    const outcome = await runHubcli(SHELL, ['help'], { tools: SHELL.bare })
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    for (const word of ['hubcli pull', 'hubcli cat', 'hubcli push', 'python3', '/docs/cli'])
      expect(outcome.stdout).toContain(word)
  })

  test.concurrent('--version prints the version', async () => {
    expect(await runHubcli(SHELL, ['--version'])).toMatchObject({ code: 0, stdout: 'hubcli 1.0.0\n', stderr: '' })
  })

  test.concurrent('a truncated script does nothing', async () => {
    const folder = makeFolder()
    const half = path.join(folder, 'hubcli')
    const script = readFileSync(HUBCLI, 'utf8')
    writeFileSync(half, script.slice(0, script.lastIndexOf('main "$@"')))
    expect(await runHubcli(SHELL, ['help'], { script: half })).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })
})
const complete = (...words: string[]) =>
  execFileSync('bash', [
    '-c',
    `eval "$(sh "$0" completion)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hubcli; printf '%s\\n' "\${COMPREPLY[@]}"`,
    HUBCLI,
    ...words,
  ]).toString()

test('completion works in bash', () => {
  expect(complete('hubcli', 'p')).toBe('pull\npush\n')
  expect(complete('hubcli', 'push', 'acme/a', 'f', 'c', 'm')).toBe('major\nminor\n')
  expect(complete('hubcli', 'pull', 'acme/a', '-')).toBe('-o\n--version\n--label\n--at\n--locked\n')
  // Without a word of its own, a command takes a file.
  expect(complete('hubcli', 'push', 'acme/a', '')).toBe('\n')
})

test('help, completion and the guide list the formats of exports that the hub has', () => {
  const say = (...args: string[]) => execFileSync('sh', [HUBCLI, ...args]).toString()
  const lists = {
    help: /The format: ([\s\S]*?)\./.exec(say('help', 'export'))?.[1]?.replace(' or ', ' '),
    completion: complete('hubcli', 'export', 'acme/a', '--to', ''),
    guide: /The formats are\s+((?:`[\w-]+`(?:,| and)\s+)+`[\w-]+`)/
      .exec(readFileSync('src/pages/docs/import.md', 'utf8'))?.[1]
      ?.replace(/ and |`/g, ' '),
  }
  for (const [place, list] of Object.entries(lists))
    expect(
      (list ?? '')
        .split(/[\s,]+/)
        .filter(Boolean)
        .sort(),
      `${place}: expected the names of all formats, and between them only commas and “and”`,
    ).toEqual(Object.keys(EXPORT_FORMATS).sort())
})

describe('completion in an interactive shell', () => {
  const lock = `{\n  "lockfile": 1,\n  "hub": "http://x.example",\n  "prompts": {\n    "acme/review": {\n`
  const folder = makeFolder()
  writeFileSync(path.join(folder, 'prompts.lock'), lock)

  test.skipIf(findProgram('fish') === undefined).each([
    ['hubcli p', 'pull\npush\n'],
    ['hubcli push acme/a f c m', 'major\nminor\n'],
    ['hubcli pull acme/a --', '--at\n--label\n--locked\n--version\n'],
    ['hubcli update ', 'acme/review\n'],
    ['hubcli add acme/a --as ', 'skill\n'],
    ['hubcli push acme/a prompts.l', 'prompts.lock\n'],
    ['hubcli completion ', 'bash\nfish\nzsh\n'],
  ])('fish: %s', (typed, offered) => {
    const program = 'sh $argv[1] completion fish | source; complete -C $argv[2]'
    expect(execFileSync('fish', ['--no-config', '-c', program, HUBCLI, typed], { cwd: folder }).toString()).toBe(
      offered,
    )
  })

  test.skipIf(findProgram('zsh') === undefined).each([
    ['push acme/a f c ma', 'push acme/a f c major'],
    ['remove ac', 'remove acme/review'],
  ])('zsh: %s followed by Tab', (typed, completed) => {
    // Runs zsh in a pseudo-terminal, where a stub for hubcli prints its arguments.
    const program = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; autoload -Uz compinit; compinit -u -D; eval \\"\\$(sh $1 completion zsh)\\"; hubcli() { print -r \\"got:\\$*:\\"; }; print ready''1"
zpty -r z out '*ready1*' && zpty -w -n z "hubcli $2"$'\\t'$'\\n' && zpty -r z out '*got:*:*' && print -r -- $out
zpty -d z`
    const script = path.join(makeFolder(), 'type.zsh')
    writeFileSync(script, program)
    const said = execFileSync('zsh', ['-f', script, HUBCLI, typed], { cwd: folder }).toString()
    expect(said).toContain(`got:${completed}:`)
  })
})

// file                     its largest number of lines
test.each([
  ['clients/hubcli/hubcli', 425],
  [HUBCLI, 7920],
])('%s is executable, ASCII, and shorter than %i lines', (file, lines) => {
  const script = readFileSync(file, 'utf8')
  expect(statSync(file).mode & 0o111).toBe(0o111)
  expect(script).not.toMatch(/[^\x00-\x7F]/)
  expect(script.split('\n').length).toBeLessThan(lines)
})

test('the shell part has at most 400 lines, and no other command', () => {
  const [before = '', after = ''] = readFileSync('clients/hubcli/hubcli', 'utf8').split(/exec python3 -IS -c '[^']*'/)
  expect((before + after).trimEnd().split('\n').length).toBeLessThanOrEqual(400)
  expect(before.match(/^run_\w+(?=\(\))/gm)).toEqual(['run_help', 'run_read', 'run_push', 'run_python'])
})

const shellcheck = findProgram('shellcheck')
// The assembled script has the same code, and the modules in place of the lines that read them.
test.skipIf(shellcheck === undefined)('shellcheck reports no problems', () => {
  expect(execFileSync(shellcheck ?? '', ['--shell=sh', '--severity=style', HUBCLI]).toString()).toBe('')
})
