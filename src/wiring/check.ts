// Connects checks to the platform: like reading, with the quota that publishing applies.
import type { CheckDeps } from '../server/publish/handle-check.ts'
import { currentConfig, type FunctionContext } from './platform.ts'
import { connectRead } from './read.ts'

/** Returns the dependencies for checking. @throws HubError like `connectRead` */
export async function connectCheck(request: Request, context: FunctionContext): Promise<CheckDeps> {
  const importJobs = async () => (await import('./text-jobs.ts')).TEXT_JOBS
  return { ...(await connectRead(request, context, importJobs)), quota: currentConfig().quota }
}
