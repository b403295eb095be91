// Tests what `npm run doctor` reports about a machine: a healthy machine passes, and for a broken setup, only the actual
// problem is reported, with a fix. It writes nothing, whoever runs it, and reports another user's files in git's words.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { checkSetup, type Setup } from '../../src/doctor/doctor.ts'
import { COMPILED } from '../compiled.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { runScript } from '../loaded.ts'
import { type LocalRepository, makeRepository } from '../stores/local-repository.ts'
import { expectIll, expectWell, versionFile } from './setups.ts'

describe('reports', () => {
  const PUBLIC = { SITE_URL: 'https://hub.example', HOST: 'localhost', TRUSTED_PROXIES: 'loopback' }
  const SECRET = '6f1c1d0b5a7e4f3d9c8b2a1f0e9d8c7b'
  const PATH = { PATH: process.env.PATH, ...COMPILED }

  function makeHealthy(): LocalRepository {
    const greeting = { 'content/acme/greet/versions/1.0.0.md': versionFile('Greet {{name}}.') }
    return makeRepository('ready', { files: { ...greeting, '.gitignore': '.hub\ndist\nbuild\n' } })
  }
  /** Checks change nothing in it, so one is enough for all tests that do not, either. */
  const healthy = makeHealthy()
  let repository = healthy
  afterAll(() => expect(healthy.git('status', '--porcelain')).toBe(''))
  const setup = (environment: Setup['environment'] = {}): Setup => ({
    root: repository.folder,
    environment: { ...PATH, CONTENT_DIR: join(repository.folder, 'content'), ...environment },
  })
  /** A string that looks like a GitHub App's private key, but is not one. */
  const NO_KEY = '-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----'

  describe('machine checks', () => {
    test('pass on a healthy machine, in local and public mode', async () => {
      const checks = await expectWell(setup())
      expect(checks).toEqual(['settings', 'setup', 'content', 'content-git'])
      expect(await expectWell(setup(PUBLIC))).toEqual(checks)
      expect(repository.git('status', '--porcelain').trim()).toBe('')
    })

    const ofApp = { GITHUB_REPOSITORY: 'a/b', GITHUB_APP_ID: '1' }
    const signInOnly = { ...PUBLIC, GITHUB_CLIENT_ID: 'x', GITHUB_CLIENT_SECRET: 'y' }
    const readers = { ...PUBLIC, READ_ACCESS: 'members', READERS: 'github:octocat' }
    const missing = /Content folder not found: \/nowhere.*CONTENT_DIR/
    //  check, broken part, settings, message
    test.each<[string, string, Setup['environment'], RegExp]>([
      ['settings', 'an invalid port', { PORT: 'eighty' }, /PORT cannot be read: expected a port number/],
      ['settings', 'an address with a path', { SITE_URL: 'https://a.example/hub' }, /SITE_URL .* without a path/],
      [
        'settings',
        'an invalid private key on one line',
        { ...ofApp, GITHUB_APP_PRIVATE_KEY: NO_KEY, CONTENT_DIR: 'content' },
        /GITHUB_APP_PRIVATE_KEY cannot be read: expected a private key in PEM format.*line breaks/,
      ],
      ['setup', 'a token without a repository', { GITHUB_TOKEN: 'x' }, /GITHUB_REPOSITORY is missing/],
      ['setup', 'a GitHub App without its key', ofApp, /GITHUB_APP_PRIVATE_KEY is missing/],
      ['setup', 'sign-in without SESSION_SECRET', signInOnly, /SESSION_SECRET/],
      ['setup', 'tokens without https', { ...PUBLIC, SITE_URL: 'http://hub.example' }, /http:\/\/.*unencrypted/],
      ['setup', 'every IP address trusted', { ...PUBLIC, TRUSTED_PROXIES: '0.0.0.0/0' }, /every IP address/],
      ['setup', 'one that is not configured', { ...PUBLIC, TRUSTED_PROXIES: '' }, /TRUSTED_PROXIES=loopback/],
      ['setup', 'readers, but nobody can sign in', readers, /nobody can sign in/],
      ['setup', 'local mode, open to the network', { HOST: '0.0.0.0' }, /sign in under any username.*SITE_URL/],
      ['content', 'a missing content folder', { CONTENT_DIR: '/nowhere' }, missing],
    ])('%s: %s', async (check, _, environment, said) => expectIll(setup(environment), check, said))

    const remove = (folder: string) => rmSync(join(folder, '.git'), { recursive: true })
    const restart = (folder: string) => {
      remove(folder)
      execFileSync('git', ['init', '-q'], { cwd: folder })
    }
    const put = (path: string, text: () => string) => (folder: string) => writeFileSync(join(folder, path), text())
    const misspell = put('content/acme/greet/index.md', () => '---\ntitel: x\n---\n')
    const merge = put('.git/MERGE_HEAD', () => repository.git('rev-parse', 'HEAD'))
    const detach = () => repository.git('checkout', '-q', '--detach')
    //  check, broken part, how, message
    test.each<[string, string, (folder: string) => void, RegExp]>([
      ['content', 'invalid', misspell, /index\.md:2.*check:content/],
      ['content-git', 'no git repository', remove, /git/],
      ['content-git', 'a repository without commits', restart, /no commits yet.*first commit/],
      ['content-git', 'a detached HEAD', detach, /detached.*git switch/],
      ['content-git', 'a merge in progress', merge, /merge is in progress.*git merge --abort/i],
    ])('%s: %s', async (check, _, spoil, said) => {
      repository = makeHealthy()
      onTestFinished(() => {
        repository = healthy
      })
      spoil(repository.folder)
      await expectIll(setup(), check, said)
    })
  })

  describe('GitHub repository checks', () => {
    let github: GitHubStandIn
    let place: StandInRepository
    beforeAll(async () => {
      github = await startGitHubStandIn({ redirectUris: ['https://hub.example/auth/callback'] })
      place = await github.createRepository()
    })
    afterEach(() => github.forget())
    afterAll(() => github?.close())

    /** The setup of a hub that uses GitHub, with its own clone of the repository. */
    const onGitHub = (more: Setup['environment'] = {}): Setup => {
      const { repository: name, token } = place
      const given = { GITHUB_REPOSITORY: name, GITHUB_TOKEN: token, GITHUB_API_URL: github.url, CONTENT_DIR: '' }
      return setup({ ...PUBLIC, ...given, ...more })
    }
    const signIn = () => ({
      GITHUB_CLIENT_ID: github.oauth.clientId,
      GITHUB_CLIENT_SECRET: github.oauth.clientSecret,
      SESSION_SECRET: SECRET,
    })
    const app = () => ({
      GITHUB_TOKEN: '',
      GITHUB_APP_ID: github.app.appId,
      GITHUB_APP_PRIVATE_KEY: github.app.privateKey,
    })
    /** Adds GitHub responses that emulate lacks. @param path the part of the URL after the repository URL */
    const answer = (method: string, path: string, body: unknown, status = 200) =>
      github.script({
        on: 'rest',
        when: ({ name }) => name === `${method} /repos/${place.repository}${path}`,
        times: Number.POSITIVE_INFINITY,
        fault: {
          kind: 'answer',
          applied: false,
          status,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        },
      })
    test('pass with a token or a GitHub App, without moving any branch', async () => {
      expect(await expectWell(onGitHub())).toEqual([
        ...['settings', 'setup', 'github-access', 'github-branch', 'github-write', 'github-protection'],
      ])
      await expectWell(onGitHub(app()))
      const writes = github.calls.filter(({ name }) => !name.startsWith('GET ')).map(({ name }) => name)
      expect([...new Set(writes)].sort()).toEqual([
        `POST /app/installations/100/access_tokens`,
        `POST /repos/${place.repository}/git/commits`,
      ])
    })

    //  check, broken part, settings, message
    test.each<[string, string, () => Setup['environment'], RegExp]>([
      [
        'github-access',
        'nothing there',
        () => ({ GITHUB_API_URL: 'http://127.0.0.1:9' }),
        /does not respond.*firewall/,
      ],
      ['github-access', 'an invalid token', () => ({ GITHUB_TOKEN: 'ghp_none' }), /accept GITHUB_TOKEN/],
      [
        'github-access',
        'a token of another user',
        () => ({ GITHUB_TOKEN: github.strangerToken }),
        /has no access to the repository.*Give the token access/,
      ],
      [
        'github-access',
        'a GitHub App that is not installed there',
        () => ({ ...app(), GITHUB_REPOSITORY: 'alice/catalogue' }),
        /Install the App/,
      ],
      ['github-branch', 'is missing', () => ({ GITHUB_BRANCH: 'published' }), /no branch published.*GITHUB_BRANCH/],
    ])('%s: %s', async (check, _, more, said) => {
      await expectIll(onGitHub(more()), check, said)
    })

    //  broken part, GitHub's response, check, message
    test.each<[string, () => void, string, RegExp]>([
      [
        'a read-only token',
        () => answer('POST', '/git/commits', { message: 'Resource not accessible by personal access token' }, 403),
        'github-write',
        /no write access.*Contents: Read and write/,
      ],
      [
        'a branch that requires pull requests',
        () => {
          answer('GET', '/rules/branches/main', [
            { type: 'pull_request', ruleset_id: 7 },
            { type: 'non_fast_forward', ruleset_id: 7 },
          ])
          answer('GET', '/rulesets/7', { name: 'main', current_user_can_bypass: 'never' })
        },
        'github-protection',
        /“main” blocks.*pull_request.*bypass list/,
      ],
    ])('%s', async (_, spoil, check, said) => {
      spoil()
      await expectIll(onGitHub(), check, said)
    })

    test('accept branch rules that the hub can bypass', async () => {
      answer('GET', '/rules/branches/main', [
        { type: 'pull_request', ruleset_id: 7 },
        { type: 'non_fast_forward', ruleset_id: 7 },
      ])
      answer('GET', '/rulesets/7', { name: 'main', current_user_can_bypass: 'always' })
      await expectWell(onGitHub())
    })

    test('never print secrets', async () => {
      const examined = await checkSetup(onGitHub({ ...app(), ...signIn() }))
      const refused = await checkSetup(onGitHub({ ...signIn(), GITHUB_TOKEN: 'ghp_mistyped0123' }))
      const said = JSON.stringify([examined, refused])
      for (const secret of ['ghp_mistyped', github.oauth.clientSecret, SECRET, 'PRIVATE KEY-----'])
        expect(said).not.toContain(secret)
    })
  })

  test('the command exits with an error status and reports the same findings as JSON', async () => {
    const run = (...args: string[]) =>
      runScript('scripts/doctor.ts', args, { env: { ...PATH, TRUSTED_PROXIES: 'everybody' } })
    const said = await run()
    expect(said.code).toBe(1)
    expect(said.stdout).toMatch(
      /^ERROR {2}settings\s+TRUSTED_PROXIES cannot be read: .*\n\s+→ Correct or remove TRUSTED_PROXIES/,
    )
    const { ok, checks } = JSON.parse((await run('--json')).stdout)
    expect([ok, checks[0].check, checks[0].outcome, checks[1].waits_for]).toEqual([
      false,
      'settings',
      'error',
      'settings',
    ])
    expect(await run('--url', 'nonsense')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--url: expected the URL/),
    })
  })
})

