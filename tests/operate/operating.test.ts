// Tests the commands of operators on a hub's files: a backup that is restored and compared, and an upgrade that goes back.

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { readContentDir } from '../../src/content/content-dir.ts'
import { freePort } from '../hubs/processes.ts'
import { runScript } from '../loaded.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

const git = (folder: string, ...args: string[]) =>
  runSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
  }).trim()

describe('a backup', () => {
  const folder = temporaryFolder('hub-backup-')
  const catalogue = join(folder, 'catalogue')
  const state = join(folder, '.hub/state.db')
  const run = (script: string, ...args: string[]) =>
    runScript(`scripts/operate/${script}.ts`, args, {
      cwd: folder,
      // Nothing listens there, so the hub counts as stopped.
      env: { PATH: process.env.PATH, HOME: folder, CONTENT_DIR: join(catalogue, 'content'), PORT: '1' },
    })
  const tokens = () => {
    const database = new DatabaseSync(state)
    const rows = database.prepare('SELECT key FROM state ORDER BY key').all()
    database.close()
    return rows.map(({ key }) => key)
  }
  let head = ''
  beforeAll(() => {
    mkdirSync(join(catalogue, 'content'), { recursive: true })
    mkdirSync(join(folder, '.hub'))
    git(folder, 'init', '-q', '-b', 'main', catalogue)
    writeFileSync(join(catalogue, 'content/a'), 'a')
    git(catalogue, 'add', '.')
    git(catalogue, 'commit', '-q', '-m', 'A')
    git(catalogue, 'tag', 'kept')
    head = git(catalogue, 'rev-parse', 'HEAD')
    const database = new DatabaseSync(state)
    database.exec(
      "PRAGMA journal_mode = WAL; CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT); INSERT INTO state VALUES ('tokens/a', '1')",
    )
    database.close()
  })

  test('is verified in a copy, and restored after everything was lost', async () => {
    const file = join(folder, 'hub.tar')
    expect(await run('backup', file)).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(join(folder, '.hub/last-backup'))).toBe(true)
    expect(await run('restore', file, '--verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Verified: a restored copy has everything'),
    })
    rmSync(catalogue, { recursive: true })
    const database = new DatabaseSync(state)
    database.exec("DELETE FROM state; INSERT INTO state VALUES ('tokens/other', '1')")
    database.close()
    expect(await run('restore', file)).toMatchObject({ code: 0, stderr: '' })
    expect(tokens()).toEqual(['tokens/a'])
    expect([git(catalogue, 'rev-parse', 'HEAD'), git(catalogue, 'rev-parse', 'kept')]).toEqual([head, head])
    expect(readFileSync(join(catalogue, 'content/a'), 'utf8')).toBe('a')
    expect(git(catalogue, 'status', '--porcelain')).toBe('')
    expect(readdirSync(join(folder, '.hub')).filter((name) => name.startsWith('state.db-before-'))).toHaveLength(1)
  })

  test('in a folder replaces the oldest', async () => {
    const place = join(folder, 'backups')
    mkdirSync(place)
    for (const day of ['01', '02']) writeFileSync(join(place, `prompt-hub-202601${day}T000000Z.tar`), '')
    expect(await run('backup', place, '--keep', '2')).toMatchObject({ code: 0 })
    expect(readdirSync(place).sort()[0]).toBe('prompt-hub-20260102T000000Z.tar')
    expect(readdirSync(place)).toHaveLength(2)
  })

  test('that is damaged, or is of something else, is refused', async () => {
    const file = join(folder, 'other.tar')
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    await run('backup', file)
    execFileSync('tar', ['-xf', file, '-C', copy])
    const database = new DatabaseSync(join(copy, 'state.db'))
    database.exec('DELETE FROM state')
    database.close()
    execFileSync('tar', ['-cf', file, '-C', copy, 'contents.json', 'state.db', 'catalogue.bundle'])
    for (const args of [[file, '--verify'], [file]])
      expect(await run('restore', ...args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The state differs'),
      })
    expect(tokens()).toEqual(['tokens/a'])
  })
})

