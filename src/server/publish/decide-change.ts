// Decides what a change writes. Its index.md may have as many yanked versions as there are, each with a reason.

import { allowInThreads } from '../../concurrency/long-work.ts'
import { decideChange } from '../../domain/managing/decision.ts'

export { decideChange }

allowInThreads(import.meta.url, { decideChange })
