// Tests which addresses of the API lead to a record, and that everything else is a 404 or a redirect to lower case.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openApp } from '../hubs/app.ts'
import { makeHub } from '../hubs/make-hub.ts'
import { words } from '../words.ts'

/** The data files that a request asked for, or `another address` if it did not reach the API's records. */
async function askedFor(target: string): Promise<string> {
  const asked: string[] = []
  const read = async (path: string) => void asked.push(path)
  const answer = await openApp(() => makeHub({ siteFiles: { read } }))(new Request(`https://hub.example${target}`))
  const text = await answer.text()
  if (answer.status === 308 || text.includes('There is nothing at')) return 'another address'
  // Whether an owner was renamed is asked meanwhile.
  return asked.find((path) => !path.startsWith('/data/accounts/')) ?? text
}

describe('addresses of records', () => {
  test.each([
    ['/api/v1/repos', '/data/v1/lists/top/1.json'],
    ['/api/v1/tags', '/data/v1/tags.json'],
    ['/api/v1/openapi.json', '/data/v1/openapi.json'],
    ['/api/v1/users/octocat', '/data/v1/users/octocat.json'],
    ['/api/v1/users/octocat/labels/production', '/data/v1/users/octocat/labels/production.json'],
    ['/api/v1/repos/acme/code-review', '/data/v1/repos/acme/code-review.json'],
    ['/api/v1/repos/acme/code-review/versions/1.10.0', '/data/v1/repos/acme/code-review/versions/1.10.0.json'],
    ['/api/v1/repos/acme/code-review/dependents', '/data/v1/dependents/acme/code-review.json'],
    ['/api/v1/repos/acme/raw', '/data/v1/repos/acme/raw.json'],
    ['/api/v1/repos/acme/api', '/data/v1/repos/acme/api.json'],
    ['/api/v1/repos/constructor/tostring', '/data/v1/repos/constructor/tostring.json'],
    ['/api/v1/repos/acme/a/versions/999999.999999.999999', '/data/v1/repos/acme/a/versions/999999.999999.999999.json'],
  ])('%s, with and without a trailing slash', async (path, file) => {
    expect(await askedFor(path)).toBe(file)
    expect(await askedFor(`${path}/`)).toBe(file)
    for (const other of [`${path}//`, `/${path}`]) expect([other, await askedFor(other)]).not.toEqual([other, file])
  })
})

test.each([
  ...words`
    /api /api/ /api/v1 /api/v1/ /api/v2/repos /API/v1/repos /api/V1/repos
    /api/v1/Repos /api/v1/repo /api/v1/repos.json /api/v1/repos/acme /api/v1/repos// /api/v1/repos//a
    /api/v1/repos/acme// /api/v1/repos/acme//versions /api/v1/repos/acme/a/versions// /api/v1/repos/acme/a/b
    /api/v1/repos/acme/a/Raw /api/v1/repos/acme/a/raw/1.0.0 /api/v1/repos/Acme/a /api/v1/repos/acme/A
    /api/v1/users/Octocat /api/v1/tags/a /api/v1/tags.json /api/v1/users /api/v1/users/a/b /api/v1/openapi
    /api/v1/openapi.yaml /api/v1/search
    /api/v1/repos/acme/%61 /api/v1/repos/%61cme/a /api/v1/repos/acme%2fa /api/v1/repos/acme/a%2fversions
    /api/v1/repos/acme/a%00 /api/v1/repos/acme/%E0%A4%A /api/v1/repos/acme/a/%76ersions
    /api/v1/repos/acme/a/versions/1.0%2e0 /api/v1/repos/acme/a%2561
    /api/v1/repos/api/a /api/v1/repos/docs/a /api/v1/repos/con/a /api/v1/repos/lpt9/a /api/v1/repos/null/a/versions
    /api/v1/repos/me/a/raw /api/v1/users/admin /api/v1/users/undefined /api/v1/users/new
    /api/v1/repos/settings/a/versions/1.0.0 /api/v1/users/__proto__ /api/v1/repos/-a/a /api/v1/repos/a-/a
    /api/v1/repos/a--b/a /api/v1/repos/a_b/a /api/v1/repos/a.b/a /api/v1/repos/é/a /api/v1/repos/{owner}/{name}
    /api/v1/repos/acme/a/versions/{version}
  `,
  ...[`/api/v1/repos/${'a'.repeat(40)}/a`, `/api/v1/repos/a/${'a'.repeat(65)}`],
  ...words`1 1.0 1.0.0.0 v1.0.0 01.2.3 1.2.03 1.0.0-rc.1 1.0.0+a 1.2.3%0A latest 9007199254740993.0.0 1.0.0.json`.map(
    (version) => `/api/v1/repos/acme/a/versions/${version}`,
  ),
])('%s is no address of a record', async (path) => expect(await askedFor(path)).toBe('another address'))

test('any path gets an answer, which has an error only of the form of the API', async () => {
  const segment = fc.constantFrom('', ...words`api v1 repos acme a versions raw tags users 1.0.0 % .. A openapi.json`)
  const ask = openApp(() => makeHub())
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(segment, fc.string({ unit: 'binary' })), { maxLength: 8 }), async (segments) => {
      const url = URL.parse(`https://hub.example/api/v1/${segments.join('/')}`)
      fc.pre(url?.pathname.startsWith('/api/') ?? false)
      const { status, headers } = await ask(new Request(url!))
      expect([200, 308, 404, 503]).toContain(status)
      if (status !== 308) expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    }),
    { numRuns: 150 },
  )
})
