// The editor's long work on a text.
import { allowInThreads } from '../concurrency/long-work.ts'
import { readPasted } from './form/pasted-file.ts'

export { readPasted }

allowInThreads(import.meta.url, { readPasted })
