// Checks that a plain web server works as a mirror: nginx, as documented, returns every file, and hubcli reads a mirror on
// Python's built-in server, as the guide says. tests/e2e/reading/data-files.ts compares the files with the API.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HUBCLI } from '../cli/assembled.ts'
import { versionFile } from '../doctor/setups.ts'
import { isInstalled, type Running, startNginxMirror } from '../host/programs.ts'
import { buildSite, makeSiteFolder } from '../hubs/build-site.ts'
import { freePort } from '../hubs/processes.ts'
import { makeRepository } from '../stores/local-repository.ts'
import { blocksOf } from './follow-guide.ts'

const CONTENT = {
  'content/zoe/hello/index.md': '---\ntitle: Greet\ntags: [greeting]\nlabels: {production: "1.0.0"}\n---\nA readme.\n',
  'content/zoe/hello/versions/1.0.0.md': versionFile('Hé — hello {{name}}.'),
  'content/zoe/hello/versions/1.1.0.md': versionFile('Hello {{name}}!'),
  'content/zoe/forms/versions/1.0.0.md': versionFile('Run scripts/fill.py.').replace(
    '---\n',
    '---\nskill: {description: Fills in forms.}\n',
  ),
  'content/zoe/forms/versions/1.0.0/scripts/fill.py': '\ufeffprint("é")\r\n',
  'content/zoe/forms/versions/1.0.0/logo.bin': '\0\x01',
}

const folder = makeSiteFolder('mirror')
/** The site that `npm run build` writes. */
const dist = join(folder, 'dist')
beforeAll(async () => {
  const { contentDir } = makeRepository('ready', { files: CONTENT })
  await buildSite(dist, { SITE_URL: 'https://hub.example.org', CONTENT_DIR: contentDir })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
until curl -s -o /dev/null http://localhost:${port}/; do kill -0 $server; sleep 0.1; done
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
  /** Reads the whole response: Node's fetch can fail an assertion when a server ends the connection of a body that nobody reads. */
  async function read(path: string) {
    const answer = await fetch(mirror.url + path)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }

  test('serves every file byte for byte, and every page at the URL that links use', async () => {
    const files = readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dist.length))
    expect(files.length).toBeGreaterThan(100)
    for (const file of files)
      expect([file, await read(file)]).toEqual([file, { status: 200, bytes: readFileSync(join(dist, file)) }])
    const pages = files.filter((file) => file.endsWith('/index.html')).map((file) => file.replace(/\/index\.html$/, ''))
    expect(pages).toEqual(expect.arrayContaining(['/docs', '/docs/reading']))
    // A hub renders prompt pages on request; they are not files.
    expect(files.filter((file) => file.startsWith('/zoe/'))).toEqual([])
    for (const page of pages) expect([page, (await read(page)).status]).toEqual([page, 200])
    expect((await read('/data/v1/repos/zoe/nothing.json')).status).toBe(404)
  })
})
