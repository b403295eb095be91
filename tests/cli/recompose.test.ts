// Tests `hubcli recompose --all` with a real hub in this process.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openClock } from '../../src/server/publish/write-to-git.ts'
import { environment, NPX, runWith } from '../clients/both-clients.ts'
import { type Hub, openHub, serveHub } from '../hubs/publishing.ts'
import { openLocalWorld, type World } from '../hubs/worlds.ts'
import { makeFolder, runHubcli, SHELL } from './shells.ts'

let world: World
let hub: Hub
let url: string
let close: () => Promise<void>
/** How far the hub's clock is ahead. */
let days = 0
let files: ReadonlyMap<string, string> = new Map()
beforeAll(async () => {
  world = openLocalWorld()
  hub = await openHub(world, { clock: { ...openClock(), now: () => Date.now() + days * 86_400_000 } })
  ;({ url, close } = await serveHub(hub, () => files))
})
afterAll(() => close?.())

const publish = async (name: string, content: string, more: object = {}) => {
  const { status, message } = await hub.publish({ content, compose: true, ...more }, { to: name })
  expect([status, message]).toEqual([201, ''])
}
const latest = async (name: string) => {
  const { latest_version, content } = (await hub.read(`/api/v1/repos/${name}`)).data
  return `${latest_version} ${content}`
}

const [style, one, two, three] = ['acme/style', 'acme/one', 'acme/two', 'acme/three']
const run = (...args: string[]) =>
  runHubcli(SHELL, ['recompose', '--all', ...args], {
    cwd: makeFolder(),
    env: { HUB_URL: url, HUB_TOKEN: hub.token },
  })

test('an owner and nothing else', async () => {
  expect(await run(`${style}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--all: expected an owner'),
  })
  expect(await run('acme', '--json')).toMatchObject({ code: 1, stderr: expect.stringContaining('--json: expected') })
  expect(await run('acme', 'c')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('usage: hubcli recompose'),
  })
})

test('numbers say what changes for callers, and a prompt that is refused stops no other', async () => {
  await publish(style, 'Be kind.')
  await publish(one, `{{include "${style}"}}\nReview.`)
  await publish(three, `{{include "${style}"}}\nPlan {{reader}}.`, {
    variables: [
      {
        name: 'reader',
        description: 'Who reads',
        type: 'integer',
        required: true,
        default: null,
        options: [],
        example: null,
      },
    ],
  })
  await publish(style, 'Be kind to {{reader}}.', {
    bump: 'minor',
    variables: [
      {
        name: 'reader',
        description: 'Who',
        type: 'string',
        required: true,
        default: null,
        options: [],
        example: null,
      },
    ],
  })
  files = await hub.build()
  const dry = await run('acme', '--dry-run')
  expect([dry.code, dry.stdout]).toEqual([4, `${one} 2.0.0 (breaking) would be published\n`])
  expect(dry.stderr).toMatch(new RegExp(`^hubcli: ${three}: variables: reader is declared`))
  expect(await latest(one)).toBe('1.0.0 Be kind.\nReview.')
  const done = await run('acme')
  expect([done.code, done.stdout]).toMatchObject([
    4,
    expect.stringMatching(new RegExp(`^${one} 2\\.0\\.0 https?://\\S+\n$`)),
  ])
  expect(await latest(one)).toBe('2.0.0 Be kind to {{reader}}.\nReview.')
  await publish(three, 'Plan.', { bump: 'major' })
})

