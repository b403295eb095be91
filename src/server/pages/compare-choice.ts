// Owns the choice of two versions to compare: a plain form, on the built pages and on those that a function draws.
import { type Html, html } from '../account/html.ts'

/** What can be chosen, and what is. */
interface CompareChoice {
  /** owner/name. */
  fullName: string
  /** Of the repository, highest first. */
  versions: readonly { version: string; yanked: boolean }[]
  latest: string | null
  from: string
  to: string
}

/** Draws the form. The address that it is sent to redirects to the page of the pair (answer-page.ts). */
export function drawCompareChoice({ fullName, versions, latest, from, to }: CompareChoice): Html {
  // When a reader comes back to a page, browsers put back what was chosen there, and the form would name another pair than the page shows; `autocomplete` keeps them from it.
  const select = (name: string, words: string, chosen: string) => html`
  <div><label for="${name}">${words}</label><select id="${name}" name="${name}" autocomplete="off">${versions.map(
    ({ version, yanked }) =>
      html`<option value="${version}"${version === chosen ? html` selected` : undefined}>${version}${version === latest ? ' · latest' : ''}${yanked ? ' · withdrawn' : ''}</option>`,
  )}</select></div>`
  return html`<form class="compare-choice" action="/${fullName}/compare" method="get">${select('from', 'From', from)}${select('to', 'To', to)}
  <button type="submit">Compare</button>
  <a href="/${fullName}/compare/${to}...${from}">The other way round</a>
</form>`
}
