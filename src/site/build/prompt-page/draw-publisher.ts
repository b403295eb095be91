// Owns how a prompt's page names who published a version: with a link to their page, where they have one.
import { type Html, html } from '../../../server/account/html.ts'
import { ownerPage } from '../../links.ts'

/** Draws a publisher. @param people those of the publishers who have a page */
export function drawPublisher(handle: string, people: readonly string[]): Html {
  return people.includes(handle) ? html`<a href="${ownerPage(handle)}">${handle}</a>` : html`${handle}`
}
