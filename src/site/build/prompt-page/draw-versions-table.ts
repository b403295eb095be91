// Owns the table of a repository's versions, withdrawn ones marked, each with its page, its change and its exact address.
import type { CatalogueVersion } from '../../../domain/catalogue/outline.ts'
import { type Html, html } from '../../../server/account/html.ts'
import { drawDay } from '../../../server/pages/rows.ts'
import { comparePage, repositoryPage, versionPage, withoutBase } from '../../links.ts'
import { getCatalogue } from '../loaded-catalogue.ts'
import { drawProvenance } from './draw-provenance.ts'
import { drawPublisher } from './draw-publisher.ts'

/** Versions of one repository. */
interface Versions {
  versions: readonly CatalogueVersion[]
  latest: string | null
  /** Those of the publishers who have a page. */
  people: readonly string[]
}

/** Draws the table. */
export function drawVersionsTable({ versions, latest, people }: Versions): Html {
  const { baseUrl } = getCatalogue()
  const rows = versions.map(({ summary, record }) => {
    const { version, yanked, raw_url } = summary
    const { full_name, previous_version: previous } = record
    const isLatest = version === latest
    const address = isLatest ? repositoryPage(full_name) : versionPage(full_name, version)
    return html`<li class="version-row${yanked ? ' yanked' : ''}"><div>${[
      html`<h3><a href="${address}">${version}</a></h3>`,
      isLatest && html`<span class="mark good">latest</span>`,
      yanked && html`<span class="mark warns">withdrawn</span>`,
    ]}</div>${drawChange({ summary, record }, people)}<p class="version-links">${[
      previous &&
        html`<a href="${comparePage(full_name, previous, version)}">Compare<span class="visually-hidden"> ${previous} with ${version}</span></a>`,
      html`<a href="${withoutBase(raw_url, baseUrl)}">Raw<span class="visually-hidden"> content of ${version}</span></a>`,
    ]}</p></li>`
  })
  return html`<ol class="plain versions">${rows}</ol>`
}

/** What changed in a version, when, and who published it. */
function drawChange({ summary, record }: CatalogueVersion, people: readonly string[]): Html {
  const { changelog, published_at, published_by, yanked, yank_reason } = summary
  return html`<div>${[
    html`<p class="changelog" dir="auto">${changelog || 'Nothing was said of this change.'}</p>`,
    yanked && html`<p class="quiet">Withdrawn: <span dir="auto">${yank_reason ?? ''}</span></p>`,
    html`<p class="facts"><span>${drawDay(published_at)}</span><span>${drawPublisher(published_by, people)}</span>${record.provenance && html`<span>${drawProvenance(record.provenance)}</span>`}</p>`,
  ]}</div>`
}
