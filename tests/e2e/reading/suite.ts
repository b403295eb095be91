// The read test suite. It checks the read contract through requests only, so it can run against any URL, however the
// hub is served.
import { afterAll, beforeAll, describe } from 'vitest'
import type { Target } from '../targets.ts'
import { addresses } from './addresses.ts'
import { dataFiles } from './data-files.ts'
import { described } from './described.ts'
import { openReading, type Reading } from './hub.ts'
import { labels } from './labels.ts'
import { limit } from './limit.ts'
import { lists } from './lists.ts'
import { methods } from './methods.ts'
import { models } from './models.ts'
import { queryValues } from './query-values.ts'
import { records } from './records.ts'
import { search } from './search.ts'

/** Adds the suite. @param more adds other tests for the same running hub */
export function readSuite(target: Target, more: (hub: Reading) => void = () => {}): void {
  const hub = openReading(target)
  // A remote hub has a rate limit, so the tests retry after 429.
  describe(`reading from ${target.name}`, { timeout: hub.isOwn ? 120_000 : 900_000 }, () => {
    beforeAll(() => hub.open())
    afterAll(() => hub.close())

    for (const part of [records, lists, addresses, methods, dataFiles, labels, models, search, queryValues, described])
      part(hub)
    more(hub)
    limit(hub)
  })
}
