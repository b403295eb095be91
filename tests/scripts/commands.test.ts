// Tests commands of operators, which run one after another in a process that has loaded their modules: `npm run token`,
// `people`, `takedown`, with real repositories (tests/publish/takedown.test.ts tests that hubs then serve nothing of it),
// `generate` and `build`.
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateContent } from '../../scripts/content/generate-content.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import type { Person } from '../../src/domain/access/person.ts'
import { openPeople } from '../../src/state/sessions.ts'
import { listKeys, type OpenStateStore } from '../../src/state/state-entries.ts'
import { openSqliteState } from '../../src/state/state-sqlite.ts'
import { createToken, findToken, openTokens, recordTokenUse } from '../../src/state/tokens.ts'
import { poll } from '../e2e/client.ts'
import { openAccount } from '../hubs/account.ts'
import { launch, plainEnvironment } from '../hubs/processes.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runScript } from '../loaded.ts'
import { blocksOf } from '../operate/follow-guide.ts'
import { runSync } from '../run-sync.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

describe('npm run token', () => {
  let dir: string
  let store: OpenStateStore
  beforeAll(async () => {
    dir = temporaryFolder('hub-token-')
    store = await openSqliteState(join(dir, '.hub/state.db'))
  })
  afterAll(() => store.close())

  const run = (...args: string[]) => runScript('scripts/token.ts', args, { cwd: dir })

  test('lists and revokes operator tokens, and leaves personal tokens alone', async () => {
    expect(await run('--list')).toEqual({ code: 0, stdout: 'No tokens.\n', stderr: '' })
    const token = (await run('acme', '--label', 'release job', '--days', '7')).stdout.trim()
    const other = (await run('acme/code-review')).stdout.trim()
    const person = { kind: 'person', user_id: '7', login: 'alice' } as const
    const theirs = await createToken(store, { holder: person, name: 'laptop', scope: 'acme/*', days: 1 }, new Date())
    const record = await findToken(store, token)
    await recordTokenUse(store, record?.id ?? '', new Date('2026-11-20T10:00:00Z'))

    const { stdout } = await run('--list')
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^ID +SCOPE +PERMISSIONS +LAST 4 +CREATED +EXPIRES +LAST USED +NAME$/)
    expect(lines).toHaveLength(3)
    expect(lines.find((line) => line.startsWith(record?.id ?? '?'))).toMatch(
      new RegExp(
        `acme/\\* +publish +${token.slice(-4)} +\\d{4}-\\d\\d-\\d\\d +\\d{4}-\\d\\d-\\d\\d +2026-11-20 +release job$`,
      ),
    )
    expect(stdout).not.toContain(token)
    expect(stdout).not.toContain('laptop')

    expect(await run('--revoke', record?.id ?? '')).toMatchObject({
      code: 0,
      stdout: `Revoked: acme/*, release job.\n`,
    })
    expect(await findToken(store, token)).toBeUndefined()
    expect(await findToken(store, other)).toBeDefined()
    for (const id of [record?.id ?? '', theirs.record.id]) {
      const { code, stderr } = await run('--revoke', id)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`No operator token has the ID "${id}"`)])
    }
    expect(await findToken(store, theirs.token)).toBeDefined()
  })

  test('an option that npm takes for itself, because -- is missing, changes nothing', async () => {
    const command = `"${process.execPath}" "${resolve('scripts/token.ts')}"`
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ scripts: { token: command } }))
    const before = await store.list('tokens/')
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'token', '--revoke', 'acme'], {
      cwd: dir,
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr.split('\n')[0]).toBe(
      'npm took --revoke for itself, and nothing was done. Write -- first: npm run token -- --revoke',
    )
    expect(await store.list('tokens/')).toEqual(before)
  })

  test('--help describes every option', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    for (const part of ['<owner>[/<name>]', '--days', '--label', '--list', '--revoke ID'])
      expect(stdout).toContain(part)
  })

  //  arguments
  test.each([[[]], [['acme', '--list']], [['acme', '--days', '366']]])('rejects %j with the usage', async (args) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Usage: npm run token')
    expect(stderr).not.toMatch(/node_modules|\n\s+at /)
  })

  test('/settings/tokens shows operator tokens for the user’s handles, without a revoke form', async () => {
    const account = openAccount({ ownersOf: async ({ login }) => [login, 'acme'] })
    const made = (scope: string, name: string) =>
      createToken(account.state, { holder: { kind: 'operator' }, name, scope, days: 1 }, new Date())
    const { token } = await made('acme/*', 'release job')
    await made('beta/*', 'somebody else’s')
    const { text } = await (await account.signIn('alice')).ask('/settings/tokens')
    const section = text.slice(text.indexOf('id="operator-tokens-title"'))
    expect(section).toContain('release job')
    expect(section).toContain(`…${token.slice(-4)}`)
    expect(section.slice(0, section.indexOf('</section>'))).not.toContain('<form')
    expect(text).not.toContain('somebody else')
  })

  test.each([
    ['an option without its hyphens', ['list'], 'Use --list.'],
    ['a name that is too long', ['acme', '--label', 'a'.repeat(65)], '--label: expected one line'],
  ] as const)('refuses %s, and makes no token', async (_, args, message) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([1, '', expect.stringContaining(message)])
  })
})

