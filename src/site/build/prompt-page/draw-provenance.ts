// Owns the line that says which CI run published a version that proved itself.
import type { Provenance } from '../../../domain/content/values.ts'
import { type Html, html } from '../../../server/account/html.ts'
import { FOREIGN_LINK } from '../../links.ts'

/** Draws it. */
export function drawProvenance(provenance: Provenance): Html {
  const { repository, run_id, sha } = provenance
  const source = isOnGithub(provenance)
    ? html`<a href="https://github.com/${repository}/actions/runs/${run_id}" rel="${FOREIGN_LINK}">${repository}</a>`
    : repository
  return html`<span class="quiet provenance">from ${source} at <code>${sha.slice(0, 7)}</code></span>`
}

/** Only GitHub's runs have addresses that we know. A publish checks repository and number, but a file that came by pull request may hold anything there, so both are checked again. */
function isOnGithub({ issuer, repository, run_id }: Provenance): boolean {
  return (
    issuer === 'https://token.actions.githubusercontent.com' &&
    /^[\w.-]+\/[\w.-]+$/.test(repository) &&
    /^\d+$/.test(run_id)
  )
}
