// Tests the guide to a hub on Netlify and GitHub by following it. A fake server replaces GitHub, and our own host
// replaces Netlify.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { SETTINGS } from '../../src/settings.ts'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from '../github/stand-in.ts'
import { freePort } from '../hubs/processes.ts'
import { blocksOf, type GuideMachine, openMachine } from './follow-guide.ts'
import { startCommands } from './loaded-commands.ts'

const [repository, credential, signIn, publish, look, ...more] = blocksOf('hosting-netlify', 'sh') as [
  ...[string, string, string, string, string],
]
const Ruleset = z.object({
  enforcement: z.literal('active'),
  bypass_actors: z.array(z.object({ actor_id: z.number(), bypass_mode: z.literal('always') })),
  rules: z.array(z.object({ type: z.string() })),
})
const ruleset = Ruleset.parse(JSON.parse(blocksOf('hosting-netlify', 'json')[0]!))

let github: GitHubStandIn
let place: StandInRepository
let machine: GuideMachine
let commands: Awaited<ReturnType<typeof startCommands>>
let settings: string[]
beforeAll(async () => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  github = await startGitHubStandIn({ redirectUris: [`${url}/auth/callback`] })
  place = await github.createRepository()
  commands = await startCommands()
  machine = openMachine(port, url, commands.functions, {
    'OWNER/catalogue': place.repository,
    Ov23exampleexample: github.oauth.clientId,
    'from-the-app': github.oauth.clientSecret,
  })
  writeFileSync(join(machine.root, 'app.private-key.pem'), github.app.privateKey)
  settings = [
    `cd ${machine.root}/catalogue/hub && export CONTENT_DIR=../content`,
    `export GITHUB_API_URL=${github.url} GITHUB_OAUTH_URL=${github.url}`,
  ]
  // GitHub returns this for the rules that the guide sets, if the user is on the bypass list.
  const rules = ruleset.rules.map(({ type }) => ({ type, ruleset_id: 7 }))
  for (const [path, body] of [
    ['/rules/branches/main', rules],
    [
      '/rulesets/7',
      { name: 'Published versions stay', current_user_can_bypass: ruleset.bypass_actors[0]!.bypass_mode },
    ],
  ] as const)
    github.script({
      on: 'rest',
      times: Number.POSITIVE_INFINITY,
      when: ({ name }) => name === `GET /repos/${place.repository}${path}`,
      fault: {
        kind: 'answer',
        applied: false,
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    })
})
afterAll(async () => {
  machine?.remove()
  commands?.close()
  await github?.close()
})

test('every step of the guide works, from the repository to the first publish and doctor checks', async () => {
  expect(more).toEqual([])
  expect(ruleset.rules.map(({ type }) => type)).toEqual(['deletion', 'non_fast_forward', 'pull_request'])
  expect(ruleset.bypass_actors[0]!.actor_id).toBe(Number(/GITHUB_APP_ID=(\d+)/.exec(credential)![1]))
  expect(await machine.follow([`cd ${machine.root}`, repository])).toMatch(/1 repository checked: no problems/)
  const key = credential.replace('app.private-key.pem', `${machine.root}/app.private-key.pem`)
  await github.commitOutside(place, {
    'content/acme/greeting/index.md': readFileSync(join(machine.root, 'catalogue/content/acme/greeting/index.md')),
    'content/acme/greeting/versions/1.0.0.md': readFileSync(
      join(machine.root, 'catalogue/content/acme/greeting/versions/1.0.0.md'),
    ),
  })
  const said = await machine.follow([
    ...settings,
    // It checks all settings after the last of them.
    `${key.replace('npm run doctor\n', '')}\n${signIn}`,
    // Our own host replaces Netlify here, with the same functions.
    'node_modules/.bin/node scripts/start.ts > hub.log 2>&1 & hub=$!',
    'until curl -fs -o /dev/null http://localhost:8888/readyz; do kill -0 $hub || { cat hub.log >&2; exit 1; }; sleep 0.2; done',
    // Sign-in needs a browser; tests/account covers it.
    'TOKEN=$(npm run --silent token -- acme)',
    `{ ${publish.trim()} && ${look.trim()} && curl -fs http://localhost:8888/docs/hosting-netlify; } || { kill $hub; cat hub.log >&2; exit 1; }`,
    'kill $hub; wait $hub || true',
  ])
  expect(said).toMatch(/ok +github-write[\s\S]*ok +github-protection[\s\S]*All checks passed[\s\S]*ok +setup/)
  expect(said).toMatch(/All checks passed[\s\S]*"version":"1\.0\.1"[\s\S]*ok +hub-sign-in[\s\S]*All checks passed/)
  // The guides on the hub itself contain the name of its own repository.
  expect(said).toContain(`GITHUB_REPOSITORY=${place.repository}`)
  expect(said).not.toContain('OWNER/catalogue')
  const message = github.calls.findLast(({ kind }) => kind === 'mutation')
  expect(JSON.stringify(message?.values)).toContain('Publish acme/greeting 1.0.1')
})

test('the template asks for exactly the settings in the guide, and each one exists', () => {
  const toml = readFileSync('netlify.toml', 'utf8')
  const asked = [...toml.slice(toml.indexOf('[template.environment]')).matchAll(/^([A-Z_]+) = "(.+)"/gm)].map(
    ([, name]) => name!,
  )
  for (const name of asked) expect(Object.keys(SETTINGS)).toContain(name)
  const guide = readFileSync('src/pages/docs/hosting-netlify.md', 'utf8')
  const section = guide.slice(guide.indexOf('## 5. Netlify'), guide.indexOf('## 6.'))
  const named = [...new Set(section.match(/`[A-Z_]{3,}`/g))].map((name) => name.slice(1, -1))
  // This step is needed only if the code is a submodule; the template is for a repository that contains both.
  expect(named.shift()).toBe('CONTENT_DIR')
  expect(asked.sort()).toEqual(named.sort())
  expect(toml).not.toMatch(/ghp_|BEGIN [A-Z ]*PRIVATE KEY/)
})