describe('npm run people', async () => {
  const MALLORY: Person = { user_id: '666', login: 'mallory' }
  const ALICE: Person = { user_id: '7', login: 'alice' }

  let dir: string
  let state: OpenStateStore
  beforeAll(async () => {
    dir = temporaryFolder('hub-people-')
    state = await openSqliteState(join(dir, '.hub/state.db'))
  })
  afterAll(() => state.close())

  const run = (...args: string[]) => runScript('scripts/people.ts', args, { cwd: dir })
  const signIn = async (person: Person) => {
    await openPeople(state).bindLogin(person)
    return openPeople(state).openSession(person, new Date())
  }
  const makeToken = async (person: Person) =>
    (
      await createToken(
        state,
        { holder: { kind: 'person', ...person }, name: 'laptop', scope: `${person.login}/*`, days: 9 },
        new Date(),
      )
    ).token
  const hasSession = async (secret: string) => (await openPeople(state).findSession(secret, new Date())) !== undefined

  test('sign-out ends the sessions and tokens of one person, who can sign in again', async () => {
    expect(await run('list')).toEqual({ code: 0, stdout: 'Nobody has signed in.\n', stderr: '' })
    const [his, hers] = [await signIn(MALLORY), await signIn(ALICE)]
    const [hisToken, herToken] = [await makeToken(MALLORY), await makeToken(ALICE)]
    expect(await run('sign-out', 'Mallory')).toEqual({
      code: 0,
      stdout: 'Signed out: mallory. Their sessions ended, and 1 token was revoked.\n',
      stderr: expect.stringMatching(
        /^\{"time":"[^"]+","level":"audit","event":"token_revoked",[^\n]+\n\{"time":"[^"]+","level":"audit","event":"person_signed_out","login":"mallory","tokens":1\}\n$/,
      ),
    })
    expect([await hasSession(his), await hasSession(hers)]).toEqual([false, true])
    expect([await findToken(state, hisToken), await findToken(state, herToken)]).toEqual([
      undefined,
      expect.objectContaining({ name: 'laptop' }),
    ])
    expect(await hasSession(await signIn(MALLORY))).toBe(true)
  })

  test('block ends sessions and tokens, and keeps the person out until unblock', async () => {
    const world = openLocalWorld()
    const hub = await openHub(world, { state })
    const send = (token: string) => hub.publish({ content: `${Math.random()}\n` }, { to: 'mallory/notes', token })
    const session = await signIn(MALLORY)
    const token = await makeToken(MALLORY)
    expect((await send(token)).status).toBe(201)
    expect(await run('block', 'mallory')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Blocked: mallory\./),
    })
    expect((await run('list')).stdout).toMatch(/^mallory +666 +- +0 +\d{4}-\d\d-\d\d$/m)
    expect((await run('list')).stdout).toMatch(/^alice +7 +- +1 +-$/m)
    expect(await hasSession(session)).toBe(false)
    expect(await send(token)).toMatchObject({ status: 401, code: 'unauthorized' })
    // As if the token and the session had been made at the same moment.
    const late = { token: await makeToken(MALLORY), session: await openPeople(state).openSession(MALLORY, new Date()) }
    expect(await send(late.token)).toMatchObject({
      status: 403,
      message: expect.stringContaining('mallory is blocked'),
    })
    expect(await hasSession(late.session)).toBe(false)
    // On GitHub, a login can be changed, but not the account's ID.
    const renamed = { ...MALLORY, login: 'innocent' }
    expect(await openPeople(state).isBlocked(renamed)).toBe(true)
    expect(await openPeople(state).isBlocked(ALICE)).toBe(false)
    expect(await run('unblock', 'mallory')).toEqual({
      code: 0,
      stdout: 'Unblocked: mallory. Tokens must be created again.\n',
      stderr: expect.stringMatching(/^\{[^\n]+"event":"person_unblocked","login":"mallory"\}\n$/),
    })
    expect(await openPeople(state).isBlocked(renamed)).toBe(false)
    expect((await send(await makeToken(MALLORY))).status).toBe(201)
  })

  test('a login can be blocked before its first sign-in', async () => {
    expect((await run('block', 'nobody-yet')).code).toBe(0)
    expect((await run('list')).stdout).toMatch(/^nobody-yet +- +- +0 +\d{4}-\d\d-\d\d$/m)
    expect(await openPeople(state).isBlocked({ user_id: '1234', login: 'nobody-yet' })).toBe(true)
  })

  test('a blocked person cannot sign in, and sees why', async () => {
    const account = openAccount({ accounts: { ...openPeople(state), ...openTokens(state) } })
    await state.set('blocks/logins/mallory', '2026-11-25T00:00:00Z')
    const jar = account.openJar()
    const page = (await jar.ask(account.signInPath())).text
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
    const answer = await jar.ask('/auth/local', {
      form: { state: field('state'), key: field('key'), handle: 'mallory' },
    })
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('mallory is blocked on this hub')])
    expect([...jar.cookies.keys()].some((name) => name.endsWith('session'))).toBe(false)
  })

  describe('a person of an OpenID Connect provider', () => {
    const ADA = { issuer: 'https://login.example', subject: 'a1', email: 'ada@acme.example', name: 'Ada' }
    const signInAsAda = async () => {
      const person = await openPeople(state).keepIdentity(ADA)
      return {
        person,
        session: await openPeople(state).openSession(person, new Date(), 'an ID token for ada@acme.example'),
      }
    }

    test('is listed with the email address, which commands take too', async () => {
      const { person, session } = await signInAsAda()
      const token = await makeToken(person)
      expect((await run('list')).stdout).toMatch(/^ada-acme +oidc-[0-9a-f]{32} +ada@acme\.example +1 +-$/m)
      expect((await run('block', 'Ada@acme.example')).stdout).toMatch(
        /^Blocked: ada-acme\. Their sessions ended, and 1 token was/,
      )
      expect([await hasSession(session), await findToken(state, token)]).toEqual([false, undefined])
      const { session: again } = await signInAsAda()
      expect(await hasSession(again)).toBe(false)
      expect((await run('unblock', 'ada-acme')).code).toBe(0)
    })

    test('is forgotten: nothing names the person any more, old sessions stay ended, and the login is free', async () => {
      const { person, session } = await signInAsAda()
      const token = await makeToken(person)
      expect((await run('forget', 'ada-acme')).stdout).toMatch(/^Forgotten: ada-acme\./)
      expect([await hasSession(session), await findToken(state, token)]).toEqual([false, undefined])
      expect((await run('list')).stdout).not.toContain('ada')
      const values = await Array.fromAsync(
        listKeys(state, ''),
        async (key) => `${key} ${(await state.get(key))?.value}`,
      )
      expect(values.filter((text) => text.includes('acme.example') || text.includes('"a1"'))).toEqual([])
      const { person: back } = await signInAsAda()
      expect([back, await hasSession(session)]).toEqual([person, false])
      expect((await run('forget', 'nobody-here')).stderr).toContain('Nobody has signed in as nobody-here')
    })
  })

  describe('rejected with the usage', () => {
    //  arguments
    test.each([[[]], [['block', 'nobody@acme.example']]])('%j', async (args) => {
      const { code, stdout, stderr } = await run(...args)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('Usage: npm run people')
    })

    test('unblock of somebody who is not blocked', async () => {
      expect(await run('unblock', 'alice')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not blocked'),
      })
    })
  })

  test('--help describes every command', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    for (const part of ['list', 'sign-out', 'block', 'unblock', 'forget']) expect(stdout).toContain(`  ${part} `)
  })
})

