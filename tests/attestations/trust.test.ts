// Tests `npm run trust`: it renews roots through TUF, adds a root from a file, and leaves the file alone if anything is wrong.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { initializeTUFRepo, type TUFRepo, tufHandlers } from '@tufjs/repo-mock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatTrustedRootFile, parseTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import { COMPILED } from '../compiled.ts'
import { listen } from '../listen.ts'
import { runScript } from '../loaded.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type SigstoreServices, startSigstore } from './sigstore-services.ts'

let folder: string
let server: Server
let url: string
let repo: TUFRepo
let instance: SigstoreServices
let github: SigstoreServices
const file = () => join(folder, 'trusted-root.json')
const read = () => parseTrustedRootFile(readFileSync(file(), 'utf8')).value!
beforeAll(async () => {
  folder = temporaryFolder('prompt-hub-trust-')
  ;[instance, github] = await Promise.all([startSigstore({ name: 'ours' }), startSigstore({ witness: 'timestamp' })])
  await Promise.all([instance.close(), github.close()])
  repo = initializeTUFRepo([{ name: 'trusted_root.json', content: JSON.stringify(instance.root.root) }])
  server = createServer((incoming, outgoing) => {
    const handler = tufHandlers(repo, { metadataPathPrefix: '' }).find(({ path }) => path === incoming.url)
    const { statusCode, response, contentType } = handler?.fn() ?? { statusCode: 404, response: '' }
    outgoing.writeHead(statusCode, { 'content-type': contentType ?? 'text/plain' }).end(response)
  })
  url = await listen(server)
  writeFileSync(join(folder, 'tuf-root.json'), JSON.stringify(repo.rootMeta.toJSON()))
})
afterAll(() => new Promise((done) => server.close(done)))

const run = (...args: string[]) => {
  const env = { PATH: process.env.PATH, ...COMPILED, CONTENT_DIR: folder }
  return runScript('scripts/content/renew-trust.ts', args, { env })
}
const old = () =>
  formatTrustedRootFile({ renewed_at: '2026-01-01', roots: [{ ...github.root, name: 'ours', source: url }] })

test('renews each root that has a source, and notes the day', async () => {
  writeFileSync(file(), old())
  const ran = await run('--tuf-root', join(folder, 'tuf-root.json'))
  expect(ran).toEqual({ code: 0, stdout: `1 roots in ${file()}: ours changed.\n`, stderr: '' })
  const { renewed_at, roots } = read()
  expect([renewed_at, roots]).toEqual([
    new Date().toISOString().slice(0, 10),
    [{ name: 'ours', source: url, root: expect.objectContaining({ tlogs: expect.any(Array) }) }],
  ])
  expect(roots[0]!.root.certificateAuthorities).toHaveLength(1)
  expect((await run('--tuf-root', join(folder, 'tuf-root.json'))).stdout).toContain('ours unchanged')
})

test('adds or replaces a root from a file, and leaves its day', async () => {
  writeFileSync(file(), old())
  writeFileSync(join(folder, 'github.json'), `${JSON.stringify(github.root.root)}\n`)
  expect(await run('--add', 'github', join(folder, 'github.json'))).toMatchObject({ code: 0, stderr: '' })
  expect(read()).toMatchObject({
    renewed_at: '2026-01-01',
    roots: [{ name: 'ours' }, { name: 'github', source: null }],
  })
  await run('--add', 'github', join(folder, 'github.json'))
  expect(read().roots).toHaveLength(2)
})

test('leaves the file alone if a root is forged, missing or unusable', async () => {
  writeFileSync(file(), old())
  const stranger = initializeTUFRepo([{ name: 'trusted_root.json', content: '{}' }])
  writeFileSync(join(folder, 'stranger.json'), JSON.stringify(stranger.rootMeta.toJSON()))
  writeFileSync(join(folder, 'empty.json'), JSON.stringify({ mediaType: instance.root.root.mediaType }))
  writeFileSync(join(folder, 'lines.json'), '{}\n{}\n')
  const said = [
    await run('--tuf-root', join(folder, 'stranger.json')),
    await run('--add', 'empty', join(folder, 'empty.json')),
    await run('--add', 'lines', join(folder, 'lines.json')),
    await run('--add', 'nothing'),
  ]
  expect(said.map(({ code, stderr }) => [code, stderr.split('\n', 1)[0]])).toEqual([
    [1, expect.stringContaining(`ours: ${url} cannot be used: `)],
    [1, 'The root empty cannot be used: it names no certificate authority'],
    [1, expect.stringContaining('expected one trusted root, as JSON')],
    [1, expect.stringContaining('Usage: npm run trust')],
  ])
  expect(readFileSync(file(), 'utf8')).toBe(old())
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