describe('leaves no trace', () => {
  const isRoot = process.getuid?.() === 0
  /** Debian's user for processes that own no files. */
  const NOBODY = 65534
  /** The record of a publish whose process was killed. */
  const PUBLISHING = JSON.stringify({ branch: 'refs/heads/main', commit: 'a'.repeat(40) })

  let repository: LocalRepository
  beforeEach(() => {
    repository = makeRepository('ready', {
      files: { 'content/acme/greet/versions/1.0.0.md': versionFile('Greet {{name}}.') },
    })
    chmodSync(repository.folder, 0o755)
  })

  /** Returns the owner, mode, times, size and bytes of every file and folder; the time of the last read does not count. */
  const look = () =>
    ['.', ...readdirSync(repository.folder, { recursive: true, encoding: 'utf8' })].sort().map((name) => {
      const path = join(repository.folder, name)
      const { atimeMs, atime, atimeNs, ...rest } = lstatSync(path, { bigint: true })
      return { name, ...rest, bytes: rest.mode & 0o100000n ? readFileSync(path, 'base64') : '' }
    })

  /** Runs the doctor in the repository's folder. @param user runs it as this user */
  const runDoctor = (user?: number) => {
    const script = resolve('scripts/doctor.ts')
    const command = [process.execPath, script, '--json']
    const [program = '', ...args] =
      user === undefined ? command : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command]
    const { PATH } = process.env
    const env = { PATH, ...COMPILED, HOME: '/nonexistent', CONTENT_DIR: join(repository.folder, 'content') }
    const { stdout, stderr } = spawnSync(program, args, { cwd: repository.folder, env, encoding: 'utf8' })
    const { checks } = JSON.parse(stdout || `{"checks":"${stderr}"}`) as {
      checks: { check: string; outcome: string; findings: { problem: string; fix: string }[] }[]
    }
    return Object.fromEntries(checks.map((one) => [one.check, one]))
  }
  const problemsOf = (checks: ReturnType<typeof runDoctor>) =>
    Object.fromEntries(
      Object.entries(checks).flatMap(([name, { findings }]) =>
        findings.length > 0 ? [[name, findings.map(({ problem, fix }) => `${problem} → ${fix}`).join('\n')]] : [],
      ),
    )
  const giveAway = (folder: string) => {
    for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
      chownSync(join(folder, name), NOBODY, NOBODY)
  }

  test('the doctor changes no file and no folder, also after an interrupted publish', () => {
    mkdirSync(join(repository.folder, '.git/prompt-hub'))
    writeFileSync(join(repository.folder, '.git/prompt-hub/publishing.json'), PUBLISHING)
    const before = look()
    runDoctor()
    expect(look()).toEqual(before)
  })

  test.skipIf(!isRoot)(
    "root (needs root) is told that git refuses another user's folder, in git's own words, and why",
    () => {
      giveAway(repository.folder)
      const before = look()
      const problems = problemsOf(runDoctor())
      expect(Object.keys(problems)).toEqual(['content-git'])
      expect(problems['content-git']).toMatch(
        /belongs to another user\. Git says: fatal: detected dubious ownership in repository at '.*safe\.directory.* → Run this as the user who owns the folder, or add the folder to git's setting safe\.directory/,
      )
      expect(problems['content-git']).not.toMatch(/git init/)
      expect(look()).toEqual(before)
      expect(problemsOf(runDoctor(NOBODY))).toEqual({})
      expect(look()).toEqual(before)
    },
  )
})
