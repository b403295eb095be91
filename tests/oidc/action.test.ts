// Tests the publish action: its script with a real hub and a fake OIDC issuer.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openJobVerifier } from '../../src/account/providers/job-verifier.ts'
import { formatTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import { useOnce } from '../../src/state/single-use.ts'
import { type SigstoreServices, startSigstore } from '../attestations/sigstore-services.ts'
import { COMPILED } from '../compiled.ts'
import { memoryState } from '../hubs/memory-state.ts'
import { type Hub, openHub, serve } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { runScript } from '../loaded.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { ISSUER, type Issuer, startIssuer } from './issuer.ts'

const SCRIPT = resolve('.github/actions/publish/publish.ts')
const OWNER = `---
trusted_publishers:
  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: publish.yml, permissions: [publish, label]}
---
`
let issuer: Issuer
let world: World
let dir: string
let url: string
let close: () => Promise<void>
let hub: Hub
/** The data files of the last build. */
let files: ReadonlyMap<string, string> = new Map()
/** The calls of GitHub's API. */
let pulls: { call: string; body: Record<string, string> }[] = []
let sigstore: SigstoreServices
/** What GitHub answers to an empty attestation. */
let mayAttest = 422
beforeAll(async () => {
  issuer = await startIssuer()
  sigstore = await startSigstore()
  const roots = formatTrustedRootFile({ renewed_at: '2026-11-26', roots: [sigstore.root] })
  world = openLocalWorld({ 'content/acme/index.md': OWNER, 'content/trusted-root.json': roots })
  const state = memoryState()
  ;({ url, close } = await serve(async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/token') {
      if (request.headers.get('Authorization') !== 'Bearer request') return new Response(null, { status: 401 })
      return Response.json({ value: await issuer.sign({ aud: searchParams.get('audience') }) })
    }
    if (pathname.startsWith('/data/')) {
      const text = files.get(pathname)
      return text === undefined ? new Response(null, { status: 404 }) : new Response(text)
    }
    if (pathname.startsWith('/repos/')) {
      const text = await request.text()
      pulls.push({ call: `${request.method} ${pathname}`, body: text === '' ? {} : JSON.parse(text) })
      return Response.json(request.method === 'GET' ? [] : { html_url: 'https://github.example/pull/7' })
    }
    if (pathname === '/github/repos/octo/prompts/attestations') return new Response('{}', { status: mayAttest })
    return hub.answer(request)
  }))
  const verifyJob = await openJobVerifier({ issuer: ISSUER, jwksUrl: issuer.jwksUrl, audience: url })
  hub = await openHub(world, {
    state,
    verifyJob,
    spendJob: ({ jti, request, endsMs }) => useOnce(state, { kind: 'jti', id: jti, use: request, endsMs }),
  })
  await hub.build()
  dir = temporaryFolder('prompt-hub-action-')
  mkdirSync(join(dir, 'prompts'))
  writeFileSync(join(dir, 'prompts/code-review.md'), 'Review {{code}}.\r\nTwice.')
  writeFileSync(join(dir, 'prompts/summary.md'), 'Summarise.')
})
afterAll(async () => {
  await close?.()
  await issuer?.close()
  await sigstore?.close()
})

const run = (over: Record<string, string> = {}) =>
  runScript(SCRIPT, [], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      ...COMPILED,
      HUB: url,
      OWNER: 'acme',
      FILES: 'prompts/*.md',
      CHANGELOG: 'From CI',
      BUMP: 'auto',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
      ...over,
    },
  })

test('publishes each file under its file name, and reports it as unchanged on the second run', async () => {
  const first = await run()
  expect(first.stdout.replace(/::add-mask::\S+\n/g, '')).toBe('acme/code-review 1.0.0\nacme/summary 1.0.0\n')
  expect((await run()).stdout).toContain('acme/summary 1.0.0 (unchanged)')
  const file = readFileSync(join(await world.contentDir(), 'acme/code-review/versions/1.0.0.md'), 'utf8')
  expect(file).toContain('repository: octo/prompts')
  expect(file.endsWith('---\nReview {{code}}.\r\nTwice.')).toBe(true)
})

