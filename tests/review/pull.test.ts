// Tests the review of a content pull request as its workflow runs it: the report, who must approve, and the single
// comment on GitHub. Nothing from the pull request may be executed or followed.
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { reviewPull } from '../../src/review/review-pull.ts'
import { COMPILED } from '../compiled.ts'
import { type GitHubStandIn, startGitHubStandIn } from '../github/stand-in.ts'
import { runScript } from '../loaded.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { words } from '../words.ts'
import { writeFiles } from '../write-files.ts'

const REVIEW = resolve('.github/actions/review/review.ts')
const COMMENT = resolve('.github/actions/comment/comment.ts')
let root: string
let canary: string
/** Whether a test may have changed the repository. */
let isChanged = false
function git(...args: string[]): string {
  isChanged = true
  return runSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
}
/** Runs several git commands in one shell: a large process like this one takes long to start each. */
function gitLines(script: string): string[] {
  const identity = { GIT_AUTHOR_NAME: 'T', GIT_AUTHOR_EMAIL: 't@example.org' }
  const env = { ...process.env, ...identity, GIT_COMMITTER_NAME: 'T', GIT_COMMITTER_EMAIL: 't@example.org' }
  return runSync('sh', ['-ec', script], { cwd: root, env, encoding: 'utf8' }).trim().split('\n')
}
function put(path: string, text: string | null): void {
  isChanged = true
  writeFiles(root, { [path]: text })
}
const version = (content: string) =>
  `---\npublished_at: "2026-11-01T10:00:00Z"\npublished_by: octocat\nchangelog: A change\n---\n${content}`
const INDEX =
  '---\ntitle: Code review\ndescription: Finds real problems in a change and says how bad they are.\ntags: [code, review]\nlicense: MIT\n---\nWhen to use it.\n'
const TEXT =
  'Review this code. Name every real problem with its line, and say how bad it is for whoever has to work with it.\n'
const A = 'content/acme/a/versions'

beforeAll(() => {
  root = temporaryFolder('prompt-hub-pull-test-')
  canary = join(root, '..', `${root.split('/').at(-1)}-was-run`)
  git('init', '-q', '-b', 'main')
  git('remote', 'add', 'origin', root)
  put('content/acme/index.md', '---\nname: Acme\nmembers: [octocat, 4711]\n---\n')
  put('content/acme/a/index.md', INDEX)
  put(`${A}/1.0.0.md`, version(TEXT))
  put('package.json', '{"name":"base"}')
  git('add', '.')
  git('commit', '-qm', 'base')
})
afterAll(() => rmSync(canary, { force: true }))
beforeEach(() => {
  if (!isChanged) return
  gitLines('git checkout -q -f -B pull main; git clean -qfdx')
  isChanged = false
})

interface Reviewed {
  report: string
  problems: string
  owner: string
}
/** A review by the command. */
interface CommandReviewed extends Reviewed {
  code: number
  /** Whether any code from the pull request was executed. */
  wasRun: boolean
}

/** Commits the current files as the pull request. @returns the environment of the review */
function prepare(over: Record<string, string>, isCommitted: boolean): Record<string, string> {
  isChanged = true
  const commit = isCommitted ? '' : 'git add -A; git commit -q --allow-empty -m pull; '
  const [BASE_SHA = '', HEAD_SHA = ''] = gitLines(`${commit}git rev-parse main pull`)
  const environment = { BASE_SHA, HEAD_SHA, AUTHOR: 'octocat', AUTHOR_ID: '1' }
  return { PATH: process.env.PATH!, HOME: root, ...COMPILED, ...environment, ...over }
}
/** Reviews the current files in this process, because a command takes longer to start than to review. */
async function review(over: Record<string, string> = {}, isCommitted = false): Promise<Reviewed> {
  const { report, problems, waits } = await reviewPull(root, prepare(over, isCommitted))
  return { report, problems: String(problems), owner: waits ? 'waits' : 'agrees' }
}
/** Reviews the current files with the action of the workflow, where the base is checked out. */
async function runReview(over: Record<string, string> = {}, isCommitted = false): Promise<CommandReviewed> {
  const environment = prepare(over, isCommitted)
  gitLines('git update-ref refs/pull/1/head pull; git checkout -q -f main')
  rmSync(canary, { force: true })
  const { code, said, outputs } = await runAction(environment)
  const { report = said, problems = '', owner = '' } = outputs
  return { code, wasRun: existsSync(canary), report, problems, owner }
}