describe('another name', () => {
  const folder = temporaryFolder('hub-rename-')
  const content = join(folder, 'content')
  const file = (path: string) => readFileSync(join(content, path), 'utf8')
  const put = (path: string, text: string) => {
    writeFiles(content, { [path]: text })
  }
  const commit = () => {
    git(folder, 'add', '.')
    git(folder, 'commit', '-q', '-m', 'Somebody')
  }
  const rename = (...args: string[]) =>
    runScript('scripts/operate/rename.ts', args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, CONTENT_DIR: content },
    })
  const VERSION = '---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\nText\n'
  beforeAll(() => {
    git(folder, 'init', '-q', '-b', 'main')
    for (const name of ['a', 'b']) put(`acme/${name}/versions/1.0.0.md`, VERSION)
    put('acme/a/index.md', '---\n# ours\nlabels: {production: "1.0.0"}\n---\nReadme\n')
    put('acme/index.md', '---\nname: Acme\n---\n')
    put('acme/gone/index.md', '---\nremoved: {"1.0.0": Gone}\n---\n')
    put('nina/c/versions/1.0.0.md', VERSION)
    commit()
  })

  test.each([
    [['acme'], 'expected two owners'],
    [['acme', 'Labs'], 'expected two owners'],
    [['acme/a', 'labs'], 'expected two owners'],
    [['nobody', 'labs'], 'There is no prompt to rename in content/nobody.'],
    [['acme/x', 'labs/x'], 'There is no prompt content/acme/x.'],
    [['acme/a', 'nina/c'], 'content/nina/c exists already. Choose another name.'],
  ])('%s is refused: %s', async (args, sentence) => {
    expect(await rename(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) })
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  test('of a prompt, and then of its owner', async () => {
    expect(await rename('acme/b', 'acme/better')).toMatchObject({ code: 0, stderr: '' })
    expect(file('acme/better/versions/1.0.0.md')).toBe(VERSION)
    expect(file('acme/b/index.md')).toBe('---\nmoved_to: acme/better\n---\n')
    expect((await rename('acme/b', 'acme/best')).stderr).toContain('acme/b has moved to acme/better. Rename that.')
    expect(await rename('acme', 'labs')).toMatchObject({ code: 0, stdout: expect.stringContaining('with 2 prompts') })
    expect(file('labs/a/index.md')).toBe('---\n# ours\nlabels: {production: "1.0.0"}\n---\nReadme\n')
    expect(file('acme/a/index.md')).toContain('moved_to: labs/a')
    expect(file('labs/index.md')).toContain('name: Acme\nmembers:\n  - acme\n')
    expect(git(folder, 'status', '--porcelain')).toBe('')
    expect(git(folder, 'log', '--format=%s')).toBe('Rename acme to labs\nRename acme/b to acme/better\nSomebody')
    expect(readContentDir(content).problems).toEqual([])
  })

  test('changes nothing if git refuses the commit', async () => {
    writeFileSync(join(folder, '.git/refs/heads/main.lock'), '')
    expect(await rename('nina/c', 'nina/d')).toMatchObject({ code: 1, stderr: expect.stringContaining('main.lock') })
    rmSync(join(folder, '.git/refs/heads/main.lock'))
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })
})

