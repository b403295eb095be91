// Starts the prompt editor on its page alone, and forgets the draft of a prompt that was published.
import { forgetSentDraft } from './draft.ts'

const form = document.querySelector<HTMLFormElement>('form[data-editor]')
if (form) import('./start.ts').then(({ startEditor }) => startEditor(form)).catch(reportError)
if (document.querySelector('[data-published]')) forgetSentDraft()
