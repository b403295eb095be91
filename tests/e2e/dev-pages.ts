// Checks that the two parts of `npm run dev` work together: Astro's dev server renders the pages from the records of the
// running hub, and forwards every other request to it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, type Run, startProcess } from '../hubs/processes.ts'
import { poll } from './client.ts'

/** Adds the tests. @param hubOf returns the address of a running hub with the starter catalogue; called once it is open */
export function testDevPages(hubOf: () => string): void {
  let dev: { base: string; run: Run }
  beforeAll(async () => {
    const port = await freePort()
    const base = `http://localhost:${port}`
    const { run } = await startProcess({
      command: ['npm', 'run', 'dev:pages', '--', '--port', String(port)],
      settings: { PORT: new URL(hubOf()).port },
      isReady: async () => (await fetch(`${base}/docs`)).ok,
    })
    dev = { base, run }
  })
  afterAll(() => dev?.run.end())

  /** Astro restarts its server when another of its programs, such as a build of another test, writes its settings. */
  const ask = (path: string, options?: RequestInit) =>
    poll('the dev server answers', 60_000, () => fetch(dev.base + path, options).catch(() => undefined))

  //  page                                          text on it
  test.each([
    ['/acme/code-review', 'You review a change'],
    ['/acme/code-review/v/2.1.0/SKILL.md', 'version: "2.1.0"'],
    ['/docs/reading', 'Reading over HTTP'],
    ['/settings', '<h1>Sign in'],
    ['/api/v1/repos?q=code+review', '"full_name":"acme/code-review"'],
    ['/cli/hubcli', '#!/bin/sh'],
  ])('serves %s', async (path, words) => {
    const answer = await ask(path)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain(words)
  })

  test('returns 404 for an unknown page and redirects an upper-case path to lower case', async () => {
    expect((await ask('/acme/nothing-of-that-kind')).status).toBe(404)
    const moved = await ask('/Acme/Code-Review', { redirect: 'manual' })
    expect([moved.status, moved.headers.get('Location')]).toEqual([308, '/acme/code-review'])
  })
}
