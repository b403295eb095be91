// Tests the fake GitHub server itself: a test fails if it sends a query that GitHub would reject, other users have no
// access, and PKCE is enforced.
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type GitHubStandIn, type StandInRepository, startGitHubStandIn } from './stand-in.ts'

let standIn: GitHubStandIn
let place: StandInRepository
beforeEach(async () => {
  standIn = await startGitHubStandIn()
  place = await standIn.createRepository()
})

const ask = async (query: string, variables: object = {}, token = place.token): Promise<unknown> => {
  const headers = { authorization: `bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${standIn.url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, variables }),
  })
  return await answer.json()
}

describe('invalid and unsupported queries', () => {
  //  case                                  query  problem
  test.each([
    [
      'a field that GitHub lacks',
      '{ repository(owner: "a", name: "b") { wrong } }',
      'Cannot query field "wrong" on type "Repository".',
    ],
    ['an unsupported field', '{ repository(PLACE) { isFork } }', 'the facade has no answer for Repository.isFork'],
    [
      'an unsupported argument',
      '{ repository(PLACE, followRenames: true) { nameWithOwner } }',
      'the facade has no answer for Query.repository(followRenames:)',
    ],
  ])('%s', async (_, given, problem) => {
    const [owner, name] = place.repository.split('/')
    const query = given.replace('PLACE', `owner: "${owner}", name: "${name}"`)
    expect(await ask(query)).toMatchObject({ errors: [{ message: expect.stringContaining(problem) }] })
    await expect(standIn.close()).rejects.toThrow(problem)
  })
})

describe('responses', () => {
  afterEach(() => standIn.close())
  const commitInput = (over: object) => ({
    input: {
      branch: { repositoryNameWithOwner: place.repository, branchName: 'main' },
      expectedHeadOid: '0123456789012345678901234567890123456789',
      message: { headline: 'x' },
      fileChanges: { additions: [{ path: 'a.md', contents: 'YQ==' }] },
      ...over,
    },
  })
  const MUTATION =
    'mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }'

  test('returns STALE_DATA in GitHub’s format for an outdated head', async () => {
    expect(await ask(MUTATION, commitInput({}))).toEqual({
      data: { createCommitOnBranch: null },
      errors: [{ type: 'STALE_DATA', path: ['createCommitOnBranch'], message: expect.any(String) }],
    })
  })

  //  case                           input  message
  test.each([
    ['base64url', { fileChanges: { additions: [{ path: 'a.md', contents: '-_8' }] } }, 'Base64String'],
    ['an invalid ID', { expectedHeadOid: 'main' }, 'GitObjectID'],
    ['an unknown input field', { files: [] }, 'files'],
  ])('the schema rejects %s', async (_, over, told) => {
    expect(await ask(MUTATION, commitInput(over))).toMatchObject({
      errors: [{ message: expect.stringContaining(told) }],
    })
  })

  test('rejects a commit history query without pagination limits', async () => {
    const query = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ref(qualifiedName: "refs/heads/main") {
      target { ... on Commit { history { nodes { oid } } } } } } }`
    const [owner, name] = place.repository.split('/')
    expect(await ask(query, { owner, name })).toMatchObject({ errors: [{ type: 'MISSING_PAGINATION_BOUNDARIES' }] })
  })

  test('rejects unknown tokens and hides private repositories from other users', async () => {
    const query = 'query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { nameWithOwner } }'
    const [owner, name] = place.repository.split('/')
    expect(await ask(query, { owner, name }, 'ghp_unknown')).toEqual({ message: 'Bad credentials' })
    expect(await ask(query, { owner, name }, standIn.strangerToken)).toMatchObject({
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND' }],
    })
    const rest = (token: string) =>
      fetch(`${standIn.url}/repos/${place.repository}`, { headers: { authorization: `token ${token}` } })
    expect([(await rest('ghp_unknown')).status, (await rest(standIn.strangerToken)).status]).toEqual([401, 404])
  })

  test('sign-in requires the PKCE verifier and yields a working token', async () => {
    const { url, oauth } = standIn
    const redirect_uri = 'http://localhost:8888/auth/callback'
    const verifier = 'v'.repeat(50)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const begin = (values: Record<string, string>) =>
      fetch(
        `${url}/login/oauth/authorize?${new URLSearchParams({ client_id: oauth.clientId, redirect_uri, state: 's', ...values })}`,
      )
    expect((await begin({})).status).toBe(400)
    expect((await begin({ code_challenge: challenge, code_challenge_method: 'plain' })).status).toBe(400)
    expect((await begin({ code_challenge: challenge, code_challenge_method: 'S256' })).status).toBe(200)
    const signIn = async (code_verifier: string): Promise<unknown> => {
      const form = new URLSearchParams({
        login: 'alice',
        redirect_uri,
        scope: '',
        state: 's',
        client_id: oauth.clientId,
      })
      const back = await fetch(`${url}/login/oauth/callback`, { method: 'POST', body: form, redirect: 'manual' })
      const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
      const body = new URLSearchParams({
        client_id: oauth.clientId,
        client_secret: oauth.clientSecret,
        code,
        code_verifier,
      })
      const headers = { accept: 'application/json' }
      return (await fetch(`${url}/login/oauth/access_token`, { method: 'POST', headers, body })).json()
    }
    expect(await signIn('another')).toMatchObject({ error: 'bad_verification_code' })
    const { access_token } = z.object({ access_token: z.string() }).parse(await signIn(verifier))
    const user = await fetch(`${url}/user`, { headers: { authorization: `bearer ${access_token}` } })
    expect(await user.json()).toMatchObject({ login: 'alice', id: expect.any(Number) })
  })
})