/** Runs the action in a clone, with what its workflow gives it. */
async function runAction(
  { BASE_SHA = '', HEAD_SHA = '', AUTHOR = 'octocat', AUTHOR_ID = '1', ...env }: Record<string, string>,
  cwd = root,
): Promise<{ code: number; said: string; outputs: Record<string, string> }> {
  const output = join(temporaryFolder('prompt-hub-output-'), 'output')
  const inputs = {
    INPUT_BASE: BASE_SHA,
    INPUT_HEAD: HEAD_SHA,
    INPUT_NUMBER: '1',
    INPUT_AUTHOR: AUTHOR,
    'INPUT_AUTHOR-ID': AUTHOR_ID,
    INPUT_TOKEN: 'secret',
  }
  const place = { PATH: process.env.PATH!, HOME: root, ...COMPILED, GITHUB_OUTPUT: output }
  const ran = await runScript(REVIEW, [], { cwd, env: { ...place, ...inputs, ...env } })
  const outputs = existsSync(output) ? readOutputs(readFileSync(output, 'utf8')) : {}
  rmSync(dirname(output), { recursive: true })
  return { code: ran.code, said: ran.code === 0 ? ran.stdout : ran.stderr, outputs }
}
const readOutputs = (text: string) =>
  Object.fromEntries([...text.matchAll(/^(\w+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name!, value!]))

describe('the review report', () => {
  test('a valid new version has no problems, and an impact on callers of the previous one', async () => {
    put(`${A}/2.0.0.md`, version(`${TEXT}{{language}}\n`))
    put('content/acme/b/versions/1.0.0.md', version('Another prompt, which translates a text.\n'))
    const { report, ...rest } = await runReview()
    expect(rest).toEqual({ code: 0, wasRun: false, problems: '0', owner: 'agrees' })
    expect(report).toContain(`Impact on callers:

\`\`\`text
content/acme/a/versions/2.0.0.md  BREAKING since 1.0.0: adds required variable language; another text
content/acme/b/versions/1.0.0.md  a new prompt
\`\`\``)
  })

  test('lists problems with file and line, counts changes outside content/, and follows no symbolic link', async () => {
    put(`${A}/1.0.0.md`, version('Other bytes.\n'))
    put(`${A}/3.0.0.md`, version(TEXT))
    put('package.json', '{"name":"theirs"}')
    const folders = ['content', 'content/acme', 'content/acme/a', A]
    for (const folder of folders) put(`${folder}/.gitattributes`, '*.md text eol=crlf ident\n')
    const secret = join(root, '.git/secret')
    writeFileSync(secret, version('the secret of the runner'))
    symlinkSync(secret, join(root, `${A}/1.1.0.md`))
    const { report } = await review()
    expect(report).toContain('content/acme/a/versions/1.0.0.md:1  version-unchanged  expected the file as it is in')
    expect(report).toContain('content/acme/a/versions/3.0.0.md:1  ')
    for (const folder of folders) expect(report).toContain(`${folder}/.gitattributes:1  no-attributes  `)
    expect(report).toContain('a symbolic link')
    expect(report).not.toContain('the secret')
    expect(report).toContain('It also changes 1 files outside `content/`')
  })

  test('reports a conflict with the base branch as a problem', async () => {
    put('content/acme/a/index.md', INDEX.replace('Code review', 'Review of code'))
    git('commit', '-qam', 'theirs')
    git('checkout', '-q', 'main')
    const before = git('rev-parse', 'main')
    put('content/acme/a/index.md', INDEX.replace('Code review', 'Reviews'))
    git('commit', '-qam', 'ours')
    git('checkout', '-q', 'pull')
    const { report, problems } = await review()
    git('reset', '-q', '--hard', before)
    expect([report.includes('It **conflicts** with its base branch'), problems]).toEqual([true, '1'])
  })

  test('untrusted text stays in its code fence: no mention, link, comment or early end', async () => {
    put(`${A}/1.1.0.md`, version(`{{@octocat}} <!-- -->\n\u202e\u0007${TEXT}`))
    put(`content/acme/a/versions/${'`'.repeat(9)}@octocat [x](https:evil.example).md`, 'x')
    const { report } = await review()
    const outside = report.replaceAll(/^(`{3,})\w*\n[\s\S]*?\n\1$/gm, '')
    expect(outside).not.toMatch(/octocat|evil/)
    expect(report).not.toMatch(/[\u202e\u0007]/)
    expect(report).toContain('``````````text\n')
  })

  test('a report on hundreds of broken files stays within GitHub’s size limit', async () => {
    for (let number = 0; number < 150; number++)
      put(`content/acme/p${number}/versions/1.0.0.md`, `${'é`'.repeat(2_000)}\n`)
    const { report, problems } = await review()
    expect(Number(problems)).toBeGreaterThanOrEqual(150)
    expect(Buffer.byteLength(report)).toBeLessThan(65_536)
    expect(report).toMatch(/And \d+ more: see the files|\(and more\)/)
  })
})

// src/review/rules/pull-owners.test.ts has the table of who approves.
describe('owner approval', () => {
  //  case                                                    author, user ID  approved  result, reason, and whether the report warns of the name
  test.each([
    ['a member, by login', 'OctoCat', '1', '', 'agrees', 'yes  acme: octocat is one of its members, by name', true],
    [
      'someone else, approved by a maintainer',
      'mallory',
      '2',
      'true',
      'agrees',
      'no   acme: mallory is not a member',
      false,
    ],
  ] as const)('%s', async (_, AUTHOR, AUTHOR_ID, APPROVED, owner, reason, warns) => {
    put(`${A}/1.1.0.md`, version(TEXT))
    const reviewed = await review({ AUTHOR, AUTHOR_ID, APPROVED })
    expect([reviewed.owner, reviewed.report]).toEqual([owner, expect.stringContaining(`\n${reason}\n`)])
    const way = `To trust this account alone, list its ID \`${AUTHOR_ID}\` in \`members\` instead of the name.`
    expect(reviewed.report.includes(way)).toBe(warns)
  })

  test('another account with the login of a member of an owner that lists IDs waits for a maintainer', async () => {
    git('checkout', '-q', 'main')
    const before = git('rev-parse', 'main')
    put('content/acme/index.md', '---\nmembers: [4711]\n---\n')
    put('content/octocat/index.md', '---\nmembers: [4711]\n---\n')
    git('add', '-A')
    git('commit', '-qm', 'IDs alone')
    git('checkout', '-q', '-B', 'pull', 'main')
    put(`${A}/1.1.0.md`, version(TEXT))
    put('content/octocat/x/versions/1.0.0.md', version(TEXT))
    const asThief = await review({ AUTHOR: 'octocat', AUTHOR_ID: '4712' })
    git('checkout', '-q', 'main')
    git('reset', '-q', '--hard', before)
    expect(asThief.owner).toBe('waits')
    expect(asThief.report).toMatch(/no {3}acme: octocat is not a member\nno {3}octocat: octocat is not a member/)
  })

  test.each([undefined, '', '0', '1e3', ' 4711', 'oidc-4711'])('an account ID of %j is refused', async (AUTHOR_ID) => {
    const commits = { BASE_SHA: 'a'.repeat(40), HEAD_SHA: 'b'.repeat(40) }
    await expect(reviewPull(root, { ...commits, AUTHOR: 'octocat', AUTHOR_ID })).rejects.toThrow('AUTHOR_ID')
  })

  test('waits for a maintainer if the index.md of the author’s own handle is unreadable or a folder on main', async () => {
    git('checkout', '-q', 'main')
    const before = git('rev-parse', 'main')
    put('content/acme/index.md', '---\nmember: [octocat]\n---\n')
    put('content/globex/index.md/file', 'x')
    git('add', '-A')
    git('commit', '-qm', 'broken')
    git('checkout', '-q', '-B', 'pull', 'main')
    put('content/acme/index.md', '---\nmembers: [acme]\n---\n')
    put('content/globex/x/versions/1.0.0.md', version(TEXT))
    const { owner, report } = await review({ AUTHOR: 'globex', AUTHOR_ID: '3' })
    git('checkout', '-q', 'main')
    git('reset', '-q', '--hard', before)
    expect(owner).toBe('waits')
    for (const broken of ['acme', 'globex'])
      expect(report).toContain(`no   ${broken}: its index.md on the main branch cannot be read`)
  })

  test('a member who takes publishing: reviewed away waits for a maintainer', async () => {
    git('checkout', '-q', 'main')
    const before = git('rev-parse', 'main')
    const file = '---\nmembers: [octocat]\npublishing: reviewed\n---\n'
    put('content/acme/index.md', file)
    git('commit', '-qam', 'rule')
    git('checkout', '-q', '-B', 'pull', 'main')
    put('content/acme/index.md', '---\nmembers: [octocat]\n---\n')
    const taken = await review()
    git('checkout', '-q', 'main')
    git('reset', '-q', '--hard', before)
    expect(taken.owner).toBe('waits')
    expect(taken.report).toContain('no   acme: it takes reviewed out of publishing in its index.md')
  })
})

describe('published_by of a new version', () => {
  const by = (login: string) => version(TEXT).replace('octocat', login)

  test('is the author, a member of the owner, and nobody else', async () => {
    put(`${A}/1.1.0.md`, by('octocat'))
    put('content/acme/b/versions/1.0.0.md', by('hubot'))
    put('content/acme/c/versions/1.0.0.md', by('torvalds'))
    const { report } = await review({ AUTHOR: 'Hubot', AUTHOR_ID: '9' })
    expect(report.match(/^.*published-by-author.*$/gm)).toEqual([
      expect.stringContaining(
        'content/acme/c/versions/1.0.0.md:3  published-by-author  published_by: expected the author of the pull request or a member of acme, got torvalds; use your own login',
      ),
    ])
  })

  test('a pull request makes nobody a member, neither its author nor a publisher', async () => {
    put('content/acme/index.md', '---\nname: Acme\nmembers: [mallory, torvalds]\n---\n')
    put(`${A}/1.1.0.md`, by('torvalds'))
    put('content/acme/a/index.md', INDEX.replace('Code review', 'Review'))
    const { report, owner, problems } = await review({ AUTHOR: 'mallory', AUTHOR_ID: '2' })
    expect([owner, problems]).toEqual(['waits', '1'])
    expect(report).toContain('no   acme: mallory is not a member')
  })
})

describe('untrusted pull request content', () => {
  test('does not run programs, hooks, filters or attributes of the pull request', async () => {
    const program = `#!/bin/sh\necho ran >'${canary}'\n`
    put('package.json', JSON.stringify({ scripts: { postinstall: program, check: program } }))
    put('.github/actions/review/review.ts', `require('fs').writeFileSync(${JSON.stringify(canary)}, 'x')`)
    put('.git-hooks/post-checkout', program)
    put('.gitattributes', '* filter=evil diff=evil merge=evil text eol=crlf\n')
    put('.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c evil\n')
    put(`${A}/1.1.0.md`, version(TEXT))
    git('config', 'filter.evil.smudge', `touch '${canary}'; cat`)
    git('config', 'diff.evil.textconv', `touch '${canary}'; cat`)
    const { code, problems, wasRun } = await runReview()
    git('config', '--remove-section', 'filter.evil')
    git('config', '--remove-section', 'diff.evil')
    expect({ code, problems, wasRun }).toEqual({ code: 0, problems: '0', wasRun: false })
  })

  test('reports changed line endings even if an attribute would convert them', async () => {
    put('.gitattributes', '* text eol=lf\n')
    git('add', '.gitattributes')
    git('commit', '-qm', 'attributes')
    const id = runSync('git', ['hash-object', '-w', '--no-filters', '--stdin'], {
      cwd: root,
      input: version(TEXT).replaceAll('\n', '\r\n'),
      encoding: 'utf8',
    }).trim()
    git('update-index', '--cacheinfo', `100644,${id},${A}/1.0.0.md`)
    git('commit', '-qm', 'other bytes')
    git('checkout', '-q', '-f', 'pull')
    expect((await review({}, true)).report).toContain('1.0.0.md:1  version-unchanged')
  })

  test('rejects a content folder that is a symbolic link', async () => {
    put('content', null)
    symlinkSync('/etc', join(root, 'content'))
    expect(await runReview()).toMatchObject({
      code: 1,
      report: '::error::content: expected a folder in the pull request\n',
    })
  })
})

describe('a criss-cross merge', () => {
  let before: string
  beforeAll(() => {
    before = git('rev-parse', 'main')
    git('checkout', '-q', '-b', 'one', 'main')
    put('content/acme/b/versions/1.0.0.md', version('Another prompt.\n'))
    git('add', '-A')
    git('commit', '-qm', 'one')
    git('checkout', '-q', '-b', 'other', 'main')
    const advisory = 'advisories: [{range: "1.0.0", severity: high, message: Leaks}]\n'
    put('content/acme/a/index.md', INDEX.replace('license: MIT\n', `license: MIT\n${advisory}`))
    git('commit', '-qam', 'other')
    git('checkout', '-q', 'main')
    git('merge', '-q', '--ff-only', 'one')
    git('merge', '-q', '--no-edit', 'other')
  })
  afterAll(() => {
    git('checkout', '-q', '-f', 'main')
    git('reset', '-q', '--hard', before)
  })

  /**
   * The main branch merges two sides. The pull request has the same two parents, and its tree is that of one side, so
   * one of its two merge bases has the same tree.
   */
  test.each([
    ['first', 'one'],
    ['second', 'other'],
  ])('reports what the pull request removes when it keeps the tree of its %s parent, %s', async (which, kept) => {
    const parents = (which === 'first') === (kept === 'one') ? ['one', 'other'] : ['other', 'one']
    const made = git('commit-tree', '-p', parents[0]!, '-p', parents[1]!, '-m', 'pull', `${kept}^{tree}`)
    git('checkout', '-q', '-B', 'pull', made)
    const { report, owner, problems } = await review({ AUTHOR: 'mallory', AUTHOR_ID: '2' }, true)
    expect([owner, problems]).toEqual(['waits', kept === 'one' ? '0' : '1'])
    expect(report).toContain('no   acme: mallory is not a member')
  })
})

describe('with an old git', () => {
  test('a fetch and a review fail and ask for git 2.38 when git cannot merge without a work tree', async () => {
    const bin = temporaryFolder('prompt-hub-old-git-')
    const real = runSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\ncase "$*" in *merge-tree*) echo 'usage: git merge-tree' >&2; exit 129;; esac\nexec '${real}' "$@"\n`,
      { mode: 0o755 },
    )
    put(`${A}/1.1.0.md`, version(TEXT))
    git('add', '-A')
    git('commit', '-qm', 'content')
    const PATH = `${bin}:${process.env.PATH}`
    expect(await runReview({ PATH }, true)).toMatchObject({
      code: 1,
      report: '::error::The review needs git 2.38 or newer.\n',
    })
    await expect(review({ PATH }, true)).rejects.toThrow('The review needs git 2.38 or newer.')
  })
})

test('only objects are fetched, a pull request without content passes, and one that moved on is refused', async () => {
  const clone = temporaryFolder('prompt-hub-fetch-')
  put(`${A}/1.1.0.md`, version(TEXT))
  git('add', '-A')
  git('commit', '-qm', 'content')
  git('update-ref', 'refs/pull/1/head', 'pull')
  runSync('git', ['clone', '-q', '-b', 'main', root, clone], {})
  const commits = (head: string) => ({ BASE_SHA: git('rev-parse', 'main'), HEAD_SHA: git('rev-parse', head) })
  expect(await runAction(commits('pull'), clone)).toMatchObject({
    code: 0,
    outputs: { content: 'true', problems: '0', owner: 'agrees' },
  })
  expect(existsSync(join(clone, `${A}/1.1.0.md`))).toBe(false)
  expect(await runAction(commits('main'), clone)).toMatchObject({
    code: 1,
    said: '::error::The pull request has changed since this run started; the next run will review it.\n',
  })
  git('update-ref', 'refs/pull/1/head', git('commit-tree', '-p', 'main', '-m', 'code', 'main^{tree}'))
  expect(await runAction(commits('refs/pull/1/head'), clone)).toEqual({
    code: 0,
    said: 'The pull request changes no content.\n',
    outputs: { content: 'false', problems: '0', owner: 'agrees' },
  })
})

describe('the review comment on GitHub', () => {
  let github: GitHubStandIn
  beforeAll(async () => {
    github = await startGitHubStandIn()
  })
  afterAll(() => github.close())

  test('updates its one comment, leaves other people’s comments alone and keeps labels up to date', async () => {
    const { repository, token } = await github.createRepository()
    const ask = async (path: string, body?: object, by = token) => {
      const headers = { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' }
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      return (await fetch(`${github.url}/repos/${repository}${path}`, { headers, ...init })).json()
    }
    const { number } = (await ask('/issues', { title: 'A pull request' })) as { number: number }
    const mark = '<!-- prompt-hub: content review -->'
    const comments = async () =>
      ((await ask(`/issues/${number}/comments`)) as { body: string }[]).map(({ body }) => body)
    const labels = async () =>
      ((await ask(`/issues/${number}/labels`)) as { name: string }[]).map(({ name }) => name).sort()
    const run = (over: Record<string, string>) =>
      runScript(COMMENT, [], {
        env: {
          PATH: process.env.PATH!,
          ...COMPILED,
          GITHUB_API_URL: github.url,
          GITHUB_REPOSITORY: repository,
          INPUT_TOKEN: token,
          INPUT_NUMBER: String(number),
          INPUT_BY: 'prompt-bot',
          INPUT_CONTENT: 'true',
          INPUT_OWNER: 'agrees',
          INPUT_APPROVED: 'false',
          INPUT_REPORT: '',
          ...Object.fromEntries(Object.entries(over).map(([name, value]) => [`INPUT_${name}`, value])),
        },
      })
    await ask(`/issues/${number}/comments`, { body: 'What a nice prompt' })
    await run({ REPORT: `${mark}\n\nfirst \`x\` "é"`, OWNER: 'waits' })
    expect(await comments()).toEqual(['What a nice prompt', `${mark}\n\nfirst \`x\` "é"`])
    expect(await labels()).toEqual(['waits for a maintainer'])
    await ask(`/issues/${number}/labels`, { labels: ['owner approved'] })
    await run({ REPORT: `${mark}\n\nsecond`, APPROVED: 'true' })
    expect(await comments()).toEqual(['What a nice prompt', `${mark}\n\nsecond`])
    expect(await labels()).toEqual(['owner approved'])
    // After new commits, the approval no longer applies.
    await run({ REPORT: `${mark}\n\nthird`, OWNER: 'waits' })
    expect(await comments()).toEqual(['What a nice prompt', `${mark}\n\nthird`])
    expect(await labels()).toEqual(['waits for a maintainer'])
    // All content changes are reverted, so a note replaces the report, and all labels are removed.
    await run({ CONTENT: 'false' })
    const takenBack = `${mark}\n\n### Content review\n\nNothing in \`content/\` changes any more.`
    expect(await comments()).toEqual(['What a nice prompt', takenBack])
    expect(await labels()).toEqual([])
    const other = (await ask('/issues', { title: 'Code alone' })) as { number: number }
    await run({ CONTENT: 'false', NUMBER: String(other.number) })
    expect(await ask(`/issues/${other.number}/comments`)).toEqual([])
    // The marker counts only in the bot's own comments.
    await run({ REPORT: `${mark}\n\nfourth`, BY: 'somebody-else' })
    expect(await comments()).toHaveLength(3)
    const { stderr } = await run({ REPORT: 'no mark' })
    expect(stderr).toContain('::error::expected the number of a pull request and a report.')
  })
})

test('the workflow gives the actions their inputs, and its checks rely only on their outputs', () => {
  const { jobs } = parse(readFileSync('.github/workflows/content.yml', 'utf8'))
  const outputs = words`content report problems owner`
  for (const [name, given] of [
    ['review', words`head number author author-id approved`],
    ['comment', words`number content report owner approved`],
  ] as const) {
    const action = parse(readFileSync(`.github/actions/${name}/action.yml`, 'utf8'))
    const step = jobs[name].steps.at(-1)
    expect([step.uses, Object.keys(step.with)]).toEqual([`./.github/actions/${name}`, given])
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining([...given]))
    expect(action.runs).toEqual({ using: 'node24', main: `${name}.ts` })
  }
  expect(Object.keys(jobs.review.outputs)).toEqual(outputs)
  // A review that did not finish posts nothing. A review without content changes does post, because the page may show
  // an earlier report.
  expect(jobs.comment.if).toBe("needs.review.outputs.problems != ''")
  expect([jobs.rules.if, jobs.owner.if]).toEqual(['always()', 'always()'])
  expect([jobs.rules.steps[0].run, jobs.owner.steps[0].run]).toEqual(['test "$PROBLEMS" = 0', 'test "$OWNER" = agrees'])
})