describe('with attestations: write', () => {
  const subjects = async (files: string, over: Record<string, string> = {}) => {
    const output = join(dir, 'subjects-output')
    writeFileSync(output, '')
    const more = { GITHUB_OUTPUT: output, RUNNER_TEMP: dir, GITHUB_TOKEN: 'github', GITHUB_REPOSITORY: 'octo/prompts' }
    const settings = { MODE: 'subjects', FILES: files, GITHUB_API_URL: `${url}/github`, ...more, ...over }
    const ran = await run(settings)
    const path = /^path=(.*)$/m.exec(readFileSync(output, 'utf8'))?.[1]
    return {
      ...ran,
      path,
      listed: path === undefined ? '' : readFileSync(path, 'utf8'),
    }
  }
  const SOURCE = '---\ncompose: true\n---\n{{include "acme/summary@1.0.0"}}\nSecond {{text}}.'
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

  test('what would be published is signed, and published with the signature', async () => {
    // The second one includes another prompt: what is signed is the assembled text.
    const [one, two] = ['First {{text}}.', 'Summarise.\nSecond {{text}}.']
    writeFileSync(join(dir, 'prompts/signed-one.md'), `---\ntitle: Signed\n---\n${one}`)
    writeFileSync(join(dir, 'prompts/signed-two.md'), SOURCE)
    const found = await subjects('prompts/signed-*.md\nprompts/summary.md')
    // The third file is published already.
    const manifest = (content: string) =>
      sha256(
        `{"content_sha256":"${sha256(content)}","files":[],"format":"text","parameters":{},"skill":null,"variables":[{"default":null,"description":"","example":null,"name":"text","options":[],"required":true,"type":"string"}]}`,
      )
    const about = [
      { sha256: sha256(one), name: 'acme/signed-one' },
      { sha256: manifest(one), name: 'acme/signed-one#manifest' },
      { sha256: sha256(two), name: 'acme/signed-two' },
      { sha256: manifest(two), name: 'acme/signed-two#manifest' },
    ]
    expect(found.listed).toBe(about.map((one) => `${one.sha256}  ${one.name}\n`).join(''))
    const bundle = await sigstore.sign({ about })
    const attestation = join(dir, 'attestation.json')
    writeFileSync(attestation, `${JSON.stringify(bundle)}\n`)
    const { stdout } = await run({ FILES: 'prompts/signed-*.md', ATTESTATION: attestation })
    expect(stdout).toContain('acme/signed-one 1.0.0\n')
    expect(stdout).toContain('acme/signed-two 1.0.0\n')
    for (const name of ['signed-one', 'signed-two']) {
      const stored = join(await world.contentDir(), `acme/${name}/attestations/1.0.0/1.sigstore.json`)
      expect(readFileSync(stored, 'utf8')).toBe(JSON.stringify(bundle))
    }
  })

  /** A hub that answers checks otherwise than the one behind it. */
  const lie = async (change: (data: Record<string, unknown>) => object, work: (hub: string) => Promise<void>) => {
    const { url: lying, close: stop } = await serve(async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'POST' ? await request.arrayBuffer() : null
      const given = { method: request.method, headers: request.headers, body }
      const answer = await fetch(`${url}${pathname}${search}`, given)
      if (!pathname.endsWith('/check')) return new Response(await answer.arrayBuffer(), { status: answer.status })
      const { data } = await answer.json()
      return Response.json({ data: { ...data, ...change(data) } })
    })
    await work(lying)
    await stop()
  }
  const other = sha256('#!/bin/sh\necho any artefact\n')
  test.each([
    ['the content', () => ({ content_sha256: other })],
    [
      'each other’s digests',
      (data: Record<string, unknown>) => ({
        content_sha256: data.manifest_sha256,
        manifest_sha256: data.content_sha256,
      }),
    ],
  ])('nothing is signed for a hub that names another digest: %s', async (_, change) => {
    writeFileSync(join(dir, 'prompts/own.md'), '---\nparameters: {model: a}\n---\nOwn {{text}}.\n')
    await lie(change, async (hub) => {
      const { code, stderr, path, listed } = await subjects('prompts/own.md', { HUB: hub })
      expect([code, path, listed]).toEqual([1, undefined, ''])
      expect(stderr).toMatch(
        /^::error::http:\/\/localhost:\d+ names other digests than this job computes from prompts\/own\.md: expected [0-9a-f]{64} and [0-9a-f]{64}, got /,
      )
    })
    rmSync(join(dir, 'prompts/own.md'))
  })

  test('the folder of a skill is signed as its archive, and published with the signature', async () => {
    mkdirSync(join(dir, 'skills/fill/scripts'), { recursive: true })
    mkdirSync(join(dir, 'skills/no-skill'))
    writeFileSync(join(dir, 'skills/fill/SKILL.md'), '---\nname: fill\ndescription: Fills in.\n---\nFill in.\n')
    writeFileSync(join(dir, 'skills/fill/scripts/a.py'), 'x = 1\n')
    const { code, stderr, listed } = await subjects('skills/*')
    expect([code, stderr]).toEqual([0, ''])
    const manifest = `{"content_sha256":"${sha256('Fill in.\n')}","files":[{"path":"scripts/a.py","sha256":"${sha256('x = 1\n')}","size_bytes":6}],"format":"text","parameters":{},"skill":{"allowed_tools":[],"argument_hint":null,"compatibility":null,"description":"Fills in.","license":null,"metadata":{}},"variables":[]}`
    const archive = listed.slice(0, 64)
    expect(listed).toBe(`${archive}  acme/fill\n${sha256(manifest)}  acme/fill#manifest\n`)
    const about = [
      { name: 'acme/fill', sha256: archive },
      { name: 'acme/fill#manifest', sha256: sha256(manifest) },
    ]
    const attestation = join(dir, 'attestation.json')
    writeFileSync(attestation, JSON.stringify(await sigstore.sign({ about })))
    const { stdout } = await run({ FILES: 'skills/*/', ATTESTATION: attestation })
    expect(stdout).toContain('acme/fill 1.0.0\n')
    const served = await hub.read('/api/v1/repos/acme/fill/versions/1.0.0/archive')
    expect(createHash('sha256').update(served.bytes).digest('hex')).toBe(archive)
  })

  test('what a file leaves out is signed as the published version has it', async () => {
    const file = (text: string, front: string) =>
      writeFileSync(join(dir, 'prompts/kept.md'), `---\n${front}---\n${text}`)
    file(
      'Keep {{text}}.\n',
      'license: MIT\nskill: {description: Keeps.}\nparameters: {top_p: 0.3}\nvariables: [{name: text, description: What}]\n',
    )
    await run({ FILES: 'prompts/kept.md' })
    file('Keep {{text}} and {{more}}.\n', '')
    const { code, stderr, listed } = await subjects('prompts/kept.md')
    expect([code, stderr]).toEqual([0, ''])
    const content = sha256('Keep {{text}} and {{more}}.\n')
    const variable = (name: string, description: string) =>
      `{"default":null,"description":"${description}","example":null,"name":"${name}","options":[],"required":true,"type":"string"}`
    const manifest = `{"content_sha256":"${content}","files":[],"format":"text","parameters":{"top_p":0.3},"skill":{"allowed_tools":[],"argument_hint":null,"compatibility":null,"description":"Keeps.","license":"MIT","metadata":{}},"variables":[${variable('text', 'What')},${variable('more', '')}]}`
    expect(listed).toBe(`${content}  acme/kept\n${sha256(manifest)}  acme/kept#manifest\n`)
    rmSync(join(dir, 'prompts/kept.md'))
  })

  test('nothing is signed without the permission, or if nothing would be published', async () => {
    expect(await subjects('prompts/summary.md')).toMatchObject({ code: 0, path: undefined, stdout: '' })
    mayAttest = 403
    const refused = await subjects('prompts/signed-*.md')
    mayAttest = 422
    expect(refused.path).toBe(undefined)
    expect(refused.stdout).toContain('add "attestations: write" to its permissions')
  })
})

