// Tests `npm run test:packages` with real npm: it installs what the lock file lists, and only if that is not installed.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const dir = temporaryFolder('prompt-hub-packages-')

/** Makes a release of the package `one`, and locks it. */
function lock(version: string): void {
  const source = join(dir, `one-${version}`)
  mkdirSync(source)
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name: 'one', version }))
  const [packed = ''] = execFileSync('npm', ['pack', '--silent', source], { cwd: dir, encoding: 'utf8' }).split('\n')
  const devDependencies = { one: `file:${packed}` }
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'tests', type: 'module', devDependencies }))
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit'], { cwd: dir, stdio: 'pipe' })
}

function install() {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['install-packages.ts'], {
    cwd: dir,
    encoding: 'utf8',
    // Even where the environment says that tools are not needed.
    env: { ...process.env, NODE_ENV: 'production', npm_config_offline: 'true' },
  })
  return { status, stderr, installs: stdout.includes('Installing') }
}

const readVersion = () => JSON.parse(readFileSync(join(dir, 'node_modules/one/package.json'), 'utf8')).version

beforeAll(() => {
  cpSync('tests/install-packages.ts', join(dir, 'install-packages.ts'))
  lock('1.0.0')
})

test('installs what is missing, once', () => {
  expect(install()).toMatchObject({ status: 0, installs: true })
  expect(readVersion()).toBe('1.0.0')
  expect(install()).toMatchObject({ status: 0, installs: false })
})

test('installs again after the lock file has changed', () => {
  lock('2.0.0')
  expect(install()).toMatchObject({ status: 0, installs: true })
  expect(readVersion()).toBe('2.0.0')
  expect(install()).toMatchObject({ status: 0, installs: false })
})

test('installs again after an installation that failed', () => {
  const manifest = join(dir, 'package.json')
  const right = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(right), dependencies: { two: 'file:one-1.0.0.tgz' } }))
  writeFileSync(join(dir, 'package-lock.json'), `${readFileSync(join(dir, 'package-lock.json'), 'utf8')}\n`)
  const failed = install()
  expect(failed.status).toBe(1)
  expect(failed.stderr).toContain('Missing: two@1.0.0 from lock file')
  expect(failed.stderr).not.toMatch(/\n\s+at /)
  writeFileSync(manifest, right)
  expect(install()).toMatchObject({ status: 0, installs: true })
  expect(install()).toMatchObject({ status: 0, installs: false })
})
