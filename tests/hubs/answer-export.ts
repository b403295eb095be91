// Answers export requests as the function does.
import type { Connect } from '../../src/server/hub.ts'
import { handleExport } from '../../src/server/read/export.ts'
import { exportVersion } from '../../src/wiring/export-version.ts'

/** Answers one export request. */
export const answerExport = (request: Request, connect: Connect): Promise<Response> =>
  handleExport(request, connect, async () => exportVersion)
