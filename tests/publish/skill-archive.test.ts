// Properties of the paths and archives of skills: every allowed set of files comes back byte for byte, and no bytes make the reader fail in another way than it says.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, posix, win32 } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HubError } from '../../src/domain/api/errors.ts'
import { checkFiles } from '../../src/domain/content/version-files.ts'
import { isFilePath, sortFiles } from '../../src/domain/values/file-entry.ts'
import { packSkill } from '../../src/files/archive.ts'
import { measure } from '../../src/files/measure.ts'
import { readArchive } from '../../src/files/read-archive.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { runSync } from '../run-sync.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const folder = temporaryFolder('hub-archive-')
const world = openLocalWorld()

const LETTERS = [...'abcXYZ019_.-']
const segment = fc
  .tuple(
    fc.constantFrom(...'aZ0_'),
    fc.oneof(
      { weight: 9, arbitrary: fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 12 }) },
      fc.string({ unit: fc.constantFrom('a', 'B'), minLength: 90, maxLength: 99 }),
    ),
  )
  .map((parts) => parts.join(''))
const path = fc
  .array(segment, { minLength: 1, maxLength: 8 })
  .map((segments) => segments.join('/'))
  .filter(isFilePath)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 1_600 }),
  fc.constantFrom(0, 1, 511, 512, 513, 65_535, 65_536).map((length) => new Uint8Array(length).fill(7)),
  fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
)
/** Every set of files that a version may have, small ones most of all. */
const fileSets = fc
  .uniqueArray(fc.record({ path, bytes: bytes.map((given) => new Uint8Array(given)) }), {
    selector: (file) => file.path.toLowerCase(),
    maxLength: 12,
  })
  .map((files) => sortFiles(files))
  .filter((files) => checkFiles(files).length === 0)

const CONTENT = 'Fills in {{form}}.\n'
const VERSION = {
  name: 'forms',
  full_name: 'acme/forms',
  version: '1.0.0',
  content: CONTENT,
  ...measure(CONTENT),
  variables: [],
  skill: { description: 'Fills in forms.', license: null },
}

test('every allowed set of files comes back from its archive, byte for byte and in the same order', () => {
  fc.assert(
    fc.property(fileSets, (files) => {
      const archive = packSkill(VERSION, files)
      expect(Buffer.from(packSkill(VERSION, files)).equals(archive)).toBe(true)
      const read = readArchive(archive)
      expect(read.main.name).toBe('SKILL.md')
      expect(read.files.map((file) => file.path)).toEqual(files.map((file) => file.path))
      expect(read.files.every((file, at) => Buffer.from(file.bytes).equals(files[at]!.bytes))).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('a path that is cut at a slash for the header of an old program is still a file', () => {
  const files = [{ path: `${'a'.repeat(99)}/b/${'c'.repeat(99)}/d/e`, bytes: new Uint8Array([1]) }]
  const archive = packSkill(VERSION, files)
  expect(readArchive(archive).files).toEqual(files)
  const dir = mkdtempSync(join(folder, 'cut-'))
  runSync('tar', ['-xzf', '-', '-C', dir], { input: archive })
  expect(statSync(join(dir, files[0]!.path)).isFile()).toBe(true)
})

test('the system’s own tar unpacks the same files, and nothing is executable', () => {
  fc.assert(
    fc.property(fileSets, (files) => {
      const dir = mkdtempSync(join(folder, 'x-'))
      runSync('tar', ['-xzf', '-', '-C', dir], { input: packSkill(VERSION, files) })
      const found = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(dir, name)).isFile(),
      )
      expect(found.sort()).toEqual(['SKILL.md', ...files.map((file) => file.path)].sort())
      for (const file of files) {
        expect(readFileSync(join(dir, file.path)).equals(file.bytes)).toBe(true)
        expect(statSync(join(dir, file.path)).mode & 0o111).toBe(0)
      }
    }),
    { numRuns: 5 },
  )
})

test('an archive with any byte changed, cut or added is read or refused, and never does anything else', () => {
  const good = gunzipSync(
    packSkill(VERSION, [{ path: `${'a'.repeat(80)}/${'b'.repeat(80)}`, bytes: new Uint8Array(9) }]),
  )
  const change = fc.record({
    at: fc.nat(good.length - 1),
    byte: fc.nat(255),
    end: fc.oneof(fc.constant(good.length), fc.nat(good.length)),
    more: fc.uint8Array({ maxLength: 600 }),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      let tar: Buffer = Buffer.from(good)
      for (const { at, byte, end, more } of changes) {
        if (at < tar.length) tar[at] = byte
        tar = Buffer.concat([tar.subarray(0, end), more])
      }
      try {
        for (const file of readArchive(gzipSync(tar)).files) expect(file.bytes.length).toBeLessThanOrEqual(tar.length)
      } catch (error) {
        expect(error).toBeInstanceOf(HubError)
        expect((error as HubError).code).toMatch(/^(?:invalid_request|validation_failed|content_too_large)$/)
      }
    }),
    { numRuns: 300 },
  )
})

test('an accepted path stays below its folder on every operating system, and two never meet', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', 'A', ':', ' ', '\0', 'ı', 'K', '\u202e', 'é') }),
    fc.constantFrom(
      'con',
      'a/NUL.txt',
      'com1.tar.gz',
      '.git/config',
      'a/.env',
      'skill.md',
      'a/Skill.MD',
      'a//b',
      'a/.',
    ),
    path,
  )
  fc.assert(
    fc.property(anything, anything, (one, other) => {
      if (!isFilePath(one)) return
      expect([posix.normalize(one), posix.join('/x', one)]).toEqual([one, `/x/${one}`])
      // Node takes a device's name and one more letter, such as `conA`, for a device, and puts `.\\` before it.
      expect(win32.normalize(one).replace(/^\.\\/, '')).toBe(one.replaceAll('/', '\\'))
      expect(one).toBe(one.normalize('NFC'))
      expect(one).toMatch(/^[\w.-]+(?:\/[\w.-]+){0,7}$/)
      if (!isFilePath(other) || one === other) return
      const files = [one, other].map((name) => ({ path: name, bytes: new Uint8Array() }))
      const isSame = one.toLowerCase() === other.toLowerCase()
      const isInside = [one, other].some((name) =>
        [one, other].some((outer) => name.toLowerCase().startsWith(`${outer.toLowerCase()}/`)),
      )
      expect(checkFiles(files).length > 0).toBe(isSame || isInside)
    }),
    { numRuns: 500 },
  )
})

