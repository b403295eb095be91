// Makes a hub for tests of handlers: an empty one, with what a test gives.

import { runInPlace } from '../../src/concurrency/long-work.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { parseArchive } from '../../src/hub/parse-archive.ts'
import type { Hub } from '../../src/server/hub.ts'
import type { CheckHub } from '../../src/server/publish/handle-check.ts'
import { UNLIMITED } from '../../src/state/rate-limiter.ts'
import { makeProfile } from './profile.ts'

/** The base URL of a made hub. It is public, so that the rules for loopback addresses do not apply. */
export const BASE_URL = 'https://hub.example'

const nothing = async () => undefined
const NO_SEARCH = () => {
  // Missing paths still get a 404, but similar names are not suggested.
  throw new HubError('unavailable', 'There is no search here.')
}
/** Pages are not rendered, so the hub returns only the responses that the page function creates itself. */
const NO_PAGES = {
  render: async () => new Response(null, { status: 404 }),
  profile: makeProfile(BASE_URL),
  brokenOf: () => [],
  cache: undefined,
}

/** Makes a hub for one client. */
export function makeHub(given: Partial<Hub> = {}): CheckHub {
  return {
    baseUrl: BASE_URL,
    isPrivate: false,
    isOwnHost: (hostname) => hostname === 'hub.example',
    siteFiles: { read: nothing },
    search: NO_SEARCH,
    pages: () => NO_PAGES,
    runLong: runInPlace,
    limiter: UNLIMITED,
    clientAddress: '192.0.2.1',
    quota: { prompts: 0, bytes: 0 },
    parseArchive: async (archive, query) => parseArchive(archive, query),
    fresh: { find: nothing, listNames: async () => [] },
    ...given,
  }
}
