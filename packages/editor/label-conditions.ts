// Renders the labels of an owner that require results, with the forms that add and remove them.
import type { OwnerFile } from '../../src/domain/content/prompt-file.ts'
import { type Html, html } from '../account/html.ts'

/** How the page renders the parts of its forms. */
interface Parts {
  field(key: string, label: string, most: number, more: { isRequired?: boolean; hint?: string }): Html
  form(fields: Html, button: Html): Html
  removal(place: number, button: Html): Html
  /** Whether a rejected form of this kind is shown again. */
  isOpen: boolean
}

/** Renders the labels with conditions. @param places the entries of `protected_labels`, those without conditions too */
export function renderConditions(places: OwnerFile['protected_labels'], parts: Parts): Html {
  const rows = places.flatMap((entry, place) => {
    if (typeof entry === 'string') return []
    const { label, requires, min_score } = entry
    const needed = min_score === undefined ? 'nothing failed' : `a score of at least ${min_score}`
    const button = html`Remove<span class="visually-hidden"> the condition of ${label}</span>`
    return [
      html`<li><span>${label}<br /><span class="quiet">${requires.join(', ')}: ${needed}</span></span>${parts.removal(place, button)}</li>`,
    ]
  })
  const fields = html`
  ${parts.field('label', 'Label', 36, { isRequired: true, hint: 'Such as production.' })}
  ${parts.field('requires', 'Test suites', 700, { isRequired: true, hint: 'Separated by commas, such as quality, safety.' })}
  ${parts.field('min_score', 'Lowest score (optional)', 20, { hint: 'From 0 to 1. Without it, nothing may have failed.' })}`
  return html`
  <p class="quiet">These labels also need <a href="/docs/results">test results</a> of the version.</p>
  ${rows.length > 0 && html`<ul class="entries">${rows}</ul>`}
  <details class="paste"${parts.isOpen && html` open`}><summary>Require test results</summary>
  ${parts.form(fields, html`Require the results`)}
  </details>`
}
