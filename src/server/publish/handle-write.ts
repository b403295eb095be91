// Handles all writes to the API: POST is a publish, any other method a change.
import type { Connect } from '../connect.ts'
import { handlePublish, type PublishHandlerDeps } from './publish.ts'

/** Handles one write. Never throws: errors become responses. */
export async function handleWrite(request: Request, connect: Connect<PublishHandlerDeps>): Promise<Response> {
  if (request.method === 'POST') return handlePublish(request, connect)
  // Imported when first needed, because most writes are publishes.
  return (await import('./manage.ts')).handleChange(request, connect)
}
