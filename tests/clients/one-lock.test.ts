// Pins that the three clients keep one lock file: the same bytes whoever writes it, and all of it or nothing when a disk is full or a rename fails.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type PlainFiles, sha256, startPlainFiles } from '../cli/plain-files.ts'
import { CAN_MOUNT, CLIENTS, runClient } from './three-clients.ts'

vi.setConfig({ testTimeout: 60_000 })

const LARGE = 'x'.repeat(250_000)
let hub: PlainFiles
let scratch: string
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'prompt-hub-lock-'))
  hub = await startPlainFiles('hub', {
    'acme/review': { versions: { '1.0.0': 'one\n', '1.1.0': LARGE }, labels: { production: '1.0.0' } },
    'acme/summary': { versions: { '0.1.0': 'short', '0.1.1': 'shorter\r\n' } },
  })
})
afterAll(async () => {
  await hub.close()
  rmSync(scratch, { recursive: true, force: true })
})

const newFolder = () => mkdtempSync(join(scratch, 'project-'))
/** Every file below a folder with the digest of its bytes. */
const snapshot = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => [
      path,
      statSync(join(folder, path)).isFile() ? sha256(readFileSync(join(folder, path))) : 'a folder',
    ])

describe.each(CLIENTS)('written by $name', ({ command }) => {
  test('the file is the same, byte for byte, and the others verify and install it', async () => {
    const folder = newFolder()
    const adds = [['acme/summary'], ['acme/review@production', '-o', 'a b/é.md'], ['acme/summary@~0.1.0']]
    for (const args of adds)
      expect(await runClient(command, ['add', ...args], folder, hub.url)).toMatchObject({ code: 0 })
    expect(readFileSync(join(folder, 'prompts.lock'), 'utf8')).toBe(`{
  "lockfile": 1,
  "hub": "${hub.url}",
  "prompts": {
    "acme/review": {
      "range": "production",
      "version": "1.0.0",
      "sha256": "${sha256('one\n')}",
      "path": "a b/é.md"
    },
    "acme/summary": {
      "range": "~0.1.0",
      "version": "0.1.1",
      "sha256": "${sha256('shorter\r\n')}",
      "path": "prompts/acme/summary.md"
    }
  }
}
`)
    const whole = snapshot(folder)
    for (const reader of CLIENTS) {
      expect(await runClient(reader.command, ['verify'], folder, 'http://127.0.0.1:9')).toMatchObject({ code: 0 })
      rmSync(join(folder, 'a b'), { recursive: true })
      expect(await runClient(reader.command, ['verify'], folder, hub.url)).toMatchObject({ code: 4 })
      expect(await runClient(reader.command, ['install'], folder, hub.url)).toMatchObject({ code: 0, stderr: '' })
      expect(snapshot(folder)).toEqual(whole)
    }
  })
})

describe.each(CLIENTS)('$name', ({ command, failingRename }) => {
  const lockOne = async () => {
    const folder = newFolder()
    expect(await runClient(command, ['add', 'acme/review@1.0.0'], folder, hub.url)).toMatchObject({ code: 0 })
    return folder
  }

  // The first rename is the content's, the second the lock's.
  test.each([1, 2])('rename %i fails: what was there is there again', async (nth) => {
    const folder = await lockOne()
    const before = snapshot(folder)
    for (const args of [['acme/review@1.1.0'], ['acme/summary', '-o', 'new/folder/summary.md']]) {
      const ran = await runClient(failingRename(nth), ['add', ...args], folder, hub.url)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toMatch(/^(hubcli|prompt-hub): [^\n]*busy[^\n]*; nothing was changed\n$/)
      expect(snapshot(folder)).toEqual(before)
    }
    expect(await runClient(command, ['verify'], folder, hub.url)).toMatchObject({ code: 0 })
  })

  test('no file may grow: nothing is half-written', async () => {
    const folder = await lockOne()
    const before = snapshot(folder)
    const limited = ['sh', '-c', 'ulimit -f 100; "$@"', 'sh', ...command]
    const ran = await runClient(limited, ['add', 'acme/review@1.1.0'], folder, hub.url)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^(hubcli|prompt-hub): [^\n]*\n$/)
    expect(snapshot(folder)).toEqual(before)
  })

  test.skipIf(!CAN_MOUNT)(
    `a full disk: nothing is half-written${CAN_MOUNT ? '' : ' (SKIPPED: this user may not mount a disk of its own)'}`,
    async () => {
      const look = 'find . -type f -exec sha256sum {} + | sort; find . -type d | sort'
      const script = `mount -t tmpfs -o size=200k tmpfs "$0" && cd "$0" && "$@" add acme/review@1.0.0 && before=$(${look}) &&
if "$@" add acme/review@1.1.0; then exit 9; else code=$?; fi; [ "$before" = "$(${look})" ] && "$@" verify && echo "refused $code"`
      const ran = await runClient(['unshare', '-rm', 'sh', '-c', script, newFolder()], command, scratch, hub.url)
      expect(ran.stdout).toMatch(/refused 1\n$/)
      expect(ran.stderr).toMatch(/^(hubcli|prompt-hub): [^\n]*[Nn]o space left[^\n]*; nothing was changed\n$/)
    },
  )
})
