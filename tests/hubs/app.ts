// The application over a hub that a test made.
import type { AccountDeps } from '../../src/account/visit.ts'
import type { SiteFiles } from '../../src/built/site-files.ts'
import type { EditorDeps } from '../../src/editor/editing.ts'
import { accounts } from '../../src/routes/accounts.ts'
import { createApp, type Opens } from '../../src/routes/app.ts'
import { editing } from '../../src/routes/editing.ts'
import { exports } from '../../src/routes/exports.ts'
import { mcp } from '../../src/routes/mcp.ts'
import { namesakes, pages } from '../../src/routes/pages.ts'
import { proposals } from '../../src/routes/proposals.ts'
import { reads } from '../../src/routes/reads.ts'
import { skills } from '../../src/routes/skills.ts'
import { writes } from '../../src/routes/writes.ts'
import type { Hub } from '../../src/server/hub.ts'
import type { CheckHub } from '../../src/server/publish/handle-check.ts'
import type { PublishHub } from '../../src/server/publish/publish-hub.ts'
import type { Clock } from '../../src/server/publish/write-to-git.ts'
import { makeHub } from './make-hub.ts'

interface Parts<Place> {
  hub: Opens<Hub, Place>
  publishing: Opens<PublishHub, Place>
  checking: Opens<CheckHub, Place>
  account: Opens<AccountDeps, Place>
  editor: Opens<EditorDeps, Place>
  clock?: Clock | undefined
  files?: (place: Place) => SiteFiles
}

function absent(): never {
  throw new Error('this hub only reads')
}

const ABSENT = { publishing: absent, checking: absent, account: absent, editor: absent }

const create = <Place extends object>(parts: Parts<Place>) =>
  createApp<Place>([
    skills(parts),
    writes(parts),
    proposals(parts),
    exports(parts),
    reads(parts),
    mcp({ mcp: parts.hub }),
    namesakes(parts),
    accounts(parts),
    editing(parts),
    pages(parts),
  ])

/** Returns what answers requests. @param hub opens the hub for a read @param more what other requests need; by default, they fail */
export function openApp(
  hub: () => Hub | Promise<Hub>,
  more: Partial<Parts<object>> = {},
): (request: Request) => Promise<Response> {
  const app = create<object>({ hub, ...ABSENT, ...more })
  return async (request) => app.fetch(request, {})
}

/** The application of the Node server over static files alone: what is no file is not found. */
export const FILES_APP = create<{ hub: { files: SiteFiles } }>({
  hub: () => makeHub(),
  ...ABSENT,
  files: ({ hub }) => hub.files,
})
