// Declares the editor's jobs on somebody's text, beside those of src/ports/text-work.ts.
import type { JudgedForm } from './judge-form.ts'
import type { PastedForm } from './pasted-file.ts'
import type { FormBase, SentForm } from './version-form.ts'

declare module '../../../src/ports/text-work.ts' {
  interface TextJobs {
    /** Fills in the editor's form from the file in its text. */
    readPastedForm(sent: SentForm, format: string, base?: FormBase): PastedForm
    /** Judges the editor's form. */
    judgeForm(sent: SentForm, base?: FormBase, apply?: string, before?: string): JudgedForm
  }
}
