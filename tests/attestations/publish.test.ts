// Tests publishing with attestations: a version that a trusted workflow signed is published with them, and any other attestation is refused before anything is written. Then a review judges the same files as a pull request.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import type { GitStore } from '../../src/git/git-store.ts'
import { reviewContent } from '../../src/review/review-content.ts'
import { type Hub, openHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { writeFiles } from '../write-files.ts'
import { PREDICATE, type SigstoreServices, startSigstore, type ToSign } from './sigstore-services.ts'

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const OWNER = `---
members: [octocat]
trusted_publishers:
  - repository: Octo/Prompts
    repository_id: 1001
    repository_owner_id: 2002
    workflow: publish.yml
---
`
const CONTENT = 'Review {{code}}.\n'
const INDEX = { title: 'Code review', description: 'Finds real problems in a change.', tags: ['code'], license: 'MIT' }

let sigstore: SigstoreServices
let other: SigstoreServices
let world: World
let hub: Hub
/** The calls to git, in order. */
const calls: string[] = []
beforeAll(async () => {
  ;[sigstore, other] = await Promise.all([startSigstore(), startSigstore({ name: 'other' })])
  const trusted = formatTrustedRootFile({ renewed_at: '2026-11-26', roots: [sigstore.root] })
  const strict = OWNER.replace('trusted_publishers', 'publishing: signed-only\ntrusted_publishers')
  world = openLocalWorld({
    'content/acme/index.md': OWNER,
    'content/strict/index.md': strict,
    'content/trusted-root.json': trusted,
  })
  const counted: World = { ...world, openStore: () => counting(world.openStore()) }
  hub = await openHub(counted)
  await hub.build()
})
afterAll(() => Promise.all([sigstore?.close(), other?.close()]))

/** Returns a store that notes its calls. */
function counting(git: GitStore): GitStore {
  return new Proxy(git, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        calls.push(String(name))
        return value.apply(target, given)
      }
    },
  })
}
const git = async (...args: string[]) =>
  runSync('git', args, { cwd: resolve(await world.contentDir(), '..'), encoding: 'utf8' }).trim()
const head = () => git('rev-parse', 'HEAD')
const sign = (about: string, { to = 'acme/code-review', ...order }: Partial<ToSign> & { to?: string } = {}) =>
  sigstore.sign({ about: [{ name: to, sha256: about }], ...order })
/** Signs a body as a job does: what a check says of it. */
const signAll = async (body: object, to = 'acme/code-review') => {
  const { data } = await hub.check(body, { to })
  const manifest = { name: `${to}#manifest`, sha256: String(data.manifest_sha256) }
  return sigstore.sign({ about: [{ name: to, sha256: String(data.bundle_sha256 ?? data.content_sha256) }, manifest] })
}
/** Publishes, once, what several tests build on, so that each of them also runs alone. */
const once = <Value>(publish: () => Promise<Value>) => {
  let published: Promise<Value> | undefined
  return () => (published ??= publish())
}
const publishPlain = once(() => hub.publish({ content: 'Plain.\n' }, { to: 'acme/plain' }))
const publishSigned = once(async () => {
  const bundle = await signAll({ content: CONTENT })
  return { bundle, answer: await hub.publish({ ...INDEX, content: CONTENT, attestations: [bundle] }) }
})
/** The hub's own modules for verification; the test's own are those of tests/node_modules. */
const loaded = () => {
  const { cache } = createRequire(import.meta.url)
  return Object.keys(cache).filter((path) => path.startsWith(resolve('node_modules/@sigstore/verify/')))
}

test('a publish without attestations loads no module for them, and asks git no more than before', async () => {
  const plain = await publishPlain()
  expect([plain.status, plain.data.attestations, plain.data.publisher]).toEqual([201, [], null])
  expect([calls.splice(0), loaded()]).toEqual([['readFolder', 'commit'], []])
  const content = 'Signed.\n'
  const to = 'acme/signed'
  const attestations = [await signAll({ content }, to)]
  calls.splice(0)
  const signed = await hub.publish({ content, attestations }, { to })
  expect([signed.status, calls.splice(0), loaded().length > 0]).toEqual([201, ['readFolder', 'commit'], true])
})