test('what is published is what is read, as JSON and as an archive, before and after a build', async () => {
  const hub = await openHub(world)
  let count = 0
  const headers = { 'Content-Type': 'application/gzip' }
  await fc.assert(
    fc.asyncProperty(fileSets, async (files) => {
      const api = `/api/v1/repos/acme/set-${++count}/versions`
      const given = files.map((file) => ({ path: file.path, base64: Buffer.from(file.bytes).toString('base64') }))
      const made = await hub.publish(
        { content: CONTENT, skill: { description: 'Fills in forms.' }, files: given },
        { to: `acme/set-${count}` },
      )
      expect([made.status, made.message]).toEqual([201, ''])
      const look = async () => {
        for (const file of files)
          expect((await hub.read(`${api}/1.0.0/files/${file.path}`)).bytes.equals(file.bytes)).toBe(true)
        if (files.length === 0) return
        const archive = await hub.read(`${api}/1.0.0/archive`)
        const again = await hub.publish(archive.bytes, { path: api, headers })
        expect([again.message, again.data.unchanged]).toEqual(['', true])
      }
      await look()
      await hub.build()
      await look()
    }),
    { numRuns: 2 },
  )
})

test('what systems and programs leave in a folder is left out and named', async () => {
  const hub = await openHub(world)
  const place = mkdtempSync(join(folder, 'junk-'))
  const { junk } = JSON.parse(readFileSync('tests/fixtures/paths.json', 'utf8')) as { junk: string[] }
  for (const path of ['SKILL.md', 'a.md', ...junk]) {
    mkdirSync(join(place, 'skill', posix.dirname(path)), { recursive: true })
    writeFileSync(join(place, 'skill', path), '---\ndescription: Fills in forms.\n---\nDo it.\n')
  }
  // macOS writes this beside the folder.
  writeFileSync(join(place, '._skill'), 'x')
  const archive = runSync('tar', ['-cz', '-C', place, '._skill', 'skill'])
  const path = '/api/v1/repos/acme/junk/versions'
  const made = await hub.publish(archive, { path, headers: { 'Content-Type': 'application/gzip' } })
  expect([made.status, made.data.files]).toEqual([201, [expect.objectContaining({ path: 'a.md' })]])
  const warnings = made.data.warnings as { code: string; message: string }[]
  const named = warnings.filter(({ code }) => code === 'left_out').map(({ message }) => message)
  const why = 'left out, because systems and programs leave this in a folder'
  expect(named).toHaveLength(11)
  expect(named[0]).toBe(`files: ._skill: ${why}`)
  expect(named.at(-1)).toBe(`files: ${junk.length + 1 - 10} more ${why}`)
})

test.each([
  [
    'two bundles, as gh attestation download writes them',
    '{"a":1}\n{"b":2}\n',
    /got 2 bundles, one on each line \(JSON Lines\)/,
  ],
  ['no JSON', '{"a":1}\n{', /expected JSON in UTF-8/],
  ['nothing', '', /expected JSON in UTF-8/],
])('an attestation with %s is refused with its reason', (_, bundle, message) => {
  const place = mkdtempSync(join(folder, 'signed-'))
  mkdirSync(join(place, '.attestations'))
  writeFileSync(join(place, 'prompt.md'), 'Hello.\n')
  writeFileSync(join(place, '.attestations/1.sigstore.json'), bundle)
  const archive = runSync('tar', ['-cz', '-C', place, 'prompt.md', '.attestations/1.sigstore.json'])
  expect(() => readArchive(new Uint8Array(archive))).toThrow(message)
})
