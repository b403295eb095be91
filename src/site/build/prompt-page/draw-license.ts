// Owns how a prompt's page names a licence: with a link to its text, where that is known.
import { type Html, html } from '../../../server/account/html.ts'
import { FOREIGN_LINK, findLicensePage } from '../../links.ts'

/** Draws a licence. @param more what its link says after the name */
export function drawLicense(license: string, more = ''): Html {
  const address = findLicensePage(license)
  return address === undefined
    ? html`${license}`
    : html`<a href="${address}" rel="${FOREIGN_LINK}">${license}${more}</a>`
}