describe('a signed publish', () => {
  test('is served with its attestation, at once and after a build', async () => {
    const { bundle, answer } = await publishSigned()
    expect([answer.status, answer.message]).toEqual([201, ''])
    const text = JSON.stringify(bundle)
    const facts = {
      name: '1.sigstore.json',
      url: 'https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0/attestations/1.sigstore.json',
      sha256: sha256(text),
      size_bytes: Buffer.byteLength(text),
      predicate_type: PREDICATE,
      issuer: 'https://token.actions.githubusercontent.com',
      repository: 'octo/prompts',
      workflow: 'octo/prompts/.github/workflows/publish.yml@refs/heads/main',
      identity: 'https://github.com/octo/prompts/.github/workflows/publish.yml@refs/heads/main',
      ref: 'refs/heads/main',
      sha: 'a'.repeat(40),
      run_url: 'https://github.com/octo/prompts/actions/runs/30433642/attempts/1',
    }
    const publisher = { repository: 'octo/prompts', workflow: 'octo/prompts/.github/workflows/publish.yml' }
    expect(answer.data).toMatchObject({ attestations: [facts], publisher })
    for (const moment of ['at once', 'after a build']) {
      if (moment === 'after a build') await hub.build()
      for (const record of [await hub.readRepository('/versions/1.0.0'), await hub.readRepository()])
        expect(record.data, moment).toMatchObject({ attestations: [facts], publisher })
      const list = await hub.readRepository('/versions/1.0.0/attestations')
      expect([list.status, JSON.parse(list.text)], moment).toEqual([
        200,
        { data: [facts], meta: { page: 1, pages: 1, total: 1 } },
      ])
      const one = await hub.readRepository('/versions/1.0.0/attestations/1.sigstore.json')
      expect([one.status, one.text], moment).toEqual([200, text])
      expect(one.headers.get('Content-Type'), moment).toBe('application/vnd.dev.sigstore.bundle.v0.3+json')
      expect(one.headers.get('Cache-Control'), moment).toBe('public, max-age=31536000, immutable')
      expect(one.headers.get('Repr-Digest'), moment).toBe(
        `sha-256=:${createHash('sha256').update(text).digest('base64')}:`,
      )
      expect(await hub.readRepository('/versions/1.0.0/attestations/2.sigstore.json'), moment).toMatchObject({
        status: 404,
        message:
          'acme/code-review@1.0.0 has no attestation 2.sigstore.json. https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0/attestations lists those it has.',
      })
    }
    expect((await git('show', '--name-only', '--format=', 'HEAD')).split('\n')).toEqual([
      'content/acme/code-review/attestations/1.0.0/1.sigstore.json',
      'content/acme/code-review/index.md',
      'content/acme/code-review/versions/1.0.0.md',
    ])
  })

  test('a version without attestations has an empty list', async () => {
    await publishPlain()
    const list = await hub.read('/api/v1/repos/acme/plain/versions/1.0.0/attestations')
    expect(JSON.parse(list.text)).toEqual({ data: [], meta: { page: 1, pages: 0, total: 0 } })
    expect((await hub.read('/api/v1/repos/acme/plain/versions/9.0.0/attestations')).status).toBe(404)
  })

  test('of a skill with files is about its archive, whose digest a check tells', async () => {
    const body = {
      content: 'Fill in.\n',
      skill: { description: 'Fills in.' },
      files: [{ path: 'a.py', text: 'x = 1\n' }],
    }
    const to = 'acme/forms'
    const { data } = await hub.check(body, { to })
    expect([data.content_sha256, data.bundle_sha256]).toEqual([sha256(body.content), expect.stringMatching(/^\w{64}$/)])
    const wrong = await hub.publish({ ...body, attestations: [await sign(sha256(body.content), { to })] }, { to })
    expect([wrong.status, wrong.message]).toEqual([
      422,
      `attestations.0: expected the subject acme/forms with the SHA-256 of the archive of 1.0.0, ${data.bundle_sha256}, got acme/forms with ${sha256(body.content)}.`,
    ])
    const attestations = [await signAll(body, to)]
    const right = await hub.publish({ ...body, attestations }, { to })
    expect([right.status, right.data.bundle_sha256]).toEqual([201, data.bundle_sha256])
    const archive = await hub.read('/api/v1/repos/acme/forms/versions/1.0.0/archive')
    expect(sha256(archive.bytes)).toBe(data.bundle_sha256)
  })

  test('can be an archive with the attestations in a folder of their own', async () => {
    const content = 'From an archive.\n'
    const to = 'acme/archived'
    const bundles = [await signAll({ content }, to), await signAll({ content }, to)]
    const archive = tar({
      'prompt.md': `---\ntitle: From an archive\n---\n${content}`,
      '.attestations/1.sigstore.json': `${JSON.stringify(bundles[0])}\n`,
      '.attestations/2.sigstore.json': JSON.stringify(bundles[1], undefined, 2),
    })
    const headers = { 'Content-Type': 'application/gzip' }
    const answer = await hub.publish(archive, { to, headers })
    expect([answer.status, answer.message]).toEqual([201, ''])
    expect(answer.data.attestations).toMatchObject(bundles.map((one) => ({ sha256: sha256(JSON.stringify(one)) })))
    const odd = tar({ 'prompt.md': content, '.attestations/a.json': '{}' })
    expect(await hub.publish(odd, { to, headers })).toMatchObject({
      status: 422,
      message: 'attestations.0: expected .attestations/1.sigstore.json, got .attestations/a.json.',
    })
  })

  test('that changes nothing stores nothing', async () => {
    await publishSigned()
    const before = await head()
    const again = await hub.publish({ content: CONTENT, attestations: [await sign(sha256(CONTENT))] })
    expect([again.status, again.data.unchanged, await head()]).toEqual([200, true, before])
  })
})