test('publishing has outputs and a summary', async () => {
  writeFileSync(join(dir, 'prompts/summary.md'), 'Summarise {{text}}.')
  const told = { GITHUB_OUTPUT: join(dir, 'output'), GITHUB_STEP_SUMMARY: join(dir, 'summary') }
  for (const file of Object.values(told)) writeFileSync(file, '')
  await run({ FILES: 'prompts/summary.md', ...told })
  expect(readFileSync(told.GITHUB_OUTPUT, 'utf8')).toBe(
    `version<<END\n2.0.0\nEND\nurl<<END\n${url}/acme/summary/v/2.0.0\nEND\nchanged=true\n`,
  )
  expect(readFileSync(told.GITHUB_STEP_SUMMARY, 'utf8')).toBe(
    '| Prompt | Version | Impact on callers |\n|---|---|---|\n| acme/summary | 2.0.0 | **breaking**: adds required variable text |\n',
  )
})

test('a breaking change as minor or patch fails, unless the job allows it', async () => {
  writeFileSync(join(dir, 'prompts/bumped.md'), 'One.')
  await run({ FILES: 'prompts/bumped.md' })
  writeFileSync(join(dir, 'prompts/bumped.md'), 'One {{more}}.')
  const given = { FILES: 'prompts/bumped.md', BUMP: 'patch' }
  expect((await run(given)).stderr).toBe(
    '::error file=prompts/bumped.md::acme/bumped was not published: acme/bumped: 1.0.1 is too small for a breaking change since 1.0.0: adds required variable more. Publish it as 2.0.0: leave out bump, or use major. To publish it as 1.0.1 all the same, use --allow-breaking; in a request, allow_breaking=true.\n',
  )
  expect((await run({ ...given, ALLOW_BREAKING: 'maybe' })).stderr).toContain('allow-breaking: expected yes or no.')
  const allowed = await run({ ...given, ALLOW_BREAKING: 'yes' })
  expect(allowed.stdout).toContain('acme/bumped 1.0.1\n')
  expect(allowed.stderr).toContain('breaking change since 1.0.0, published as patch: adds required variable more.')
})

test('points a label at the published version', async () => {
  expect((await run({ FILES: 'prompts/summary.md', LABEL: 'production' })).stdout).toContain(
    'acme/summary: production points at 2.0.0',
  )
  const index = readFileSync(join(await world.contentDir(), 'acme/summary/index.md'), 'utf8')
  expect(index).toContain('production: "2.0.0"')
  expect((await run({ LABEL: 'Production' })).stderr).toContain('label: expected lower-case')
})

//  case                        settings                                   message
test.each([
  ['another owner', { OWNER: 'other' }, 'no workflow is trusted'],
  ['no matching file', { FILES: 'nothing/*.md' }, 'No files match'],
  [
    'a branch that cannot be fetched',
    { GITHUB_REF: 'refs/heads/main', OWNER: 'other' },
    'Cannot fetch refs/heads/main',
  ],
  ['a job without id-token: write', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }, 'id-token: write'],
])('%s: fails with an error that explains the cause', async (_, settings, told) => {
  expect((await run({ FILES: 'prompts/summary.md', ...settings })).stderr).toContain(told)
})

