// The editor's long work on the texts of a form.
import { allowInThreads } from '../concurrency/long-work.ts'
import { judgeForm } from './form/judge-form.ts'
import { readPastedForm } from './form/pasted-file.ts'

export { judgeForm, readPastedForm }

allowInThreads(import.meta.url, { judgeForm, readPastedForm })
