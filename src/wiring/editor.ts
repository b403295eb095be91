// Connects the editor to the platform: sessions, the records it shows, and publishing.

import type { EditorDeps } from '../../packages/editor/editing.ts'
import { findSourceHost } from '../config.ts'
import { connectAccount } from './account.ts'
import { currentConfig, type FunctionContext, freshOf, textOf } from './platform.ts'

/** Returns the editor's dependencies on this platform. @throws HubError like `connectAccount` */
export async function connectEditor(request: Request, context: FunctionContext): Promise<EditorDeps> {
  return {
    ...(await connectAccount(request, context)),
    fresh: await freshOf(context.hub),
    text: await textOf(context, async () => (await import('./text-jobs.ts')).TEXT_JOBS),
    sourceHost: findSourceHost(currentConfig()),
    // Imported only when a form is submitted, because most requests only show a form.
    connectPublish: async (write) => (await import('./publish.ts')).connectPublish(write, context),
  }
}
