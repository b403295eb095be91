// Tests that hubcli follows redirects; tests/clients/redirects.ts lists which.
import { describe, expect, test } from 'vitest'
import { runHubcli, SHELL, TEXT_FILE } from './shells.ts'
import { STAND_IN_TOKEN, type Trouble, withStandIn } from './stand-in.ts'

describe('redirects', () => {
  const redirect =
    (Location: string, status = 307) =>
    (): Trouble => ({ kind: 'answer', status, headers: { Location } })

  test.concurrent.each([302, 308])('push never follows status %i', async (status) => {
    await withStandIn(undefined, async (elsewhere) => {
      await withStandIn(redirect(`${elsewhere.url}/x`, status), async ({ url, requests }) => {
        const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
        const outcome = await runHubcli(SHELL, ['push', 'acme/x', TEXT_FILE, 'c', 'patch'], { env })
        expect(outcome).toMatchObject({ code: 5, stdout: '', left: [] })
        expect(outcome.stderr).toMatch(/^hubcli: [^\n]* redirects to [^\n]*, which is not followed; check HUB_URL\n$/)
        expect(requests.length).toBe(1)
        expect(elsewhere.requests).toEqual([])
      })
    })
  })

  test.concurrent('cat follows a redirect without sending the token', async () => {
    await withStandIn(undefined, async (elsewhere) => {
      await withStandIn(
        (request) => redirect(`${elsewhere.url}${request.url.replace('moved', 'code-review')}`, 301)(),
        async ({ url }) => {
          const env = { HUB_URL: url, HUB_TOKEN: STAND_IN_TOKEN }
          expect(await runHubcli(SHELL, ['cat', 'acme/moved', '--version', '1.0.0'], { env })).toMatchObject({
            code: 0,
            stdout: 'Review this.\n',
          })
          expect(new Set(elsewhere.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]))
        },
      )
    })
  })

  test.concurrent('cat does not follow a redirect to another host over plain http', async () => {
    await withStandIn(redirect('http://example.com/'), async ({ url, requests }) => {
      const outcome = await runHubcli(SHELL, ['cat', 'acme/x'], { env: { HUB_URL: url } })
      expect(outcome).toMatchObject({ code: 5, stdout: '', left: [], slept: [] })
      expect(outcome.stderr).toMatch(
        /^hubcli: [^\n]* redirects to http:\/\/example\.com\/, which is not followed[^\n]*\n$/,
      )
      expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]))
    })
  })

  test.concurrent('stops a redirect loop', async () => {
    await withStandIn(redirect('/round'), async ({ url, requests }) => {
      expect(await runHubcli(SHELL, ['cat', 'acme/x'], { env: { HUB_URL: url } })).toMatchObject({
        code: 5,
      })
      expect(requests.length).toBeLessThan(20)
    })
  })
})
