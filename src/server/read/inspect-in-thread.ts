// Lists what a version can do in a thread, because a large skill takes a quarter of a second.
import { allowInThreads } from '../../concurrency/long-work.ts'
import { inspectVersion } from '../../domain/inspect/inspect-version.ts'

export { inspectVersion }

allowInThreads(import.meta.url, { inspectVersion })
