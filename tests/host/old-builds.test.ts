// Checks that a hub does not keep the files of its old builds: many publishes leave one search index and one state of
// each data file, even if no other build follows.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { poll } from '../e2e/client.ts'
import { openMachines } from '../hubs/machines.ts'
import { openLocalWorld } from '../hubs/worlds.ts'

test('twelve publishes leave one search index, and one state of each data file', async () => {
  const opened = openMachines()
  const world = openLocalWorld({ 'content/acme/index.md': '---\nname: Acme\n---\n' })
  const machine = opened.make({
    CONTENT_DIR: await world.contentDir(),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_REQUESTS: 'off',
  })
  const token = machine.makeToken('acme')
  const { base, run } = await machine.start()
  try {
    const [site = ''] = readdirSync(join(machine.folder, '.hub/data'))
    const dir = join(machine.folder, '.hub/data', site)
    const listIndexes = () => readdirSync(dir).filter((name) => /^search-\d+\.db$/.test(name))
    for (let number = 0; number < 12; number++) {
      const answer = await fetch(`${base}/api/v1/repos/acme/p${number}/versions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: `Text ${number}\n` }),
      })
      expect(answer.status).toBe(201)
      await poll('it is built', 60_000, async () =>
        (await fetch(`${base}/data/v1/repos/acme/p${number}.json`)).ok ? true : undefined,
      )
    }
    await poll('one index is left', 30_000, async () => (listIndexes().length === 1 ? true : undefined))
    const database = new DatabaseSync(join(dir, 'site.db'), { readOnly: true })
    const countOld = () =>
      Number(database.prepare('SELECT count(*) - count(DISTINCT path) AS old FROM files').get()?.old)
    await poll('one state is left', 30_000, async () => (countOld() === 0 ? true : undefined))
    database.close()
    expect((await fetch(`${base}/api/v1/repos?q=text`)).status).toBe(200)
  } finally {
    await run.end()
    opened.close()
  }
})
