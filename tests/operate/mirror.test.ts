// Checks that plain web servers work as mirrors: nginx, as documented, and Python's built-in server return every file.
// Together, the files cover every read request of the API except search.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDeployedHub } from '../../src/doctor/hub-requests.ts'
import { versionFile } from '../doctor/setups.ts'
import { poll } from '../e2e/client.ts'
import { isInstalled, type Running, startNginxMirror } from '../host/programs.ts'
import { buildSite, makeSiteFolder } from '../hubs/build-site.ts'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { checkMirror } from './check-mirror.ts'

const index = (more: string) => `---\ntitle: Greet\ndescription: Says hello.\n${more}---\nA readme.\n`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** A bundle; a build compares only its digest. */
const BUNDLE = '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}'
const WORKFLOW = 'octo/prompts/.github/workflows/publish.yml@refs/heads/main'
const FACTS = {
  sha256: sha256(BUNDLE),
  size_bytes: BUNDLE.length,
  predicate_type: 'https://slsa.dev/provenance/v1',
  issuer: 'https://token.actions.githubusercontent.com',
  repository: 'octo/prompts',
  workflow: WORKFLOW,
  identity: `https://github.com/${WORKFLOW}`,
  ref: 'refs/heads/main',
  sha: 'a'.repeat(40),
  run_url: 'https://github.com/octo/prompts/actions/runs/1/attempts/1',
}
/** Content with two pages, two owners, labels, a yanked version, results, an attestation, an include of a prompt that is gone, and a repository with a single version. */
const CONTENT = {
  ...Object.fromEntries(
    Array.from({ length: 22 }, (_, number) => [
      `content/acme/greet-${number}/versions/1.0.0.md`,
      versionFile(`Greet ${number}.`),
    ]),
  ),
  ...Object.fromEntries(
    Array.from({ length: 22 }, (_, number) => [`content/acme/greet-${number}/index.md`, index('tags: [greeting]\n')]),
  ),
  'content/zoe/hello/index.md': index(
    'tags: [greeting, short]\nlabels: {production: "1.0.0"}\nyanked: {"1.0.1": "Wrong."}\n',
  ),
  'content/zoe/hello/versions/1.0.0.md': versionFile('Hé — hello {{name}}.').replace(
    '---\n',
    `---\nattestations: [${JSON.stringify(FACTS)}]\n`,
  ),
  'content/zoe/hello/attestations/1.0.0/1.sigstore.json': BUNDLE,
  'content/zoe/hello/results/1.0.0/quality.yml': `content_sha256: ${sha256('Hé — hello {{name}}.\n')}\npassed: 1\nfailed: 0\nat: "2026-11-21T10:00:00Z"\nreported_by: zoe\n`,
  'content/zoe/hello/versions/1.0.1.md': versionFile('Hello.'),
  'content/zoe/hello/versions/1.1.0.md': versionFile('Greet 0.\nHello {{name}}!').replace(
    '---\n',
    `---\nincludes: [{repository: acme/greet-0, range: '*', version: 1.0.0, content_sha256: ${sha256('Greet 0.')}, start: 0, length: 8, variables: []}, {repository: acme/gone, range: '*', version: 1.0.0, content_sha256: ${sha256('Hello {{name}}!')}, start: 9, length: 15, variables: [name]}]\n`,
  ),
  'content/zoe/forms/index.md': index(''),
  'content/zoe/forms/versions/1.0.0.md': versionFile('Run scripts/fill.py.').replace(
    '---\n',
    '---\nskill: {description: Fills in forms.}\n',
  ),
  'content/zoe/forms/versions/1.0.0/scripts/fill.py': '\ufeffprint("é")\r\n',
  'content/zoe/forms/versions/1.0.0/logo.bin': '\0\x01',
}

