// Starts the prompt editor on its page alone.
const form = document.querySelector<HTMLFormElement>('form[data-editor]')
if (form) import('./start.ts').then(({ startEditor }) => startEditor(form)).catch(reportError)