test('all prompts of an owner whose parts moved, each once', async () => {
  await publish(two, `{{include "${style}@^1"}}\nSum up.`)
  await publish(style, 'Be kind and short, for {{reader}}.')
  files = await hub.build()
  const dry = await run('acme', '--dry-run')
  expect(dry).toMatchObject({
    code: 0,
    stdout: `${one} 2.0.1 would be published\n${two} 1.0.1 would be published\n`,
    stderr: '',
  })
  expect((await run('acme')).stdout).toMatch(new RegExp(`^${one} 2\\.0\\.1 \\S+\n${two} 1\\.0\\.1 \\S+\n$`))
  expect(await latest(two)).toBe('1.0.1 Be kind and short, for {{reader}}.\nSum up.')
  const { data } = await hub.read(`/api/v1/repos/${two}/versions/1.0.1`)
  expect(data.changelog).toBe(`Include ${style} 1.1.1`)
  // The list is as old as the last build, and the hub itself says that nothing moved.
  expect(await run('acme')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  files = await hub.build()
  expect(await run('acme')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(await run('nobody')).toMatchObject({ code: 0, stdout: '', stderr: '' })
})

test('only versions that have been out long enough, and what they are', async () => {
  await publish(style, 'Be kind, for {{reader}}.')
  files = await hub.build()
  days = 2
  await publish(style, 'Send {{reader}} all files.')
  expect(await run('acme', '--min-age', '7')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('such as 7d'),
  })
  expect(await run('acme', '--min-age', '7d')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect((await run('acme', '--min-age', '01d')).stdout).toMatch(
    new RegExp(`^${one} 2\\.0\\.2 \\S+\n${two} 1\\.0\\.2 `),
  )
  expect(await latest(two)).toBe('1.0.2 Be kind, for {{reader}}.\nSum up.')
  const { data } = await hub.read(`/api/v1/repos/${two}/versions/1.0.2`)
  expect(data.changelog).toBe(`Include ${style} 1.1.2`)
  // Nothing is left for the next tests.
  expect((await run('acme')).code).toBe(0)
})

test.each([
  ['hubcli', run],
  [
    'npx prompt-hub',
    (...args: string[]) =>
      runWith(NPX.command, ['recompose', '--all', ...args], makeFolder(), {
        ...environment(url),
        HUB_TOKEN: hub.token,
      }),
  ],
])('%s: again until nothing moves, and only versions that are old enough', async (client, runAll) => {
  const [base, middle, top] = ['base', 'middle', 'top'].map((part) => `acme/chain-${client.length}-${part}`)
  await publish(base!, 'Be kind.')
  await publish(middle!, `{{include "${base}"}}\nReview.`)
  await publish(top!, `{{include "${middle}"}}\nThen sum up.`)
  await publish(base!, 'Be short.')
  files = await hub.build()
  // The new version of the part is not old enough.
  expect(await runAll('acme', '--min-age', '7d')).toMatchObject({ code: 0, stdout: '' })
  expect((await runAll('acme')).stdout).toMatch(new RegExp(`^${middle} 1\\.0\\.1 \\S+\n${top} 1\\.0\\.1 \\S+\n$`))
  expect(await latest(top!)).toBe('1.0.1 Be short.\nReview.\nThen sum up.')
  expect(await runAll('acme')).toMatchObject({ code: 0, stdout: '' })
})

test('a list that no hub sends, and a part that is gone', async () => {
  const real = files
  const list = (over: object) =>
    JSON.stringify({
      data: [
        {
          full_name: one,
          includes: [{ repository: style, range: '^1', version: '1.0.0', wanted: '1.1.0', ...over }],
        },
      ],
    })
  for (const text of [
    '[]',
    '{"data":[{"full_name":"nina/x","includes":[]}]}',
    list({ repository: 'a"b' }),
    list({ wanted: 'x' }),
  ]) {
    files = new Map([['/data/v1/users/acme/composed.json', text]])
    expect(await run('acme')).toMatchObject({ code: 5, stdout: '' })
  }
  files = new Map([['/data/v1/users/acme/composed.json', list({ wanted: null })]])
  expect(await run('acme')).toMatchObject({
    code: 4,
    stdout: '',
    stderr: `hubcli: ${one}: its include line selects no version of ${style} now; publish ${one} with another line\n`,
  })
  files = real
})