let hub: BuiltHub
const folder = makeSiteFolder('mirror')
/** The site that `npm run build` writes of the hub's content. */
const dist = join(folder, 'dist')
beforeAll(async () => {
  hub = await startBuiltHub(await freePort(), {}, CONTENT)
  await buildSite(dist, { SITE_URL: hub.url, CONTENT_DIR: process.env.CONTENT_DIR! })
})
afterAll(async () => {
  await hub?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts Python's built-in server as in docs/running.md section 8. */
async function startPython(port: number, files: string): Promise<Running> {
  const options = ['--bind', '127.0.0.1', '--directory', files]
  const child: ChildProcess = spawn('python3', ['-m', 'http.server', String(port), ...options], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await poll(`an answer at ${url}`, 15_000, () =>
    fetch(url).then(
      () => true,
      () => undefined,
    ),
  )
  return {
    url,
    stop: () =>
      new Promise((ended) => {
        child.once('close', () => ended())
        child.kill('SIGTERM')
      }),
  }
}

/** Reads the whole response: Node's fetch can fail an assertion when a server ends the connection of a body that nobody reads. */
async function readStatus(url: string): Promise<number> {
  const answer = await fetch(url)
  await answer.arrayBuffer()
  return answer.status
}

describe.each([
  { name: 'nginx', program: 'nginx', start: startNginxMirror },
  { name: 'Python', program: 'python3', start: startPython },
])('$name', ({ program, start }) => {
  const isHere = isInstalled(program)
  let mirror: Running
  beforeAll(async () => {
    if (isHere) mirror = await start(await freePort(), dist)
  })
  afterAll(() => mirror?.stop())
  const openMirror = () => openDeployedHub(mirror.url).ask

  test.skipIf(!isHere)('serves every file byte for byte, and every page at the URL that links use', async () => {
    const files = readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dist.length))
    expect(files.length).toBeGreaterThan(200)
    for (const file of files) {
      const answer = await fetch(mirror.url + file)
      expect([file, answer.status]).toEqual([file, 200])
      expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(dist, file))), file).toBe(true)
    }
    const pages = files.filter((file) => file.endsWith('/index.html')).map((file) => file.replace(/\/index\.html$/, ''))
    expect(pages).toEqual(expect.arrayContaining(['/docs', '/docs/reading']))
    // A hub renders prompt pages on request; they are not files.
    expect(files.filter((file) => file.startsWith('/zoe/'))).toEqual([])
    for (const page of pages) expect([page, await readStatus(`${mirror.url}${page}`)]).toEqual([page, 200])
    expect(await readStatus(`${mirror.url}/data/v1/repos/zoe/nothing.json`)).toBe(404)
  })

  test.skipIf(!isHere)('serves every API read except search and activity with the same bytes', async () => {
    const { reads, problems } = await checkMirror(openMirror(), openDeployedHub(hub.url).ask)
    expect(problems).toEqual([])
    expect(reads).toEqual({
      // There are three sort orders: two pages each for all prompts and for one tag, one page for the other tag.
      listRepositories: 15,
      getRepository: 24,
      listVersions: 24,
      getVersion: 26,
      listTags: 1,
      getUser: 2,
      listLabelled: 1,
      listDependents: 1,
      // These are the latest version of each prompt, every version, and a label.
      getRaw: 24 + 26 + 1,
      getOpenapi: 1,
      // These are the files of a skill, and its archive.
      getFile: 2,
      getArchive: 1,
      // A hub assembles these from several files.
      listActivity: 0,
      listAttestations: 0,
      getAttestation: 1,
      listResults: 1,
    })
  })
})

test('reports files that are missing or changed on a mirror', async () => {
  const mirror = await startPython(await freePort(), dist)
  const { ask } = openDeployedHub(mirror.url)
  const missing = join(dist, 'data/v1/repos/zoe/hello/versions/1.0.1.json')
  const changed = join(dist, 'data/v1/repos/zoe/hello/raw/1.0.0.txt')
  const before = readFileSync(changed)
  const blobs = join(dist, 'data/v1/repos/zoe/forms/blobs')
  const [blob = ''] = readdirSync(blobs).filter((name) => readFileSync(join(blobs, name)).length === 2)
  renameSync(missing, `${missing}.away`)
  renameSync(join(blobs, blob), join(blobs, 'away'))
  writeFileSync(changed, 'Something else.')
  try {
    const version = '/data/v1/repos/zoe/hello/versions/1.0.1.json'
    expect((await checkMirror(ask)).problems.sort()).toEqual([
      `/data/v1/repos/zoe/forms/blobs/${blob} returns 404; it should contain the response from /api/v1/repos/zoe/forms/versions/1.0.0/files/logo.bin.`,
      '/data/v1/repos/zoe/hello/raw/1.0.0.txt does not match its digest.',
      `${version} is missing or cannot be read (404).`,
      `${version} returns 404; it should contain the response from /api/v1/repos/zoe/hello/versions/1.0.1.`,
    ])
  } finally {
    renameSync(`${missing}.away`, missing)
    renameSync(join(blobs, 'away'), join(blobs, blob))
    writeFileSync(changed, before)
    await mirror.stop()
  }
})