test.skipIf(spawnSync('dpkg-deb', ['--version']).error !== undefined)(
  'a Debian package has the code, the units and the settings, which an upgrade keeps',
  () => {
    const folder = temporaryFolder('hub-deb-')
    const code = join(folder, 'prompt-hub-1.2.3')
    mkdirSync(code)
    writeFileSync(join(code, 'package.json'), '{"version":"1.2.3","description":"A registry","license":"MIT"}')
    cpSync('deploy', join(code, 'deploy'), { recursive: true })
    const archive = join(folder, 'code.tar.gz')
    execFileSync('tar', ['--create', '--gzip', `--file=${archive}`, `--directory=${folder}`, 'prompt-hub-1.2.3'])
    const run = (...args: string[]) => execFileSync(args[0]!, args.slice(1), { encoding: 'utf8' }).trim()
    const file = run(process.execPath, 'scripts/releases/pack-deb.ts', archive, folder)
    expect(file).toMatch(/prompt-hub_1\.2\.3_\w+\.deb$/)
    expect(run('dpkg-deb', '--field', file, 'Package', 'Version')).toBe('Package: prompt-hub\nVersion: 1.2.3')
    const files = `${run('dpkg-deb', '--contents', file)}\n`
    for (const unit of readdirSync('deploy/systemd')) expect(files).toContain(`./usr/lib/systemd/system/${unit}\n`)
    expect(files).toMatch(/^-rw------- root\/root .* \.\/etc\/prompt-hub\.env$/m)
    expect(files).toContain('./srv/prompt-hub/package.json\n')
    run('dpkg-deb', '--control', file, join(folder, 'control'))
    expect(readFileSync(join(folder, 'control/conffiles'), 'utf8')).toBe('/etc/prompt-hub.env\n')
    run('dpkg-deb', '--extract', file, join(folder, 'files'))
    run('sh', '-n', join(folder, 'files/usr/sbin/prompt-hub-admin'))
    for (const script of ['postinst', 'prerm']) run('sh', '-n', join(folder, 'control', script))
  },
)