test('a pull request whose base branch is changed is reviewed and checked again', () => {
  const content = parse(readFileSync('.github/workflows/content.yml', 'utf8')).on.pull_request_target
  const code = parse(readFileSync('.github/workflows/check.yml', 'utf8')).on.pull_request
  expect([content, code]).toEqual([
    { types: ['opened', 'synchronize', 'reopened', 'edited', 'labeled', 'unlabeled'] },
    { types: ['opened', 'synchronize', 'reopened', 'edited'] },
  ])
})

describe('the approval label counts only in the event that adds it', () => {
  const { jobs } = parse(readFileSync('.github/workflows/content.yml', 'utf8'))
  const expressions: string[] = [jobs.review.steps.at(-1).with.approved, jobs.comment.steps.at(-1).with.approved]
  /** The comparison and logical operators in GitHub expressions work like those in JavaScript. */
  const decide = (expression: string, event: object): unknown =>
    new Function('github', `return ${expression.replace(/^\$\{\{(.*)\}\}$/, '$1').replaceAll('==', '===')}`)({ event })
  const labels = [{ name: 'owner approved' }, { name: 'documentation' }]
  //  case                                               event  approved
  test.each([
    ['the label was added', { action: 'labeled', label: { name: 'owner approved' } }, true],
    [
      'another label was added, with the label still set',
      { action: 'labeled', label: { name: 'documentation' } },
      false,
    ],
    ['the label was removed', { action: 'unlabeled', label: { name: 'owner approved' } }, false],
    ['a label with a similar name was added', { action: 'labeled', label: { name: 'not owner approved' } }, false],
    ['commits were pushed', { action: 'synchronize' }, false],
  ])('%s', (_, event, approved) => {
    const given = { ...event, pull_request: { labels } }
    expect(expressions.map((expression) => decide(expression, given))).toEqual([approved, approved])
  })

  test('the report names the reviewed commit and says that the label approves only this commit', async () => {
    put(`${A}/1.1.0.md`, version(TEXT))
    const { report } = await review({ AUTHOR: 'mallory', AUTHOR_ID: '2' })
    expect(report).toContain('All checks passed, and there are no suggestions.')
    expect(report).toContain(`Reviewed: ${git('rev-parse', 'pull')}`)
    expect(report).toContain(
      'The label approves only this commit; any later commit, label or edit of the pull request removes it',
    )
  })
})

