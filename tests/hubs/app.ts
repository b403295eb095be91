// The application over a hub that a test made.
import type { SiteFiles } from '../../src/ports/site-files.ts'
import type { Hub } from '../../src/server/hub.ts'
import { type Connections, createApp } from '../../src/wiring/app.ts'
import { exportVersion } from '../../src/wiring/export-version.ts'
import { makeHub } from './make-hub.ts'

function absent(): never {
  throw new Error('this hub only reads')
}

/** Returns what answers requests. @param hub opens the hub for a read @param more what other requests need; by default, they fail */
export function openApp(
  hub: () => Hub | Promise<Hub>,
  more: Partial<Connections<object>> = {},
): (request: Request) => Promise<Response> {
  const app = createApp<object>({
    hub,
    mcp: hub,
    publishing: absent,
    checking: absent,
    account: absent,
    editor: absent,
    exporter: async () => exportVersion,
    ...more,
  })
  return async (request) => app.fetch(request, {})
}

/** The application of the Node server over static files alone: what is no file is not found. */
export const FILES_APP = createApp<{ hub: { files: SiteFiles } }>({
  hub: () => makeHub(),
  mcp: () => makeHub(),
  publishing: absent,
  checking: absent,
  account: absent,
  editor: absent,
  exporter: async () => exportVersion,
  files: ({ hub }) => hub.files,
})