describe('nothing is written for', () => {
  let before: string
  beforeAll(async () => {
    await publishSigned()
    before = await head()
  })
  afterAll(async () => expect(await head()).toBe(before))
  const content = 'Review {{code}} again.\n'
  const about = sha256(content)
  const elsewhere = 'octo/prompts/.github/workflows/other.yml@refs/heads/main'
  const start = 'attestations.0: '
  const untrusted = `${start}the workflow that signed is not a trusted publisher: `
  // verify.test.ts has what is wrong with a bundle, and with its signer.
  const cases: [what: string, bundles: () => Promise<unknown[]>, message: string | RegExp][] = [
    [
      'an attestation about other bytes',
      async () => [await sign('b'.repeat(64))],
      `${start}expected the subject acme/code-review with the SHA-256 of the content of 1.0.1, ${about}, got acme/code-review with ${'b'.repeat(64)}.`,
    ],
    [
      'an attestation about the content alone',
      async () => [await sign(about)],
      /^attestations\.0: expected the subject acme\/code-review#manifest with the SHA-256 of the manifest of 1\.0\.1, /,
    ],
    [
      'another workflow',
      async () => [await sign(about, { claims: { job_workflow_ref: elsewhere, workflow_ref: elsewhere } })],
      `${untrusted}job_workflow_ref: only the workflow publish.yml is trusted.`,
    ],
    [
      'a root that is not ours',
      async () => [await other.sign({ about: [{ name: 'acme/code-review', sha256: about }] })],
      /^attestations\.0: no trusted root verifies it: test: Failed to verify certificate chain/,
    ],
    [
      'one of several that is wrong',
      async () => [await sign(about), await sign(about, { claims: { repository_id: '7' } })],
      'attestations.1: the workflow that signed is not a trusted publisher: repository_id: the trusted repository has this name but a different ID.',
    ],
    ['no bundle', async () => [7], 'attestations.0: expected a Sigstore bundle, a JSON object.'],
    ['too many', async () => Array(6).fill({}), 'attestations: expected at most 5 attestations.'],
    ['too large a one', async () => [{ x: 'x'.repeat(65_536) }], `${start}expected at most 65536 bytes.`],
    ['huge lists', async () => [{ x: Array(32_768).fill(1) }], 'attestations: expected at most 32768 values in total.'],
  ]
  test.each(cases)('%s', async (_what, bundles, message) => {
    const answer = await hub.publish({ content, attestations: await bundles() })
    expect([answer.status, answer.code]).toEqual([422, 'validation_failed'])
    expect(answer.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })

  test('64 KiB of nesting', async () => {
    const deep = `${'[1,'.repeat(20_000)}1${']'.repeat(20_000)}`
    const answer = await hub.publish(`{"content":"x","attestations":[{"a":${deep}}]}`)
    expect([answer.status, answer.message]).toEqual([422, 'attestations: expected at most 32 levels.'])
  })

  test('a token without rights, whose attestations are not even looked at', async () => {
    const token = await hub.makeToken({ scope: 'other/*' })
    const answer = await hub.publish({ content, attestations: [{}] }, { token })
    expect([answer.status, answer.code]).toEqual([403, 'forbidden'])
  })
})

describe('a composed version', () => {
  const source = 'Review.\n{{include "acme/plain"}}\n'
  const assembled = 'Review.\nPlain.\n'
  const to = 'acme/composed'
  beforeAll(publishPlain)

  test('is signed as it is served, whose digest a check tells', async () => {
    const { data } = await hub.check({ content: source, compose: true }, { to })
    expect([data.content_sha256, data.bundle_sha256]).toEqual([sha256(assembled), null])
    const wrong = { content: source, compose: true, attestations: [await sign(sha256(source), { to })] }
    expect(await hub.publish(wrong, { to })).toMatchObject({
      status: 422,
      message: `attestations.0: expected the subject acme/composed with the SHA-256 of the content of 1.0.0, ${sha256(assembled)}, got acme/composed with ${sha256(source)}.`,
    })
    const archive = tar({
      'prompt.md': `---\ncompose: true\n---\n${source}`,
      '.attestations/1.sigstore.json': JSON.stringify(await signAll({ content: source, compose: true }, to)),
    })
    const published = await hub.publish(archive, { to, headers: { 'Content-Type': 'application/gzip' } })
    expect([published.status, published.message, published.data.content]).toEqual([201, '', assembled])
    expect(published.data).toMatchObject({ attestations: [{ repository: 'octo/prompts' }], includes: [{ start: 8 }] })
  })

  test('composed again is checked, and signed again', async () => {
    expect((await hub.publish({ content: 'Plainer.\n' }, { to: 'acme/plain' })).status).toBe(201)
    const { data } = await hub.check({ recompose: true }, { to })
    const again = 'Review.\nPlainer.\n'
    expect([data.would_be, data.content_sha256]).toEqual(['1.0.1', sha256(again)])
    const old = await hub.publish({ recompose: true, attestations: [await sign(sha256(assembled), { to })] }, { to })
    expect([old.status, old.code]).toEqual([422, 'validation_failed'])
    const attestations = [await signAll({ recompose: true }, to)]
    const done = await hub.publish({ recompose: true, attestations }, { to })
    expect([done.version, done.data.content]).toEqual(['1.0.1', again])
    expect(done.data).toMatchObject({
      attestations: [{ repository: 'octo/prompts' }],
      includes: [{ version: '1.0.1' }],
    })
  })
})

describe('an owner with publishing: signed-only', () => {
  beforeAll(() => Promise.all([publishPlain(), publishSigned()]))

  test('accepts only versions with an attestation', async () => {
    const to = 'strict/greet'
    const token = await hub.makeToken({ scope: 'strict/*' })
    const before = await head()
    const content = 'Greet.\n'
    for (const more of [{}, { attestations: [] }, { dry_run: true }]) {
      const refused = await hub.publish({ content, ...more }, { to, token })
      expect([refused.status, refused.message]).toEqual([
        422,
        'attestations: strict accepts only versions with an attestation of a workflow that it trusts (publishing: signed-only in content/strict/index.md). Publish with the action from such a workflow, with the permission attestations: write, or ask a member to change this.',
      ])
    }
    expect(await head()).toBe(before)
    const { data } = await hub.check({ content }, { to })
    const contentAlone = [{ name: to, sha256: sha256(content) }]
    const both = [...contentAlone, { name: `${to}#manifest`, sha256: String(data.manifest_sha256) }]
    const half = { content, attestations: [await sigstore.sign({ about: contentAlone })] }
    expect(await hub.publish(half, { to, token })).toMatchObject({
      status: 422,
      message: `attestations.0: expected the subject strict/greet#manifest with the SHA-256 of the manifest of 1.0.0, ${data.manifest_sha256}, got strict/greet with ${sha256(content)}.`,
    })
    const signed = { content, attestations: [await sigstore.sign({ about: both })] }
    expect((await hub.publish(signed, { to, token })).status).toBe(201)
    // Nothing is published here, so nothing needs a signature.
    const unchanged = await hub.publish({ content, title: 'Greeting' }, { to, token })
    expect([unchanged.status, unchanged.data.unchanged]).toEqual([200, true])
  })

  test('signs what is composed again, forked and reverted too, each in a run of its own', async () => {
    let run = '30433642'
    const token = await hub.makeToken({ scope: 'strict/*' })
    const send = async (name: string, body: object, about?: string) => {
      const to = `strict/${name}`
      const manifest = { name: `${to}#manifest`, sha256: String((await hub.check(body, { to })).data.manifest_sha256) }
      const subjects = about === undefined ? [] : [{ name: to, sha256: sha256(about) }, manifest]
      const attestations =
        subjects.length === 0 ? [] : [await sigstore.sign({ about: subjects, claims: { run_id: run } })]
      const { status, message, version } = await hub.publish({ ...body, attestations }, { to, token })
      return status === 201 ? version : `${status} ${message.slice(0, 40)}`
    }
    const refused = '422 attestations: strict accepts only versio'
    const composed = { content: '{{include "acme/plain"}}\n', compose: true }
    const part = String((await hub.read('/api/v1/repos/acme/plain')).data.content)
    expect(await send('composed', composed, part)).toBe('1.0.0')
    expect((await hub.publish({ content: 'Plainest.\n' }, { to: 'acme/plain' })).status).toBe(201)
    expect(await send('composed', { recompose: true })).toBe(refused)
    expect(await send('composed', { recompose: true }, 'Plainest.\n')).toBe('1.0.1')
    // A revert: the bytes of an earlier version.
    expect(await send('composed', { content: part })).toBe(refused)
    expect(await send('composed', { content: part }, part)).toBe('422 attestations.0: expected a signature of ')
    expect(await send('composed', { content: part, compose: true }, part)).toBe(
      '422 attestations.0: expected a signature of ',
    )
    run = '30433643'
    expect(await send('composed', { content: part }, part)).toBe('1.0.2')
    const fork = { content: CONTENT, forked_from: 'acme/code-review@1.0.0' }
    expect(await send('fork', fork)).toBe(refused)
    expect(await send('fork', fork, CONTENT)).toBe('1.0.0')
  })
})

describe('a review', () => {
  beforeAll(publishSigned)
  const path = (file: string) => `content/acme/code-review/${file}`
  const attestation = path('attestations/1.0.0/1.sigstore.json')
  const version = path('versions/1.0.0.md')
  /** Reviews changed files against a commit before the version. @param changes the text of files; null removes one */
  const review = async (changes: Record<string, string | null> = {}, base?: string) => {
    const contentDir = await world.contentDir()
    const root = dirname(contentDir)
    writeFiles(root, changes)
    try {
      await git('add', '-A')
      const made = await git('log', '-1', '--format=%H', '--', version)
      const { entries } = await reviewContent({ contentDir, base: base ?? `${made}^`, environment: process.env })
      return entries
        .filter(({ severity, file }) => severity === 'error' && file.includes('/code-review/'))
        .map(({ file, rule, message }) => `${file} ${rule}: ${message}`)
    } finally {
      await git('reset', '-q', '--hard')
      await git('clean', '-qfd')
    }
  }
  const read = async (file: string) => readFileSync(join(dirname(await world.contentDir()), file), 'utf8')
  const listed = (text: string, bundle: string) =>
    text
      .replace(/sha256: \w{64}/, `sha256: ${sha256(bundle)}`)
      .replace(/size_bytes: \d+/, `size_bytes: ${Buffer.byteLength(bundle)}`)
  const fixes = {
    listed: 'restore the file, or remove it; publish with the attestation instead',
    verified: 'sign these bytes with a trusted workflow, or remove the attestation and its entry',
  }

  test('accepts what a publish has written', async () => {
    expect(await review()).toEqual([])
  })

  test('refuses an attestation that the version does not list, or that is missing or changed', async () => {
    const text = await read(attestation)
    const changed = `${text}\n`
    expect(await review({ [attestation]: changed })).toEqual([
      `${attestation} attestations-listed: expected the SHA-256 ${sha256(text)}, got ${sha256(changed)}; ${fixes.listed}`,
    ])
    expect(await review({ [attestation]: null })).toEqual([
      `${attestation} attestations-listed: expected the file; ${fixes.listed}`,
    ])
    const second = path('attestations/1.0.0/2.sigstore.json')
    expect(await review({ [second]: text })).toEqual([
      `${second} attestations-listed: expected the key attestations of the version to list it; ${fixes.listed}`,
    ])
  })

  test('refuses an attestation of another workflow, about other bytes, or with other facts', async () => {
    const file = await read(version)
    const say = async (bundle: object, text = file) => {
      const json = JSON.stringify(bundle)
      return review({ [attestation]: json, [version]: listed(text, json) })
    }
    expect(await say(await sign(sha256(CONTENT), { claims: { repository_id: '7' } }))).toEqual([
      `${attestation} attestation-verified: the workflow that signed is not a trusted publisher: repository_id: the trusted repository has this name but a different ID; ${fixes.verified}`,
    ])
    expect(await say(await sign('b'.repeat(64)))).toEqual([
      `${attestation} attestation-verified: expected the subject acme/code-review with the SHA-256 of the content of 1.0.0, ${sha256(CONTENT)}, got acme/code-review with ${'b'.repeat(64)}; ${fixes.verified}`,
    ])
    expect(
      await say(JSON.parse(await read(attestation)), file.replace(/sha: a{40}/, `sha: ${'c'.repeat(40)}`)),
    ).toEqual([
      `${attestation} attestation-verified: expected the version file to list what the attestation says; ${fixes.verified}`,
    ])
  })

  test('refuses the attestation of an earlier version with the same content', async () => {
    const [file, bundle] = [await read(version), await read(attestation)]
    const again = { [path('versions/1.0.1.md')]: file, [path('attestations/1.0.1/1.sigstore.json')]: bundle }
    const made = await git('log', '-1', '--format=%H', '--', version)
    expect(await review(again, made)).toEqual([
      `${path('attestations/1.0.1/1.sigstore.json')} attestation-verified: expected a signature of a new run: this one belongs to an earlier version with the same content. Sign it again; ${fixes.verified}`,
    ])
  })

  test('takes roots and publishers from the base, not from the pull request', async () => {
    const json = JSON.stringify(await other.sign({ about: [{ name: 'acme/code-review', sha256: sha256(CONTENT) }] }))
    const roots = formatTrustedRootFile({ renewed_at: '2026-11-26', roots: [other.root] })
    const changes = { [attestation]: json, [version]: listed(await read(version), json) }
    const [first, ...more] = await review({ ...changes, 'content/trusted-root.json': roots })
    expect(more).toEqual([])
    expect(first).toMatch(/^\S+ attestation-verified: no trusted root verifies it: test: /)
  })

  test('never lets an attestation of a published version change or appear', async () => {
    const text = await read(attestation)
    const base = await head()
    expect((await review({ [attestation]: `${text} ` }, base)).join('\n')).toContain(
      `${attestation} version-unchanged: `,
    )
    const second = path('attestations/1.0.0/2.sigstore.json')
    expect((await review({ [second]: text }, base)).join('\n')).toContain(`${second} attestations-listed: `)
  })

  test('refuses an unsigned version of an owner that accepts only signed or trusted ones', async () => {
    const unsigned = (await read(version)).replace(/attestations:\n(?: +.*\n)+/, '')
    expect(unsigned).not.toContain('sha256')
    const strict = 'content/strict/code-review/versions/1.0.0.md'
    const fix = 'publish from a workflow that the owner trusts, or ask a member to change publishing first'
    expect(await review({ [strict]: unsigned }, await head())).toEqual([
      `${strict} signed-version: strict accepts only versions with an attestation of a workflow that it trusts; ${fix}`,
    ])
    const before = await head()
    // What the file would say, nobody knows; the pull request may mend it, but what counts is the base.
    const owner = 'content/strict/index.md'
    const text = await read(owner)
    await world.commitOutside({ [owner]: text.replace('signed-only', 'signed-onyl') })
    expect(await review({ [strict]: unsigned, [owner]: text }, await head())).toEqual([
      `${strict} signed-version: expected content/strict/index.md in the base to be readable; ${fix}`,
    ])
    await git('reset', '-q', '--hard', before)
  })
})

/** Writes a tar archive of text files. */
function tar(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512)
    const bytes = Buffer.from(text)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        ', 148)
    header.write('0ustar\x0000', 156)
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]))
}
