// Decides what a change writes. Its index.md may have as many yanked versions as there are, each with a reason.
import { decideChange } from '../../domain/managing/decision.ts'
import { allowInThreads } from '../../ports/long-work.ts'

export { decideChange }

allowInThreads(import.meta.url, { decideChange })
