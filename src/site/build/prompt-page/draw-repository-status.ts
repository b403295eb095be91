// Owns the notices above a repository that is no longer the one to use: deprecated, archived, or without an active version.
import type { CatalogueEntry } from '../../../domain/catalogue/entry.ts'
import { type Html, html } from '../../../server/account/html.ts'
import { repositoryPage } from '../../links.ts'

const WORDS = {
  active: '',
  deprecated: 'Deprecated: still readable, but no longer the one to begin with.',
  archived: 'Archived: still readable, but it is in no list and takes no new versions.',
}

/** Draws the notices; most repositories have none. */
export function drawRepositoryStatus({ summary, replacedBy, broken }: CatalogueEntry): Html[] {
  const { status, status_message, latest_version } = summary
  const notices: Html[] = []
  if (status !== 'active' || status_message !== null || replacedBy !== null)
    notices.push(
      drawNotice([
        status !== 'active' && html`<p><strong>${WORDS[status]}</strong></p>`,
        status_message !== null && html`<p dir="auto">${status_message}</p>`,
        replacedBy !== null && html`<p>Use <a href="${repositoryPage(replacedBy)}">${replacedBy}</a> instead.</p>`,
      ]),
    )
  if (broken.length > 0) {
    const sentences = broken.map((sentence) => html`<li dir="auto">${sentence}</li>`)
    notices.push(
      drawNotice([
        html`<p><strong>What you see is the last good state: the newest one is broken.</strong></p>`,
        html`<ul>${sentences}</ul>`,
      ]),
    )
  }
  if (latest_version === null)
    notices.push(
      drawNotice([
        html`<p><strong>There is no active version: every one was yanked.</strong></p>`,
        html`<p>Their exact addresses still answer; see the versions below.</p>`,
      ]),
    )
  return notices
}

function drawNotice(parts: readonly (Html | false)[]): Html {
  return html`<div class="notice" role="note">${parts}</div>`
}
