// Tests publishing to hostile paths: no name resolves to a path outside its folder.
import { describe, expect, test } from 'vitest'
import { expectRefusal, hub, judgeAfterwards, openForInputs } from './hostile-inputs.ts'

openForInputs()

describe('names and paths', () => {
  const path = (owner: string, name = 'x') => `/api/v1/repos/${owner}/${name}/versions`
  //  case                             path
  test.each([
    ['.. as the owner', path('..')],
    ['%2e%2e', path('%2e%2e', '%2E%2e')],
    ['%2f in a parent path', path('acme', '..%2f..%2fother')],
    ['a percent-encoded letter', path('acme', '%61')],
    ['__proto__', path('__proto__')],
    // src/domain/values/names.test.ts and tests/server/app.test.ts have more.
  ] as const)('%s: returns 404', (_, address) => expectRefusal({ content: 'x' }, { path: address }, [404, 'not_found']))

  test('returns 404 for ../ segments that leave the versions path', async () => {
    await expectRefusal({ content: 'x' }, { path: '/api/v1/repos/acme/x/versions/../../../../etc' }, [404, 'not_found'])
  })

  const encoded = (rest: string) => `/api/v1/repos/acme%2fx${rest}`
  test.each([
    ['PATCH', encoded('')],
    ['POST', encoded('/versions')],
    ['PUT', encoded('/raw')],
    ['PUT', encoded('/labels/stable')],
    ['PATCH', '/api/v1/users/acme%2fx'],
    ['PUT', '/api/v1/repos/acme/x/labels/a%2fb'],
    ['PUT', '/api/v1/repos/acme/x/versions/1%2e0.0/yank'],
  ])('%s %s returns 404', (method, address) =>
    expectRefusal({ content: 'x' }, { path: address, method }, [404, 'not_found']),
  )

  test.each([
    ['GET', encoded('/y/labels/stable')],
    ['GET', encoded('/y/versions/1.0.0/yank')],
    ['GET', '/api/v1/repos/acme/x/labels/a%2fb'],
    ['HEAD', '/api/v1/repos/acme/x/labels/a%2fb'],
  ])('%s %s returns 404', async (method, address) => {
    expect((await hub.read(address, {}, method)).status).toBe(404)
  })

  // plain words where the pattern allows them
  test.each([
    ['constructor', 'constructor'],
    ['to-string', 'hasownproperty'],
  ])('accepts %s as a name', async (_, name) => {
    const answer = await hub.publish({ content: `{{constructor}} {{__proto__}}\n` }, { to: `acme/${name}` })
    expect([answer.status, answer.version]).toEqual([201, '1.0.0'])
    expect(answer.data.variables).toMatchObject([{ name: 'constructor' }, { name: '__proto__' }])
  })

  test('rejects an owner named constructor with 403', () =>
    expectRefusal({ content: 'x' }, { to: 'constructor/x' }, [403, 'forbidden']))
})

judgeAfterwards(0)