test('a takedown is undone only with the approval of a maintainer', async () => {
  const index = (removed: string) => INDEX.replace('---\nWhen', `${removed}---\nWhen`)
  const REMOVED = 'removed: {"1.0.1": A court forbade it}\n'
  const FORBIDDEN = version(`Forbidden: ${TEXT}`)
  const restored = { 'versions/1.0.1.md': FORBIDDEN }
  const dropped = { 'index.md': index('') }
  //  what the pull request does to a prompt, whether that waits for a maintainer, the rules that it breaks
  const cases: Record<string, [Record<string, string | null>, boolean, string[]]> = {
    'drops-the-entry': [dropped, true, []],
    'deletes-index': [{ 'index.md': null }, true, []],
    'breaks-index': [{ 'index.md': '---\ntitel: x\n---\n' }, true, ['front-matter-value']],
    'restores-the-file': [restored, false, ['removed-versions-are-gone', 'signed-version']],
    'restores-both': [{ ...restored, ...dropped }, true, ['signed-version']],
    'reuses-the-number': [
      { 'versions/1.0.1.md': version(`Another: ${TEXT}`), ...dropped },
      true,
      ['signed-version', 'version-number-used'],
    ],
    'changes-the-title': [{ 'index.md': index(REMOVED).replace('Code review', 'Review') }, false, []],
  }
  const write = (name: string, files: Readonly<Record<string, string | null>>) => {
    for (const [path, text] of Object.entries(files)) put(`content/octo/${name}/${path}`, text)
  }
  git('checkout', '-q', 'main')
  const start = git('rev-parse', 'HEAD')
  const trusted =
    'trusted_publishers:\n  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: publish.yml}\n'
  put('content/octo/index.md', `---\nmembers: [octocat]\npublishing: signed-only\n${trusted}---\n`)
  for (const name of Object.keys(cases))
    write(name, { ...dropped, ...restored, 'versions/1.0.0.md': version(`First: ${TEXT}`) })
  git('add', '-A')
  git('commit', '-qm', 'published')
  for (const name of Object.keys(cases)) write(name, { 'index.md': index(REMOVED), 'versions/1.0.1.md': null })
  git('add', '-A')
  git('commit', '-qm', 'Take down 1.0.1')
  git('checkout', '-q', '-B', 'pull', 'main')
  for (const [name, [files]] of Object.entries(cases)) write(name, files)
  const { report, owner } = await review()
  git('checkout', '-q', '-f', 'main')
  git('reset', '-q', '--hard', start)
  expect(owner).toBe('waits')
  const found = Object.keys(cases).map((name) => {
    const waits = report.includes(`\nno   octo/${name}: it takes 1.0.1 out of removed\n`)
    const rules = report.matchAll(new RegExp(`^content/octo/${name}/\\S+  (\\S+)  `, 'gm'))
    return [name, waits, [...rules].map(([, rule]) => rule).toSorted()]
  })
  expect(found).toEqual(Object.entries(cases).map(([name, [, waits, rules]]) => [name, waits, rules]))
})
