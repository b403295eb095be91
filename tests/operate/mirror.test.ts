// Checks that a plain web server works as a mirror: nginx, as documented, returns every file. Together, the files cover
// every read request of the API except search. hubcli reads a mirror on Python's built-in server, as the guide says.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDeployedHub } from '../../src/doctor/hub-requests.ts'
import { HUBCLI } from '../cli/assembled.ts'
import { versionFile } from '../doctor/setups.ts'
import { isInstalled, type Running, startNginxMirror } from '../host/programs.ts'
import { buildSite, makeSiteFolder } from '../hubs/build-site.ts'
import { type BuiltHub, startBuiltHub } from '../hubs/built-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { checkMirror } from './check-mirror.ts'
import { blocksOf } from './follow-guide.ts'

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

/** Reads the whole response: Node's fetch can fail an assertion when a server ends the connection of a body that nobody reads. */
async function readStatus(url: string): Promise<number> {
  const answer = await fetch(url)
  await answer.arrayBuffer()
  return answer.status
}

test('the guide builds a mirror, serves it with Python, and reads from it', async () => {
  const [, build = '', serve = '', read = '', ...more] = blocksOf('hosting', 'sh')
  expect([build, more]).toEqual([
    'SITE_URL=https://hub.example.org npm run build\nrsync --archive --delete dist/ /srv/mirror/\n',
    [],
  ])
  const port = await freePort()
  const at = (block: string) =>
    block
      .trim()
      .replaceAll(/\b8000\b/g, String(port))
      .replace('/srv/mirror', `'${dist}'`)
  const script = `hubcli() { sh '${HUBCLI}' "$@"; }
${at(serve)} >/dev/null 2>&1 & server=$!
trap 'kill $server' EXIT
until curl -fs -o /dev/null http://localhost:${port}/; do kill -0 $server; sleep 0.1; done
${at(read.replace('acme/greeting', 'zoe/hello'))}`
  const { stdout } = await promisify(execFile)('bash', ['-euc', script])
  expect(stdout).toMatch(/^1\.1\.0 [\s\S]*\n1\.0\.0 /)
})

describe.skipIf(!isInstalled('nginx'))('nginx', () => {
  let mirror: Running
  beforeAll(async () => {
    mirror = await startNginxMirror(await freePort(), dist)
  })
  afterAll(() => mirror?.stop())
  const openMirror = () => openDeployedHub(mirror.url).ask

  test('serves every file byte for byte, and every page at the URL that links use', async () => {
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

  test('serves every API read except search and activity with the same bytes', async () => {
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
      listCapabilities: 1,
    })
  })
})
