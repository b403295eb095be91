// Read tests for paths that are unknown, malformed, reserved, or spelled differently.
import { describe, expect, test } from 'vitest'
import { words } from '../../words.ts'
import type { Reading } from './hub.ts'

export function addresses(hub: Reading): void {
  const { content, tags, get, found, missing, each, first } = hub

  describe('URLs', () => {
    const { owner, name, full_name } = first
    const version = first.latest.version

    // tests/server/app.test.ts has more.
    const names = words`
      ${owner} ${owner}/no-such-name no-such-owner/${name}/raw no-such-owner/${name}/versions/1.0.0 ${full_name}/nothing
      ${full_name}/index.html ${full_name}.json -${owner}/${name} ${'a'.repeat(5000)}/${name} ${full_name}.git .git/config
      __proto__/constructor
    `
    // A percent sign is never decoded.
    const encoded = words`
      ${owner}%2f${name} ${full_name}%00 ${owner}/%63${name.slice(1)} ${full_name}/versions/1%2e0.0
    `
    const leaving = words`
      ../../etc/passwd ${full_name}/versions/..%2f.. ${owner}/../${owner} ${owner}/../../../package.json
      ${owner}/%2e%2e/%2e%2e/package.json ${owner}/..%2f..%2fpackage.json ${owner}/..%5c..%5cpackage.json
    `
    const reserved = words`
      api settings con
    `
    const unknown = [
      ...words`
        /api /api/ /api/v1 /api/v1/ /api/v2/repos /api/v1/nothing /api/v1/repos.json /api/v1/openapi /api/v1/index.html
        /api/v1/tags/${tags[0]?.name ?? 'none'} /api/v1/users /api/v1/users/no-such-user /api/v1/users/${owner}/repos
        /api/v1/users/__proto__ /api/v1/users/%61${owner.slice(1)}
      `,
      ...[...names, ...encoded, ...leaving].map((path) => `/api/v1/repos/${path}`),
      ...content.takenDown.flatMap((path) => [`/api/v1/repos/${path}`, `/data/v1/repos/${path}.json`]),
      ...reserved.flatMap((word) => [`/api/v1/repos/${word}/${name}`, `/api/v1/users/${word}`]),
      // static files
      ...words`
        /data /data/ /data/v1 /data/v1/ /data/v1/nothing.json /data/v1/lists/top/0.json /data/v1/lists/top/1000.json
        /data/v1/lists/best/1.json /data/v1/lists/ /data/v1/tags/no-such-tag/top/1.json /data/v1/../package.json
        /data/v1/users/no-such-user.json /data/v1/repos/${owner} /data/v1/repos/${owner}/no-such-name.json
        /data/v1/repos/${full_name}/versions/999.0.0.json /data/v1/repos/${full_name}/raw/999.0.0.txt
        /data/v1/%2e%2e/package.json /data/v2/index.json
      `,
    ]
    const malformed = ['/api/v1/repos/%/x', '/api/v1/repos/a%zz/x', '/api/v1/users/%E0%A4%A', '/data/v1/%zz.json']

    test('returns a JSON 404 for unknown, malformed and reserved paths', async () => {
      await each(unknown, missing)
    })

    test.each(malformed)('%s: returns a JSON 404 for a malformed percent-encoding', async (path) => {
      await missing(path)
    })

    //  case                      path
    test.each([
      ['a repository', `/api/v1/repos/${full_name}`],
      ['its content', `/api/v1/repos/${full_name}/raw`],
      ['a version', `/api/v1/repos/${full_name}/versions/${version}`],
      ['OpenAPI', '/api/v1/openapi.json'],
    ])('%s: ignores a trailing slash', async (_, path) => {
      const [bare, slashed] = [await found(path), await get(`${path}/`)]
      expect(slashed.status).toBe(200)
      expect(slashed.text).toBe(bare.text)
      expect(slashed.headers['cache-control']).toBe(bare.headers['cache-control'])
    })

    const [upper, capital] = [full_name.toUpperCase(), owner[0]?.toUpperCase() + owner.slice(1)]
    //  case                           path                                     redirects to
    test.each([
      ['owner', `/api/v1/repos/${capital}/${name}`, `/api/v1/repos/${full_name}`],
      ['a handle', `/api/v1/users/${capital}`, `/api/v1/users/${owner}`],
      ['the content', `/api/v1/repos/${upper}/raw`, `/api/v1/repos/${full_name}/raw`],
      ['the whole path', '/API/V1/TAGS', '/api/v1/tags'],
    ])('upper case in %s: redirects to lower case with 308 and keeps the query unchanged', async (_, path, lower) => {
      for (const query of ['', '?version=1.0.0&Q=%C3%84&x=A&x=b']) {
        const answer = await get(path + query)
        expect(answer.status, answer.request).toBe(308)
        const location = new URL(answer.headers.location ?? '', hub.base)
        expect(location.origin).toBe(new URL(hub.base).origin)
        expect(location.pathname + location.search).toBe(lower + query)
      }
    })
  })
}
