// Answers every write of the API: a publish by POST, a change of what is published by any other method.
import type { Connect } from '../connect.ts'
import { answerPublish, type PublishDependencies } from './publish.ts'

/** Answers one write. Never throws: everything becomes an answer. */
export async function answerWrite(request: Request, connect: Connect<PublishDependencies>): Promise<Response> {
  if (request.method === 'POST') return answerPublish(request, connect)
  // Imported when first needed: most writes are publishes.
  return (await import('./manage.ts')).answerManage(request, connect)
}
