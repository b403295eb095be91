// Tests that the caches of nginx and Caddy, with the configurations of the docs, keep nothing of a private hub: a reader
// never gets what was answered to somebody with other rights, and a stranger gets nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asked, type MembersHub, SECRET_WORDS, type Sender } from '../hubs/members-hub.ts'
import { freePort } from '../hubs/processes.ts'
import { words } from '../words.ts'
import { isInstalled, type Running, startCaddy, startNginx } from './programs.ts'

const caddyfile = (hub: number) => `hub.example.org {\n\treverse_proxy 127.0.0.1:${hub}\n}\n`
const PROXIES = [
  { name: 'nginx', program: 'nginx', start: (port: number, hub: number) => startNginx(port, [hub], '60s') },
  { name: 'Caddy', program: 'caddy', start: (port: number, hub: number) => startCaddy(port, caddyfile(hub)) },
] as const
const PATHS = words`
  / /zephyrine/quokka-brief /api/v1/repos/zephyrine/quokka-brief /api/v1/repos?q=quokka /feed.xml
  /api/v1/repos/zephyrine/quokka-brief/raw?version=1.0.0 /data/v1/index.json /badges/zephyrine/quokka-brief.svg
`

/** Adds the tests of a private hub. */
export function testMembersCaches(hub: MembersHub): void {
  describe.each(PROXIES)('behind $name', ({ program, start }) => {
    const isHere = isInstalled(program)
    let proxy: Running
    beforeAll(async () => {
      if (isHere) proxy = await start(await freePort(), hub.port)
    })
    afterAll(() => proxy?.stop())
    const ask = (path: string, { headers }: Sender, more = {}): Promise<Asked> =>
      hub.askThrough(Number(new URL(proxy.url).port), path, { headers: { ...headers, ...more } })

    test.skipIf(!isHere)('a stranger gets nothing that a reader has just got', async () => {
      const { 'a reader who is signed in': signedIn, 'a token with read': token } = hub.readers
      for (const path of PATHS) {
        for (const reader of [signedIn!, token!, signedIn!]) {
          const answer = await ask(path, reader)
          expect([path, answer.status]).toEqual([path, 200])
          expect(answer.headers['cache-control']).toMatch(/^private, /)
        }
        for (const [who, stranger] of Object.entries({ ...hub.strangers, ...hub.refused })) {
          if (stranger.from !== undefined) continue
          for (const more of [{}, { 'If-None-Match': '*' }, { 'Cache-Control': 'only-if-cached' }]) {
            const { status, headers, bytes } = await ask(path, stranger, more)
            expect([who, path, [401, 403].includes(status)]).toEqual([who, path, true])
            const said = `${JSON.stringify(headers)}${bytes}`.toLowerCase()
            expect(SECRET_WORDS.filter((word) => said.includes(word))).toEqual([])
          }
        }
        expect([path, (await ask(path, token!)).status]).toEqual([path, 200])
      }
    })

    test.skipIf(!isHere)('two readers get what is theirs alone', async () => {
      const { 'a reader who is signed in': signedIn, 'a token with read': token } = hub.readers
      for (let round = 0; round < 3; round++) {
        expect(JSON.parse(String((await ask('/auth/session', signedIn!)).bytes)).data.login).toBe('octocat')
        expect(JSON.parse(String((await ask('/auth/session', token!)).bytes)).data).toBeNull()
        expect(String((await ask('/settings', signedIn!)).bytes)).toContain('octocat')
        expect(String((await ask('/settings', token!)).bytes)).not.toContain('octocat')
      }
    })

    test.skipIf(!isHere)('a header that a client forges does not vouch for it', async () => {
      const forged = { headers: { 'X-Forwarded-User': 'octocat', 'X-Forwarded-For': '127.0.0.77' } }
      expect((await ask('/api/v1/tags', forged)).status).toBe(401)
    })
  })
}
