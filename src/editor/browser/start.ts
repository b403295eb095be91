// Starts the prompt editor: the code editor, the variables and the preview while typing, live checks, and the draft. The form works without it.

import type { Format } from '../../domain/values/chat.ts'
import { renderPreview } from '../../site/prompt/preview.ts'
import { type KnownParts, previewedOf, readVersionForm } from '../form/version-form.ts'
import { createCodeField } from './code-field.ts'
import { keepDraft, readValues } from './draft.ts'
import { startLiveChecks } from './live-checks.ts'
import { openVariableList } from './variable-list.ts'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Delay between the last keystroke and the preview. */
const PREVIEWED_MS = 120

/** A second submission within this time is an accident. */
const DOUBLE_CLICK_MS = 1_000

/** Starts the editor of a form. */
export function startEditor(form: HTMLFormElement): void {
  const content = form.querySelector<HTMLTextAreaElement>('textarea[name="content"]')!
  const format = form.querySelector<HTMLSelectElement>('select[name="format"]')!
  const preview = form.querySelector<HTMLElement>('[data-preview]')!
  const parts: KnownParts = JSON.parse(preview.dataset.parts ?? '{"texts":{},"variables":[]}')
  const hadFocus = document.activeElement === content || content.autofocus
  const submit = () => form.requestSubmit(form.querySelector<HTMLButtonElement>('button[value="review"]'))
  const code = createCodeField(content, 'Prompt', submit)
  if (hadFocus) code.focus(lineIn(document.getElementById('content-wrong')?.textContent))
  const showFieldsOf = openVariableList(form)
  const showVariables = () => showFieldsOf(content.value, format.value as Format)
  let previewing: number | undefined
  const show = () => {
    showVariables()
    clearTimeout(previewing)
    previewing = window.setTimeout(() => {
      // `renderPreview` escapes all text.
      preview.innerHTML = renderPreview(previewedOf(readVersionForm(readValues(form), ''), parts))
    }, PREVIEWED_MS)
  }
  const setField = (name: string, value: string | undefined) => {
    if (name === 'content') return code.setText(value ?? '')
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = value !== undefined
    else if (isField(field)) field.value = value ?? ''
  }
  const [check, publish] = ['review', 'publish'].map((step) =>
    form.querySelector<HTMLButtonElement>(`.publish-bar [value="${step}"]`),
  )
  const forgetReview = () => {
    check?.classList.add('strong')
    publish?.classList.remove('strong')
    if (publish) publish.textContent = 'Publish'
  }
  form.addEventListener('input', forgetReview)
  let sentMs = Number.NEGATIVE_INFINITY
  form.addEventListener('submit', (event) => {
    // The second click of a double click would be refused, although the first one has published.
    if (event.timeStamp - sentMs < DOUBLE_CLICK_MS) event.preventDefault()
    else sentMs = event.timeStamp
  })
  form.addEventListener('input', show)
  form.addEventListener('change', show)
  form.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    const { insert, correction } = button?.dataset ?? {}
    if (insert !== undefined) code.addRole(insert)
    if (!button || correction === undefined) return
    event.preventDefault()
    const field = form.elements.namedItem(button.value)
    setField(button.value, correction)
    if (button.value === 'content') code.focus()
    else if (isField(field)) {
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.focus()
    }
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href="#content"]') : null
    if (!link) return
    event.preventDefault()
    code.focus(lineIn(link.textContent))
  })
  startLiveChecks(form, code.setProblem)
  keepDraft(form, (values) => {
    setField('content', values.content)
    setField('format', values.format)
    showVariables()
    for (const field of form.elements) {
      const isKept = isField(field) && field.name !== '' && !['csrf', 'content', 'source_format'].includes(field.name)
      if (isKept) setField(field.name, values[field.name])
    }
  })
  show()
}

function isField(element: unknown): element is Field {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  )
}

/** Returns the line that a problem names. */
function lineIn(words: string | null | undefined): number | undefined {
  const [, line] = /\bline (\d+)/i.exec(words ?? '') ?? []
  return line === undefined ? undefined : Number(line)
}