describe('an upgrade', () => {
  const folder = temporaryFolder('hub-upgrade-')
  const code = join(folder, 'prompt-hub')
  const tools = join(folder, 'tools')
  const log = join(folder, 'log')
  const tool = (name: string, text: string) => {
    writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(tools, name), 0o755)
  }
  /** What the stand-in for systemd starts: a server that is ready, unless the code says otherwise. */
  const SERVER = `const { readFileSync } = require('node:fs')
require('node:http').createServer((_, out) => { out.statusCode = readFileSync('${code}/ready', 'utf8').trim() === 'yes' ? 200 : 503; out.end() }).listen(PORT, 'localhost')`
  const upgradeWithin = (readyMs: number, ...args: string[]) =>
    runScript('scripts/operate/upgrade.ts', args, {
      cwd: code,
      env: {
        PATH: `${tools}:${process.env.PATH}`,
        HOME: folder,
        UPGRADE_UNITS: folder,
        UPGRADE_READY_MS: String(readyMs),
      },
    })
  const upgrade = (...args: string[]) => upgradeWithin(120_000, ...args)
  const version = () => readFileSync(join(code, 'version'), 'utf8').trim()

  beforeAll(async () => {
    const port = await freePort()
    const origin = join(folder, 'origin')
    git(folder, 'init', '-q', '-b', 'main', origin)
    mkdirSync(join(origin, 'deploy/systemd'), { recursive: true })
    for (const [tag, ready] of [
      ['1.0.0', 'yes'],
      ['1.1.0', 'yes'],
      ['1.2.0', 'no'],
    ] as const) {
      writeFileSync(join(origin, 'version'), tag)
      writeFileSync(join(origin, 'ready'), ready)
      writeFileSync(join(origin, 'package.json'), JSON.stringify({ version: tag }))
      writeFileSync(
        join(origin, 'deploy/systemd/prompt-hub.service'),
        `[Service]\nEnvironmentFile=${folder}/env\n# ${tag}\n`,
      )
      git(origin, 'add', '.')
      git(origin, 'commit', '-q', '-m', tag)
      git(origin, 'tag', `v${tag}`)
    }
    git(folder, 'clone', '-q', '--branch', 'v1.0.0', origin, code)
    mkdirSync(join(code, '.hub'))
    writeFileSync(join(code, '.hub/state.db'), 'state')
    writeFileSync(join(folder, 'env'), `PORT=${port}\n`)
    writeFileSync(join(folder, 'prompt-hub.service'), readFileSync(join(code, 'deploy/systemd/prompt-hub.service')))
    mkdirSync(tools)
    writeFileSync(join(folder, 'server.cjs'), SERVER.replace('PORT', String(port)))
    tool('npx', `echo "npx in $PWD" >> ${log}`)
    tool(
      'systemctl',
      `echo "$*" >> ${log}
case $1 in
  restart) ${process.execPath} ${folder}/server.cjs > /dev/null 2>&1 & echo $! > ${folder}/pid ;;
  stop) [ ! -e ${folder}/pid ] || kill "$(cat ${folder}/pid)"; rm -f ${folder}/pid ;;
esac`,
    )
    return () => void spawnSync(join(tools, 'systemctl'), ['stop'])
  })

  test('installs beside the present code, moves the state, and can be taken back', async () => {
    const { code: status, stdout, stderr } = await upgrade('1.1.0')
    expect([status, stderr, stdout]).toEqual([0, '', 'The hub runs 1.1.0. To go back: npm run rollback\n'])
    expect([version(), readFileSync(join(code, '.hub/state.db'), 'utf8')]).toEqual(['1.1.0', 'state'])
    expect(readFileSync(log, 'utf8').split('\n')).toEqual([
      `npx in ${code}-next`,
      'stop prompt-hub',
      'daemon-reload',
      'restart prompt-hub',
      '',
    ])
    expect(readFileSync(join(folder, 'prompt-hub.service'), 'utf8')).toContain('# 1.1.0')
    expect(await upgrade('--rollback')).toMatchObject({ code: 0, stderr: '' })
    expect([version(), existsSync(join(code, '.hub/state.db'))]).toEqual(['1.0.0', true])
  })

  test('goes back by itself if the new code is never ready', async () => {
    expect(await upgradeWithin(8_000, '1.2.0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('runs the code from before'),
    })
    expect([version(), existsSync(join(code, '.hub/state.db'))]).toEqual(['1.0.0', true])
    expect(readFileSync(join(folder, 'prompt-hub.service'), 'utf8')).toContain('# 1.0.0')
  })

  test('leaves a unit that somebody edited, and says so', async () => {
    const unit = join(folder, 'prompt-hub.service')
    const [original, edited] = [readFileSync(unit, 'utf8'), `${readFileSync(unit, 'utf8')}MemoryMax=4G\n`]
    writeFileSync(unit, edited)
    expect(await upgrade('1.1.0')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'prompt-hub.service was edited and stays as it is. The new one is deploy/systemd/',
      ),
    })
    expect(await upgrade('--rollback')).toMatchObject({ code: 0 })
    expect([version(), readFileSync(unit, 'utf8')]).toEqual(['1.0.0', edited])
    writeFileSync(unit, original)
  })

  test('stops and starts every hub that runs in the folder, and leaves units of other folders', async () => {
    const unit = (name: string, text: string) => writeFileSync(join(folder, `${name}.service`), text)
    const here = `[Service]\nWorkingDirectory=${code}\nEnvironmentFile=${folder}/env\n`
    const original = readFileSync(join(folder, 'prompt-hub.service'), 'utf8')
    unit('second', here)
    unit('backup', `${here}Type=oneshot\n`)
    unit('other', here.replace(code, folder))
    unit('prompt-hub', `${original}WorkingDirectory=${folder}\n`)
    writeFileSync(log, '')
    expect(await upgrade('1.1.0', '--service', 'second')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(log, 'utf8').split('\n').slice(1)).toEqual([
      'stop second',
      'daemon-reload',
      'restart second',
      '',
    ])
    unit('prompt-hub', original)
    writeFileSync(log, '')
    expect(await upgrade('--rollback')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(log, 'utf8').split('\n').slice(1)).toEqual([
      'stop prompt-hub second',
      'daemon-reload',
      'restart prompt-hub second',
      '',
    ])
    expect(version()).toBe('1.0.0')
    for (const name of ['second', 'backup', 'other']) rmSync(join(folder, `${name}.service`))
  })

  test('to a version that does not exist changes nothing', async () => {
    expect(await upgrade('9.9.9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no version or branch 9.9.9'),
    })
    expect(version()).toBe('1.0.0')
  })
})
