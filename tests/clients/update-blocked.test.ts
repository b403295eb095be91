// Updates a lock of which some prompts must stay as they are, with both clients: the others are updated, and each message names the way out.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlainFiles, startPlainFiles } from '../cli/plain-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { CLIENTS, runClient } from './both-clients.ts'

const OURS = { repository: 'octo/prompts', workflow: 'octo/prompts/.github/workflows/publish.yml', attested: true }
const NAMES = ['edited', 'gone', 'plain', 'signed']

const scratch = temporaryFolder('prompt-hub-blocked-')
let hub: PlainFiles
beforeAll(async () => {
  hub = await startPlainFiles('hub', {})
})
afterAll(() => hub.close())

test.each(CLIENTS)('$name updates what can be updated, and says why the rest stays', async ({ command }) => {
  const folder = mkdtempSync(join(scratch, 'project-'))
  const run = (...args: string[]) => runClient(command, args, folder, hub.url)
  hub.prompts = Object.fromEntries(NAMES.map((each) => [`acme/${each}`, { versions: { '1.0.0': `${each} 1\n` } }]))
  hub.prompts['acme/signed']!.publishers = { '1.0.0': OURS }
  for (const each of NAMES) expect(await run('add', `acme/${each}`)).toMatchObject({ code: 0 })
  for (const each of NAMES) hub.prompts[`acme/${each}`]!.versions['1.1.0'] = `${each} 2\n`
  delete hub.prompts['acme/gone']
  const read = (each: string) => readFileSync(join(folder, `prompts/acme/${each}.md`), 'utf8')
  writeFileSync(join(folder, 'prompts/acme/edited.md'), 'mine')

  const ran = await run('update')
  expect(ran).toMatchObject({ code: 4, stdout: 'acme/plain 1.0.0 -> 1.1.0 prompts/acme/plain.md\n' })
  const lines = ran.stderr.trim().split('\n').sort()
  expect(lines).toEqual([
    expect.stringMatching(
      /^[\w-]+: .*acme\/gone stays at 1\.0\.0\. To go on without it: (?:hubcli|prompt-hub) remove acme\/gone$/,
    ),
    expect.stringMatching(
      /acme\/signed 1\.1\.0 was published by a token.* use --accept-publisher; acme\/signed stays at 1\.0\.0$/,
    ),
    'prompt-hub: prompts/acme/edited.md was changed by hand, or is another file; acme/edited stays at 1.0.0. Move it away, or replace it: prompt-hub install --force',
  ])
  expect(NAMES.map(read)).toEqual(['mine', 'gone 1\n', 'plain 2\n', 'signed 1\n'])
  const { prompts } = JSON.parse(readFileSync(join(folder, 'prompts.lock'), 'utf8'))
  expect(NAMES.map((each) => prompts[`acme/${each}`].version)).toEqual(['1.0.0', '1.0.0', '1.1.0', '1.0.0'])

  // If nothing is updated, the message says so.
  expect(await run('update', 'acme/signed')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringMatching(/; nothing was changed\n$/),
  })
})