describe('npm run takedown', () => {
  const version = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`
  const INDEX =
    '---\n# ours\ntitle: Review # kept\nlabels:\n  production: "1.1.0"\n  stable: "1.0.0"\nyanked: { "1.1.0": Wrong }\n---\nNotes\n'
  const root = temporaryFolder('hub-takedown-')

  const owner = 'acme'
  let folder: string
  let count = 0
  const git = (...args: string[]) =>
    runSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })

  function put(files: Readonly<Record<string, string>>): void {
    writeFiles(folder, files)
    git('add', '-A')
    git('commit', '-q', '-m', 'Somebody else')
  }

  beforeEach(() => {
    folder = join(root, String(++count))
    mkdirSync(folder)
    git('init', '-q', '-b', 'main')
    put({
      [`content/${owner}/review/versions/1.0.0.md`]: version('One'),
      [`content/${owner}/review/versions/1.1.0.md`]: version('Two zanzibar'),
      [`content/${owner}/review/index.md`]: INDEX.replace('yanked: { "1.1.0": Wrong }\n', ''),
      [`content/${owner}/other/versions/1.0.0.md`]: version('Other'),
      [`content/${owner}/other/index.md`]: `---\nreplaced_by: ${owner}/review # see there\nstatus: deprecated\n---\n`,
    })
  })

  function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
    const env = { ...plainEnvironment(), CONTENT_DIR: join(folder, 'content'), ...settings }
    return runScript('scripts/content/takedown.ts', args, { cwd: folder, env })
  }
  const contentOf = () => readContentDir(join(folder, 'content'))
  const read = (path: string) => readFileSync(join(folder, 'content', owner, path), 'utf8')

  test.each([`${owner}/review@1.0.0`, `${owner}/other@1.0.0`, `${owner}/review`])(
    '%s stays as it was if git refuses the commit',
    async (address) => {
      git('rm', '-q', `content/${owner}/other/index.md`)
      git('commit', '-q', '-m', 'A prompt without an index')
      writeFileSync(join(folder, '.git/refs/heads/main.lock'), '')
      const { code, stderr } = await run([address, 'Gone'])
      expect([code, stderr]).toEqual([1, expect.stringContaining('main.lock')])
      expect(git('status', '--porcelain')).toBe('')
    },
  )

  test('a version: one commit removes it, its label and its yank, and uses up its number', async () => {
    writeFileSync(join(folder, `content/${owner}/review/index.md`), INDEX)
    // A label cannot point at a yanked version, so the file was invalid. A takedown must work all the same.
    git('commit', '-q', '-a', '-m', 'Yank')
    const before = git('rev-parse', 'HEAD').trim()
    const { code, stdout } = await run([`${owner}/review@1.1.0`, 'Leaks a key'])
    expect(code).toBe(0)
    expect(git('rev-parse', 'HEAD~1').trim()).toBe(before)
    expect(git('show', '--format=%s', '--name-status', 'HEAD').trim().split('\n')).toEqual([
      ...[`Take down ${owner}/review@1.1.0`, ''],
      ...[`M\tcontent/${owner}/review/index.md`, `D\tcontent/${owner}/review/versions/1.1.0.md`],
    ])
    expect(git('status', '--porcelain')).toBe('')
    expect(read('review/index.md')).toBe(
      '---\n# ours\ntitle: Review # kept\nlabels:\n  stable: "1.0.0"\nyanked: {}\nremoved:\n  "1.1.0": Leaks a key\n---\nNotes\n',
    )
    expect(contentOf().problems).toEqual([])
    expect(stdout).toContain(`Removed ${owner}/review@1.1.0 in commit ${git('rev-parse', '--short=12', 'HEAD').trim()}`)
    expect(stdout).toContain(', with the label production.\nIts number is never used again.\n')
    expect(stdout).toContain(`git filter-repo --invert-paths --path content/${owner}/review/versions/1.1.0.md\n`)
    for (const word of ['secret', 'clones', 'caches', 'mirrors', 'users', 'backups']) expect(stdout).toContain(word)
  })

  test('a version of a skill with results and attestations: its files are removed with it', async () => {
    const place = `content/${owner}/review`
    const versions = `${place}/versions`
    const bundle = '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'
    const workflow = 'octo/prompts/.github/workflows/publish.yml@refs/heads/main'
    const facts = {
      sha256: hash('sha256', bundle),
      size_bytes: bundle.length,
      predicate_type: 'https://slsa.dev/provenance/v1',
      issuer: 'https://token.actions.githubusercontent.com',
      repository: 'octo/prompts',
      workflow,
      identity: `https://github.com/${workflow}`,
      ref: 'refs/heads/main',
      sha: 'a'.repeat(40),
      run_url: 'https://github.com/octo/prompts/actions/runs/1/attempts/1',
    }
    const keys = `skill: {description: Reviews.}\nattestations: [${JSON.stringify(facts)}]\n`
    const digest = hash('sha256', 'Three\n')
    put({
      [`${versions}/1.2.0.md`]: version('Three').replace('---\n', `---\n${keys}`),
      [`${versions}/1.2.0/scripts/run.py`]: 'print("narwhal")\n',
      [`${place}/results/1.2.0/quality.yml`]: `content_sha256: ${digest}\npassed: 1\nfailed: 0\nat: "2026-11-20T10:00:00Z"\nreported_by: acme\n`,
      [`${place}/attestations/1.2.0/1.sigstore.json`]: bundle,
    })
    expect(contentOf().problems).toEqual([])
    const { code, stdout } = await run([`${owner}/review@1.2.0`, 'Leaks a key'])
    expect(code).toBe(0)
    for (const path of ['versions', 'results', 'attestations'])
      expect(existsSync(join(folder, place, path, '1.2.0'))).toBe(false)
    expect(git('show', '--format=', '--name-status', 'HEAD').trim().split('\n')).toEqual([
      `D\t${place}/attestations/1.2.0/1.sigstore.json`,
      `M\t${place}/index.md`,
      `D\t${place}/results/1.2.0/quality.yml`,
      `D\t${versions}/1.2.0.md`,
      `D\t${versions}/1.2.0/scripts/run.py`,
    ])
    expect(contentOf().problems).toEqual([])
    expect(stdout).toContain(`--path ${versions}/1.2.0.md --path ${versions}/1.2.0\n`)
  })

  test('a part: the versions that include it are named, because they contain its text', async () => {
    const digest = hash('sha256', 'Two zanzibar\n')
    const include = `{repository: ${owner}/review, range: "*", version: 1.1.0, content_sha256: ${digest}, start: 0, length: 12, variables: []}`
    const composed = version('Two zanzibar\nMore').replace('---\n', `---\nincludes: [${include}]\n`)
    put({ [`content/${owner}/composed/versions/1.0.0.md`]: composed })
    expect(contentOf().problems).toEqual([])
    const { stdout } = await run([`${owner}/review@1.1.0`, 'Leaks a key'])
    expect(stdout).toContain(`${owner}/composed@1.0.0 include this text: publish without it`)
    expect(contentOf().problems).toEqual([])
  })

  test('the commands of the guide take down a version, then the prompt: all but its numbers, and what others say about it', async () => {
    const [commands = ''] = blocksOf('managing', 'sh').filter((text) => text.includes('takedown'))
    const lines = commands.trim().replaceAll('acme/code-review', `${owner}/review`).split('\n')
    const given = lines.map((line) => /^npm run takedown -- (\S+) "([^"]+)"$/.exec(line)?.slice(1) ?? [])
    expect(given.map(([name]) => name)).toEqual([`${owner}/review@1.1.0`, `${owner}/review`])
    const address = `${owner}/review`
    expect((await run(given[0]!)).code).toBe(0)
    const { code, stdout } = await run(given[1]!)
    expect(code).toBe(0)
    expect(git('ls-files', `content/${owner}/review`).trim()).toBe(`content/${owner}/review/index.md`)
    expect(read('review/index.md')).toBe(`---\nremoved:\n  "1.1.0": ${given[0]![1]}\n  "1.0.0": ${given[1]![1]}\n---\n`)
    expect(existsSync(join(folder, `content/${owner}/review/versions`))).toBe(false)
    expect(contentOf().tree.repositories.has(`${owner}/review`)).toBe(false)
    expect(stdout).toContain('Its numbers are never used again.')
    expect(read('other/index.md')).toBe('---\nstatus: deprecated\n---\n')
    expect(contentOf().problems).toEqual([])
    expect(stdout).toContain(`with replaced_by of ${owner}/other`)
    // What is gone is not taken down again.
    const head = git('rev-parse', 'HEAD')
    const again = await run(given[1]!)
    expect([again.code, again.stderr.split('\n')[0]]).toEqual([1, `${address} was taken down before.`])
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, ''])
  })

  test('the only version, and a prompt whose index.md cannot be read', async () => {
    expect((await run([`${owner}/other@1.0.0`, 'Wrong'])).code).toBe(0)
    expect(read('other/index.md')).toContain('removed:\n  "1.0.0": Wrong\n')
    put({ [`content/${owner}/review/index.md`]: '---\ntitle: [\n---\n' })
    expect((await run([`${owner}/review`, 'Illegal'])).code).toBe(0)
    expect(read('review/index.md')).toBe('---\nremoved:\n  "1.0.0": Illegal\n  "1.1.0": Illegal\n---\n')
    expect([contentOf().problems, [...contentOf().tree.repositories.keys()]]).toEqual([[], []])
  })

  describe('refusals change nothing', () => {
    //  case                       arguments                            what it says
    test.each<[string, string[], RegExp]>([
      ['a reason of two lines', [`${owner}/review@1.1.0`, 'a\nb'], /expected a reason on one line/],
      ['no prompt', ['review', 'x'], /expected a prompt, or a version/],
      ['an unknown version', [`${owner}/review@9.0.0`, 'x'], /There is no version 9\.0\.0 of acme\/review/],
      ['an unknown prompt', [`${owner}/nothing`, 'x'], /There is no prompt/],
    ])('%s', async (_case, args, words) => {
      const head = git('rev-parse', 'HEAD')
      const { code, stderr } = await run(args)
      expect([code, stderr]).toEqual([1, expect.stringMatching(words)])
      expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, ''])
    })

    test('uncommitted changes, no branch, no repository, and a clone that the hub resets', async () => {
      writeFileSync(join(folder, `content/${owner}/review/index.md`), `${INDEX}Mine\n`)
      expect((await run([`${owner}/review@1.1.0`, 'x'])).stderr).toContain('There are uncommitted changes.')
      expect(read('review/index.md')).toContain('Mine')
      git('checkout', '-q', '--', '.')
      git('checkout', '-q', '--detach')
      expect((await run([`${owner}/review`, 'x'])).stderr).toContain('No branch is checked out')
      expect((await run([`${owner}/review`, 'x'], { CONTENT_DIR: root })).stderr).toContain(
        'is not in a git repository',
      )
      const github = { GITHUB_REPOSITORY: 'acme/prompts', GITHUB_TOKEN: 'x', CONTENT_DIR: '' }
      expect((await run([`${owner}/review`, 'x'], github)).stderr).toContain(
        'set CONTENT_DIR to the content folder of that clone',
      )
    })
  })
})