describe('malicious input from a pull request', () => {
  const put = (path: string) => () => writeFileSync(join(dir, path), 'x')
  const link = (target: string, path: string) => () => symlinkSync(target, join(dir, path))
  //  case, setup, files, message
  test.each([
    ['a symlink to a file outside', link('../../secret', 'bad/leak.md'), 'bad/leak.md', 'is a symbolic link'],
    ['a symlink to a folder', link('../prompts', 'bad/sub'), 'bad/sub/summary.md', 'is a symbolic link'],
    ['a parent path', put('up.md'), 'prompts/../up.md', 'not inside the working directory'],
    ['a workflow command', put('bad/a\n::set-output name=x::y.md'), 'bad/*.md', 'control character'],
    ['an invalid prompt name', put('bad/a%0A..md'), 'bad/*.md', 'expected lower-case letters'],
    ['a leading hyphen', put('-x.md'), '-x.md', 'was not published'],
  ])('%s: is not published and injects no workflow command', async (_, make, FILES, told) => {
    rmSync(join(dir, 'bad'), { recursive: true, force: true })
    mkdirSync(join(dir, 'bad'))
    make()
    const { stdout, stderr } = await run({ FILES })
    expect(stderr).toContain(told)
    expect(stderr).toMatch(/^::error[^\n]*\n$/)
    expect(stdout.replace(/::add-mask::[\w.-]+\n/g, '')).toBe('')
    rmSync(join(dir, 'bad'), { recursive: true, force: true })
  })

  const HOSTILE = 'no\n::set-env name=PATH::/evil\r\n##[add-path]x'
  const ERROR = { status: 400, answer: { error: { code: 'x', message: `line 7: ${HOSTILE}` } } }
  const CHECKED = { would_be: '1.0.0', unchanged: false, fields: [], changes: null, warnings: [] }
  const PUBLISHED = {
    full_name: HOSTILE,
    version: '1.0.0',
    unchanged: false,
    warnings: [{ message: HOSTILE, line: 3 }],
  }
  const checked = (more = {}) => ({ status: 200, answer: { data: { ...CHECKED, ...more } } })
  const published = (more = {}) => ({ status: 201, answer: { data: { ...PUBLISHED, ...more } } })
  const MASK = 'add-mask::token'
  const FILE = 'file=prompts/summary.md'
  const ESCAPED = 'no%0A::set-env name=PATH::/evil%0D%0A##[add-path]x'
  const REFUSED = `error ${FILE},line=7::acme/summary was not published: line 7: ${ESCAPED}`
  const NO_VERSION = `error ${FILE}::HUB accepted acme/summary, but its response has no version.`
  const NO_CHECK = `error ${FILE}::acme/summary was not published: HUB did not return a check; is it a Prompt Hub?`
  //  case, check, publish, the only commands
  test.each([
    ['in the error of a check', ERROR, ERROR, [REFUSED]],
    ['in the error of a publish', checked(), ERROR, [MASK, REFUSED]],
    ['in a version', checked(), published({ version: HOSTILE }), [MASK, NO_VERSION]],
    ['in a warning', checked(), published(), [MASK, `warning ${FILE},line=3::${ESCAPED}`]],
    ['in a checked version', checked({ would_be: HOSTILE }), ERROR, [NO_CHECK]],
  ])('%s: escapes workflow commands sent by the hub', async (_, check, publish, commands) => {
    const { url: HUB, close: stop } = await serve(async (request) => {
      if (request.url.includes('/token')) return Response.json({ value: 'token' })
      const { status, answer } = request.url.includes('/check') ? check : publish
      return Response.json(answer, { status })
    })
    const { stdout, stderr } = await run({
      HUB,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${HUB}/token`,
      FILES: 'prompts/summary.md',
    })
    await stop()
    const found = (stdout + stderr).split('\n').filter((line) => /^\s*(::|##\[)/.test(line))
    expect(found.map((line) => line.replaceAll(HUB, 'HUB'))).toEqual(commands.map((command) => `::${command}`))
  })

  test.each(['http://hub.example.com', 'http://localhost:80@hub.example.com', 'ftp://x'])(
    'sends no token to %s',
    async (HUB) => {
      expect(await run({ HUB })).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('expected an https URL'),
      })
    },
  )
})

describe('checking a pull request', () => {
  const check = async (files: Readonly<Record<string, string>>, over: Record<string, string> = {}) => {
    const folder = mkdtempSync(join(dir, 'pull-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const told = { GITHUB_OUTPUT: join(dir, 'output'), GITHUB_STEP_SUMMARY: join(dir, 'summary') }
    for (const file of Object.values(told)) writeFileSync(file, '')
    const FILES = `${folder.slice(dir.length + 1)}/*`
    const outcome = await run({ MODE: 'check', ACTIONS_ID_TOKEN_REQUEST_URL: '', FILES, ...told, ...over })
    const read = (file: string) => readFileSync(file, 'utf8')
    return {
      ...outcome,
      output: read(told.GITHUB_OUTPUT),
      summary: read(told.GITHUB_STEP_SUMMARY),
      folder: FILES.slice(0, -2),
    }
  }

  test('annotates warnings and errors, and says what callers must know', async () => {
    const { stdout, stderr, output, summary, folder, ...rest } = await check({
      'broken.md': '---\ntitle: A title\ntags: [A B]\ntitel: x\nparameters: 1\n---\nx',
      'code-review.md': '---\ntitle: Reviews\n---\nReview {{diff}}\nof {{ user-name }}.\n',
      'new.md': 'New.',
      'summary.md': 'Summarise {{text}}.',
    })
    expect(rest).toMatchObject({ code: 1 })
    expect(stdout).toBe(
      'acme/code-review 2.0.0 would be published\nacme/new 1.0.0 would be published\nacme/summary 2.0.0 (unchanged)\n',
    )
    const [unknown, parameters, tag, ...warnings] = stderr.trim().split('\n')
    expect(unknown).toBe(
      `::error file=${folder}/broken.md,line=4::acme/broken cannot be published: titel: line 4: unknown; check the spelling, or leave it out`,
    )
    expect(tag).toContain(`::error file=${folder}/broken.md,line=3::acme/broken cannot be published: tags.0: line 3: `)
    expect(parameters).toContain(
      `broken.md,line=5::acme/broken cannot be published: parameters: line 5: expected an object`,
    )
    expect(warnings).toContain(
      `::warning file=${folder}/code-review.md,line=5::content: {{ user-name }} is not a placeholder. If it should be one, write {{user_name}}`,
    )
    expect(warnings.join()).not.toContain('summary.md')
    expect(output).toBe(
      [
        ...['version<<END', '', '2.0.0', '1.0.0', '2.0.0', 'END'],
        ...['url<<END', '', `${url}/acme/code-review/v/2.0.0`, `${url}/acme/new/v/1.0.0`],
        ...[`${url}/acme/summary/v/2.0.0`, 'END', 'changed=true', ''],
      ].join('\n'),
    )
    expect(summary.replace(/(failed\*\*: ).*( \|)/, '$1…$2')).toBe(
      [
        '| Prompt | Version | Impact on callers |',
        '|---|---|---|',
        '| acme/broken |  | **failed**: … |',
        '| acme/code-review | 2.0.0 | **breaking**: adds required variable diff, removes variable code |',
        '| acme/new | 1.0.0 | none: a new prompt |',
        '| acme/summary | 2.0.0 | none: unchanged |',
        '',
      ].join('\n'),
    )
  })

  test('annotates each problem of the YAML at its line', async () => {
    const { stderr, folder } = await check({ 'summary.md': '---\ntitle: !a b\nlicense: !c d\ntags: *e\n---\nx' })
    expect(stderr.trim().split('\n')).toEqual(
      [
        '2: expected valid YAML: Unresolved tag: !a',
        '3: expected valid YAML: Unresolved tag: !c',
        '4: expected YAML without aliases (*name); write the value out.',
      ].map(
        (problem) =>
          `::error file=${folder}/summary.md,line=${problem[0]}::acme/summary cannot be published: line ${problem}`,
      ),
    )
  })

  test('nothing in the summary is markup from a prompt', async () => {
    const parameters = JSON.stringify({ '<img src=x>|`[a](b)*\n| c |': 1 })
    const { summary } = await check({ 'summary.md': `---\nparameters: ${parameters}\n---\nSummarise {{text}}.` })
    expect(summary.split('\n')).toHaveLength(4)
    expect(summary).toContain(
      '| settings: &#60;img src&#61;x&#62;&#124;&#96;&#91;a&#93;&#40;b&#41;&#42;&#10;&#124; c &#124; |',
    )
  })

  test('says that nothing would change', async () => {
    const { output, stderr, summary } = await check({ 'summary.md': 'Summarise {{text}}.' })
    expect([output, stderr]).toEqual([
      `version<<END\n2.0.0\nEND\nurl<<END\n${url}/acme/summary/v/2.0.0\nEND\nchanged=false\n`,
      '',
    ])
    expect(summary).toContain('| acme/summary | 2.0.0 | none: unchanged |')
    const title = await check({ 'summary.md': '---\ntitle: Short summaries\n---\nSummarise {{text}}.' })
    expect([title.output, title.summary]).toEqual([
      expect.stringContaining('changed=true'),
      expect.stringContaining('| acme/summary | 2.0.0 | none: only title |'),
    ])
  })

  test.each([
    ['another mode', { MODE: 'pull' }, 'mode: expected publish or check.'],
    ['a bump that is none', { BUMP: 'huge&dry_run=true' }, 'bump: expected auto, major, minor or patch.'],
    ['an owner that is none', { OWNER: 'acme/x' }, 'owner: expected lower-case letters, digits and hyphens.'],
    ['a URL of two lines', { HUB: 'https://a.example\nEND' }, 'hub: expected an https URL'],
  ])('refuses %s', async (_, settings, told) => {
    expect((await check({ 'x.md': 'x' }, settings)).stderr).toContain(`::error::${told}`)
  })
})

test('passes every input to the script through environment variables only', () => {
  const action = parse(readFileSync('.github/actions/publish/action.yml', 'utf8'))
  expect(Object.keys(action.inputs)).toEqual([
    ...['mode', 'hub', 'owner', 'files', 'changelog', 'bump', 'allow-breaking', 'label', 'attest'],
  ])
  const [setUp, subjects, attest, step] = action.runs.steps
  expect([setUp.uses, setUp.if, subjects.run, attest.uses]).toEqual([
    'actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020',
    undefined,
    'node "$GITHUB_ACTION_PATH/publish.ts"',
    'actions/attest@1e69f48acb82d1966a394da916b4c1698aa569d6',
  ])
  expect(Object.keys(subjects.env)).toEqual(['MODE', 'HUB', 'OWNER', 'FILES', 'BUMP', 'ALLOW_BREAKING', 'GITHUB_TOKEN'])
  expect(step.run).toBe('node "$GITHUB_ACTION_PATH/publish.ts"')
  expect(action.outputs).toMatchObject(
    Object.fromEntries(
      ['version', 'url', 'changed'].map((name) => [name, { value: `\${{ steps.${step.id}.outputs.${name} }}` }]),
    ),
  )
  expect(Object.keys(step.env)).toEqual([
    ...['MODE', 'HUB', 'OWNER', 'FILES', 'CHANGELOG', 'BUMP', 'ALLOW_BREAKING', 'LABEL', 'ATTESTATION'],
  ])
})

describe('the action result', () => {
  const RESULT = resolve('.github/actions/result/result.ts')
  const report = (over: Record<string, string> = {}) =>
    runScript(RESULT, [], {
      cwd: dir,
      env: {
        PATH: process.env.PATH,
        INPUT_HUB: url,
        INPUT_PROMPT: 'acme/tested',
        INPUT_VERSION: '1.0.0',
        INPUT_SUITE: 'quality',
        INPUT_FILE: 'out.xml',
        ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'octo/prompts',
        GITHUB_RUN_ID: '77',
        ...over,
      },
    })
  beforeAll(async () => {
    writeFileSync(join(dir, 'prompts/tested.md'), 'Test me.')
    await run({ FILES: 'prompts/tested.md' })
    writeFileSync(join(dir, 'out.xml'), '<testsuite><testcase/><testcase><failure/></testcase></testsuite>')
  })

  test('reports as the trusted workflow, with the run, and then moves the label', async () => {
    const { stdout, stderr } = await report({ INPUT_MODEL: 'example-model-1', INPUT_LABEL: 'staging' })
    expect([stdout.replace(/::add-mask::\S+\n/g, ''), stderr]).toEqual([
      'acme/tested 1.0.0 quality: 1 passed, 1 failed\nacme/tested staging 1.0.0\n',
      '',
    ])
    const file = readFileSync(join(await world.contentDir(), 'acme/tested/results/1.0.0/quality.yml'), 'utf8')
    expect(parse(file)).toMatchObject({
      passed: 1,
      failed: 1,
      score: 0.5,
      model: 'example-model-1',
      reported_by: 'acme',
      url: 'https://github.com/octo/prompts/actions/runs/77',
      provenance: { repository: 'octo/prompts', workflow: expect.stringContaining('publish.yml') },
    })
  })

  test('a run whose suite fails sets a split back', async () => {
    writeFileSync(join(dir, 'prompts/tested.md'), 'Test me twice.')
    await run({ FILES: 'prompts/tested.md' })
    await report()
    const token = await hub.makeToken({ permissions: ['label'] })
    const canary = { method: 'PUT', path: '/api/v1/repos/acme/tested/labels/canary', token }
    await hub.publish({ version: '1.0.0', split: { version: '1.0.1', percent: 10 } }, canary)
    writeFileSync(join(dir, 'worse.xml'), '<testsuite><testcase><failure/></testcase></testsuite>')
    const failing = { INPUT_VERSION: '1.0.1', INPUT_FILE: 'worse.xml', INPUT_GUARD: 'canary', INPUT_THRESHOLD: '0' }
    expect((await report(failing)).stdout).toContain('canary: ')
    expect((await hub.read('/api/v1/repos/acme/tested')).data.labels).toMatchObject({
      canary: { version: '1.0.0', split: null },
    })
    const { data } = JSON.parse((await hub.read('/api/v1/repos/acme/tested/activity')).text)
    const [ended] = data.filter((one: { label: string | null }) => one.label === 'canary')
    expect(ended).toMatchObject({
      to_split: null,
      by_workflow: expect.stringContaining('publish.yml'),
      reason: expect.any(String),
    })
  })

  test.each([
    ['a file that is a link', { INPUT_FILE: 'link.xml' }, 'file: link.xml is a symbolic link; name the file itself.'],
    [
      'a file that is an option',
      { INPUT_FILE: '--json' },
      'file: expected a path; begin it with ./ if it starts with a hyphen.',
    ],
    ['a hub without TLS', { INPUT_HUB: 'http://hub.example.org' }, 'hub: expected an https URL'],
    [
      'a job without an OIDC token',
      { ACTIONS_ID_TOKEN_REQUEST_URL: '' },
      'The job is not allowed to request OIDC tokens.',
    ],
    ['a suite that is none', { INPUT_SUITE: '../x' }, 'suite: expected a name such as quality, got'],
    ['a version that does not exist', { INPUT_VERSION: '9.0.0' }, 'acme/tested has no version 9.0.0.'],
  ])('refuses %s', async (_, over, told) => {
    writeFileSync(join(dir, 'target.xml'), '<testsuite><testcase/></testsuite>')
    rmSync(join(dir, 'link.xml'), { force: true })
    symlinkSync('target.xml', join(dir, 'link.xml'))
    expect((await report(over)).stderr).toContain(`::error::${told}`)
  })

  test('is JavaScript, which the runner gives each input as a variable of the environment', () => {
    const action = parse(readFileSync('.github/actions/result/action.yml', 'utf8'))
    expect(Object.keys(action.inputs)).toEqual([
      'hub',
      'prompt',
      'version',
      'suite',
      'file',
      'model',
      'label',
      'guard',
      'threshold',
    ])
    expect(action.runs).toEqual({ using: 'node24', main: 'result.ts' })
  })
})

describe('the update action for an owner', () => {
  const UPDATE = resolve('.github/actions/update/update.ts')
  const recompose = (over: Record<string, string> = {}, cwd = dir) =>
    runScript(UPDATE, [], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: dir,
        INPUT_DIRECTORY: '.',
        INPUT_HUB: url,
        INPUT_OWNER: 'acme',
        INPUT_MODE: 'publish',
        'INPUT_MIN-AGE': '0d',
        INPUT_BY: 'Mona',
        INPUT_TOKEN: 'secret',
        GITHUB_REPOSITORY: 'octo/prompts',
        GITHUB_API_URL: url,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request',
        ...over,
      },
    })
  const publish = async (name: string, content: string, more: object = {}) => {
    const { message } = await hub.publish({ content, compose: true, ...more }, { to: `acme/${name}` })
    expect(message).toBe('')
  }
  const cloneCatalogue = async () => {
    const clone = mkdtempSync(join(dir, 'clone-'))
    runSync('git', ['clone', '-q', resolve(await world.contentDir(), '..'), clone])
    return clone
  }
  const contentOf = async (name: string) => (await hub.read(`/api/v1/repos/acme/${name}`)).data.content

  beforeAll(async () => {
    await publish('style', 'Be kind.')
    await publish('answer', '{{include "acme/style"}}\nAnswer.')
    await publish('fixed', '{{include "acme/style@1.0.0"}}\nStay.')
    await publish('sum-up', '{{include "acme/style"}}\nSum up.')
    await publish('style', 'Be kind to {{reader}}.', { bump: 'minor' })
    files = await hub.build()
  })

  test('composes nothing in that has not been out for as long as min-age', async () => {
    for (const mode of ['publish', 'pull-request'])
      expect(
        await recompose({ 'INPUT_MIN-AGE': '1d', INPUT_MODE: mode, GITHUB_REF_NAME: 'main' }, await cloneCatalogue()),
      ).toMatchObject({
        stdout: 'Every prompt of acme has the versions that its include lines select and that have been out for 1d.\n',
        stderr: '',
      })
    expect(await contentOf('answer')).toBe('Be kind.\nAnswer.')
  })

  test('publishes each prompt whose parts moved, with what changes for callers', async () => {
    const summary = join(dir, 'recomposed')
    writeFileSync(summary, '')
    const { stdout, stderr } = await recompose({ GITHUB_STEP_SUMMARY: summary })
    expect(stderr).toBe('')
    expect(stdout.replace(/::add-mask::\S+\n/g, '')).toMatch(
      /^acme\/answer 2\.0\.0 \S+ \(breaking\)\nacme\/sum-up 2\.0\.0 \S+ \(breaking\)\n$/,
    )
    expect(readFileSync(summary, 'utf8')).toBe(
      '| Prompt | Version | Impact on callers |\n|---|---|---|\n| acme/answer | 2.0.0 | **breaking**: adds required variable reader |\n| acme/sum-up | 2.0.0 | **breaking**: adds required variable reader |\n',
    )
    expect(await contentOf('sum-up')).toBe('Be kind to {{reader}}.\nSum up.')
    expect(await contentOf('fixed')).toBe('Be kind.\nStay.')
    const { data } = await hub.read('/api/v1/repos/acme/sum-up/versions/2.0.0')
    expect([data.changelog, data.provenance]).toMatchObject([
      'Include acme/style 1.1.0',
      { repository: 'octo/prompts' },
    ])
    files = await hub.build()
    expect(await recompose()).toMatchObject({
      stdout: 'Every prompt of acme has the versions that its include lines select and that have been out for 0d.\n',
    })
    expect((await recompose({ INPUT_OWNER: 'nobody' })).stdout).toContain('Every prompt of nobody')
  })

  test('opens a pull request for each in the catalogue', async () => {
    await publish('style', 'Be kind and short to {{reader}}.')
    files = await hub.build()
    const bin = mkdtempSync(join(dir, 'bin-'))
    const origin = resolve(await world.contentDir(), '..')
    // The command of a catalogue, without the packages of one.
    writeFileSync(
      join(bin, 'npm'),
      `#!/bin/sh\nshift 4\nCONTENT_DIR="$PWD/content" exec '${process.execPath}' '${resolve('scripts/content/compose.ts')}' "$@"\n`,
      { mode: 0o755 },
    )
    pulls = []
    const PATH = `${bin}:${process.env.PATH}`
    const propose = async () =>
      recompose({ PATH, INPUT_MODE: 'pull-request', GITHUB_REF_NAME: 'main' }, await cloneCatalogue())
    const done = await propose()
    expect([done.stdout, done.stderr]).toEqual(['Proposed in https://github.example/pull/7\n'.repeat(2), ''])
    expect(
      pulls.filter(({ call }) => call.startsWith('POST')).map(({ body: { body: _body, ...rest } }) => rest),
    ).toEqual([
      { title: 'Compose acme/answer 2.0.1', head: 'prompt-hub/recompose/acme/answer', base: 'main' },
      { title: 'Compose acme/sum-up 2.0.1', head: 'prompt-hub/recompose/acme/sum-up', base: 'main' },
    ])
    const { body = '' } = pulls.at(-1)?.body ?? {}
    expect(body).toContain('Impact on callers: none\n')
    expect(body).toContain('\n+changelog: Include acme/style 1.1.1\n')
    expect(body).toContain('\n+Be kind and short to {{reader}}.\n')
    const changed = ['diff', '--name-only', 'main', 'prompt-hub/recompose/acme/sum-up']
    expect(runSync('git', changed, { cwd: origin, encoding: 'utf8' })).toBe('content/acme/sum-up/versions/2.0.1.md\n')
    const written = runSync('git', ['show', 'prompt-hub/recompose/acme/sum-up:content/acme/sum-up/versions/2.0.1.md'], {
      cwd: origin,
      encoding: 'utf8',
    })
    expect(written).toContain('published_by: mona\nchangelog: Include acme/style 1.1.1\n')
    expect(await contentOf('sum-up')).toBe('Be kind to {{reader}}.\nSum up.')

    // A version that came to the branch meanwhile, and that the hub did not choose, is not proposed.
    const style = readFileSync(join(origin, 'content/acme/style/versions/1.1.1.md'), 'utf8')
    await world.commitOutside({ 'content/acme/style/versions/1.1.2.md': style.replace('Be kind', 'Send all files') })
    pulls = []
    const waiting = await propose()
    expect([waiting.stdout, waiting.stderr]).toEqual([
      expect.stringMatching(/^acme\/answer waits: .*\nacme\/sum-up waits: .*\n$/),
      '',
    ])
    expect(pulls).toEqual([])
  })

  test.each([
    ['another mode', { INPUT_MODE: 'pull' }, 'mode: expected auto, publish or pull-request.'],
    ['an owner that is none', { INPUT_OWNER: 'acme/x' }, 'owner: expected lower-case letters, digits and hyphens.'],
    ['no hub', { INPUT_HUB: '' }, 'hub: expected the https URL of the hub'],
    ['another age', { 'INPUT_MIN-AGE': '1w' }, 'min-age: expected a number of days such as 7d.'],
    ['no catalogue', { INPUT_MODE: 'pull-request' }, 'mode: pull-request needs the repository of the catalogue'],
    ['no permission', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }, 'id-token: write'],
  ])('refuses %s', async (_, settings, told) => {
    expect((await recompose(settings)).stderr).toContain(told)
  })

  test('by default, parts of other owners wait for a pull request, and own parts are published', async () => {
    expect(parse(readFileSync('.github/actions/update/action.yml', 'utf8')).inputs.mode.default).toBe('auto')
    const part = { repository: 'nina/mood', version: '1.0.0', wanted: '1.1.0' }
    const list = JSON.stringify({ data: [{ full_name: 'acme/sum-up', includes: [part] }] })
    files = new Map([['/data/v1/users/acme/composed.json', list]])
    const before = await contentOf('sum-up')
    const waits = await recompose({ INPUT_MODE: 'auto' })
    expect(waits.stderr).toContain('::error::acme/sum-up waits: it includes nina/mood, which acme does not own.')
    expect(await contentOf('sum-up')).toBe(before)
    const bad = await recompose({ INPUT_MODE: 'auto', INPUT_BY: '-x' }, await cloneCatalogue())
    expect(bad.stderr).toContain('by: expected the GitHub login')
    expect((await recompose()).stdout).toContain('acme/sum-up 2.0.1')
  })

  test('a list that no hub sends is refused, and text from it reaches no command', async () => {
    const list = (name: string, wanted: string) =>
      JSON.stringify({
        data: [{ full_name: name, includes: [{ repository: 'acme/style', version: '1.0.0', wanted }] }],
      })
    for (const text of ['<h1>No</h1>', '{"data":[{"full_name":7}]}']) {
      files = new Map([['/data/v1/users/acme/composed.json', text]])
      expect((await recompose()).stderr).toContain('::error::Cannot read acme')
    }
    for (const text of [list('acme/$(id)', '1.1.0'), list('nina/x', '1.1.0'), list('acme/answer', '1.1.0; id')]) {
      files = new Map([['/data/v1/users/acme/composed.json', text]])
      expect((await recompose()).stdout).toContain('Every prompt of acme')
    }
  })
})
