// Shows the buttons of a prompt page to those who may use them, and adds the forms that move labels. The server judges every request again.
import type { ShownSession } from '../../domain/access/shown-session.ts'
import { managePage } from '../links.ts'
import { findSession } from './session.ts'

/** The label that every prompt can have, even if it does not exist yet. */
const PRODUCTION = 'production'

const head = document.querySelector<HTMLElement>('[data-owner]')
findSession()
  .then((session) => {
    if (!head || !session) return
    const mayEdit = session.owners.includes(head.dataset.owner ?? '')
    if (mayEdit) document.documentElement.classList.add('may-edit')
    const list = document.querySelector<HTMLElement>('[data-move-labels]')
    if (mayEdit && list) addForms(list, session)
  })
  .catch(reportError)

function addForms(list: HTMLElement, session: ShownSession): void {
  const labels: Record<string, string> = JSON.parse(list.dataset.labels ?? '{}')
  for (const place of list.querySelectorAll<HTMLElement>('[data-version]')) {
    const { version = '' } = place.dataset
    const forms = [...new Set([PRODUCTION, ...Object.keys(labels)])]
      .filter((label) => labels[label] !== version)
      .map((label) => renderForm(list.dataset.moveLabels ?? '', label, version, session))
    place.querySelector('[data-without-forms]')?.replaceWith(...forms)
  }
}

/** Renders the form of the page for managing a prompt, with one label and one version. */
function renderForm(fullName: string, label: string, version: string, { csrf }: ShownSession): HTMLFormElement {
  const form = Object.assign(document.createElement('form'), { method: 'post', action: managePage(fullName) })
  for (const [name, value] of Object.entries({ csrf, change: 'label', label, version }))
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  form.append(Object.assign(document.createElement('button'), { textContent: `Point ${label} here` }))
  return form
}