describe('npm run generate', () => {
  const dir = temporaryFolder('generate-content-')

  const generate = (name: string, seed: number, repositories = 10) =>
    generateContent({ repositories, versions: 3, seed, dir: join(dir, name) })

  /** Returns a single digest of all paths and bytes below a folder. */
  function digest(name: string): string {
    const entries = readdirSync(join(dir, name), { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return hash(
      'sha256',
      paths
        .sort()
        .map((path) => [path.slice(join(dir, name).length), readFileSync(path, 'utf8')])
        .join('\n'),
    )
  }

  test('the same seed generates the same bytes, another seed different ones', () => {
    generate('first', 1)
    generate('again', 1)
    generate('other', 2)
    expect(digest('again')).toBe(digest('first'))
    expect(digest('other')).not.toBe(digest('first'))
  })

  test('generated content is valid, has the requested counts and includes some much larger prompts', () => {
    const made = generate('valid', 3, 120)
    const { tree, problems, filesRead } = readContentDir(join(dir, 'valid'))
    expect(problems).toEqual([])
    const repositories = [...tree.repositories.values()]
    expect(repositories).toHaveLength(120)
    expect(repositories.filter(({ versions }) => versions.length !== 3)).toEqual([])
    expect(tree.owners.size).toBe(made.owners)
    expect(filesRead).toBe(made.files)
    const statuses = new Set(repositories.map(({ file }) => file?.status))
    expect(statuses).toEqual(new Set(['active', 'deprecated', 'archived']))
    for (const key of ['yanked', 'labels'] as const) {
      expect(repositories.some(({ file }) => Object.keys(file?.[key] ?? {}).length > 0)).toBe(true)
    }
    expect(repositories.some(({ versions }) => versions.some(({ variables }) => variables.length > 0))).toBe(true)
    const sizes = repositories.map(({ versions }) => versions[0]!.size_bytes).sort((a, b) => a - b)
    expect(sizes.at(-1)!).toBeGreaterThan(5 * sizes[60]!)
  })

  test('replaces a folder it generated and leaves any other folder alone', () => {
    generate('replaced', 5, 20)
    generate('replaced', 5, 10)
    expect(readContentDir(join(dir, 'replaced')).tree.repositories.size).toBe(10)
    mkdirSync(join(dir, 'mine'))
    writeFileSync(join(dir, 'mine/notes.md'), 'mine')
    expect(() => generate('mine', 5)).toThrow('did not create')
    expect(readdirSync(join(dir, 'mine'))).toEqual(['notes.md'])
    const advice = 'No folder can be created there. Choose a new or empty folder.'
    for (const taken of ['mine/notes.md', 'mine/notes.md/below'])
      expect(() => generate(taken, 5)).toThrow(`${join(dir, taken)}: ${advice}`)
  })
})

describe('npm run build', () => {
  const SETTINGS = { SITE_URL: 'https://hub.test', SOURCE_DATE_EPOCH: '1793491200', ASTRO_TELEMETRY_DISABLED: '1' }
  const root = temporaryFolder('prompt-hub-build-')
  const out = join(root, 'out')

  function put(path: string, text: string): void {
    writeFiles(join(root, 'content'), { [path]: text })
  }
  const version = (text: string) => `---\npublished_at: "2026-11-20T10:00:00Z"\npublished_by: acme\n---\n${text}\n`

  /** Runs a build in a process that has loaded its modules. */
  async function build(settings: Record<string, string> = {}, parameters = ['--out', out]) {
    const env = { ...process.env, CONTENT_DIR: join(root, 'content'), ...SETTINGS, ...settings }
    const { code, ...printed } = await runScript('scripts/build.ts', parameters, { env })
    return { status: code, ...printed }
  }
  const times = () =>
    readdirSync(join(out, 'dist'), { recursive: true, encoding: 'utf8' })
      .sort()
      .map((path) => `${path} ${statSync(join(out, 'dist', path)).mtimeMs}`)

  test('a build replaces the one before, which stays as it is if content is invalid or the build is killed', {
    timeout: 300_000,
  }, async () => {
    put('acme/one/versions/1.0.0.md', version('First text'))
    const first = await build()
    expect([first.status, first.stdout]).toEqual([
      0,
      expect.stringMatching(/^1 prompt, [\d,]+ data files written in \d+\.\d s\.\n$/),
    ])
    // Without a terminal, each step is printed as a line.
    expect(first.stderr).toMatch(/Writing the data: 0 of 1\n[\s\S]*Writing the search index …\n/)
    expect(readFileSync(join(out, 'dist/data/v1/repos/acme/one/raw.txt'), 'utf8')).toBe('First text\n')
    expect(statSync(join(out, 'build/search.db')).size).toBeGreaterThan(0)
    expect(readdirSync(join(out, 'build')).sort()).toEqual(['complete.json', 'pages', 'search.db'])

    // Existing files are kept, even those that would have been rebuilt.
    writeFileSync(join(out, 'dist/left-by-hand.txt'), 'x')
    const before = times()
    put('acme/one/index.md', '---\ntitel: One\n---\n')
    const broken = await build()
    expect([broken.status, broken.stdout]).toEqual([1, ''])
    expect(broken.stderr).toContain('1 problem in the content:\n  content/acme/one/index.md: titel: ')
    expect(times()).toEqual(before)

    put('acme/one/index.md', '---\ntitle: One\n---\n')
    const settings = { CONTENT_DIR: join(root, 'content'), ...SETTINGS }
    const killed = launch(process.execPath, ['scripts/build.ts', '--out', out], settings)
    const next = join(out, 'dist.next')
    await poll('it writes', 60_000, async () => (existsSync(next) && readdirSync(next).length > 0 ? true : undefined))
    killed.child.kill('SIGKILL')
    await killed.closed
    await killed.end()
    expect(times()).toEqual(before)

    expect((await build()).stdout).toMatch(/^1 prompt, [\d,]+ data files written in \d+\.\d s\.\n$/)
    expect(readFileSync(join(out, 'dist/data/v1/repos/acme/one.json'), 'utf8')).toContain('"title":"One"')
    expect(readdirSync(join(out, 'dist'))).not.toContain('left-by-hand.txt')
    expect(readdirSync(out).sort()).toEqual(['build', 'dist'])
  })

  test('the search index of a build omits the sources that only edits need', () => {
    const database = new DatabaseSync(join(out, 'build/search.db'), { readOnly: true })
    const row = database.prepare('SELECT count(*) AS count, sum(length(source)) AS sources FROM prompts').get()
    database.close()
    expect(row).toEqual({ count: 1, sources: 0 })
  })

  test('rejects an unknown option with the usage', async () => {
    const { status, stdout, stderr } = await build({}, ['--output', out])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain("Unknown option '--output'")
    expect(stderr).toContain('Usage: npm run build -- [--out DIR]')
  })

  test('a hub that only readers may read is not built for Netlify', async () => {
    const there = join(root, 'private')
    const { status, stderr } = await build({ READ_ACCESS: 'members' }, ['--out', there])
    expect([status, existsSync(there)]).toEqual([1, false])
    expect(stderr).toContain('Netlify cannot keep static files private')
  })

  test('a folder that is a file fails with a message, not a stack trace', async () => {
    const { status, stderr } = await build({}, ['--out', 'README.md'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('ENOTDIR')])
    expect(stderr).not.toContain('    at ')
  })

  test.each(['build.ts', 'token.ts acme'])('%s says in one line which setting is invalid', async (command) => {
    const [script = '', ...parameters] = command.split(' ')
    expect(await runScript(`scripts/${script}`, parameters, { env: { ...process.env, PORT: 'abc' } })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The hub is not set up: PORT: expected a port number. Correct the settings and start again.\n',
    })
  })

  test('refuses a working tree that has lost files of its commit, such as an empty mount', async () => {
    const repository = makeRepository('ready')
    repository.commit({ 'content/acme/one/versions/1.0.0.md': version('Text'), 'content/acme/index.md': 'Bio\n' })
    rmSync(join(repository.folder, 'content/acme'), { recursive: true })
    const settings = { CONTENT_DIR: join(repository.folder, 'content') }
    const { status, stderr } = await build(settings, ['--out', join(root, 'lost')])
    expect([status, existsSync(join(root, 'lost/dist'))]).toEqual([1, false])
    expect(stderr).toContain(
      'content/acme: expected the files of the checked-out commit, but 2 are missing, such as content/acme/index.md. Mount or restore what is missing (git restore), or commit its removal\n',
    )
  })
})
