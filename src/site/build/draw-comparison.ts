// Owns the page that compares a version with the one before it: what its head says, and its middle.
import { compareForCallers } from '../../domain/catalogue/difference.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { formatDay } from '../../domain/content/days.ts'
import { html } from '../../server/account/html.ts'
import { drawCompareChoice } from '../../server/pages/compare-choice.ts'
import { drawForCallers, drawLines } from '../draw-difference.ts'
import { comparePage, ownerPage, repositoryPage } from '../links.ts'
import type { PageHead } from '../page-head.ts'

/** Two neighbours among the versions of a prompt. */
export interface Comparison {
  entry: CatalogueEntry
  /** The place of the newer version among all, highest first; the older one follows it. */
  index: number
}

const recordsOf = ({ entry, index }: Comparison) => ({
  from: entry.versions[index + 1]!.record,
  to: entry.versions[index]!.record,
})

/** Describes the page. */
export function describeComparison(comparison: Comparison): PageHead {
  const { full_name, title } = comparison.entry.repository
  const { from, to } = recordsOf(comparison)
  return {
    title: `${title}: ${from.version} to ${to.version}`,
    description: to.changelog || `What changed in ${full_name} from ${from.version} to ${to.version}.`,
    path: comparePage(full_name, from.version, to.version),
    isListed: comparison.entry.isListed,
    feed: `/${full_name}/feed.xml`,
    picture: `/badges/${full_name}.png`,
  }
}

/** Draws its middle as HTML. */
export function drawComparison(comparison: Comparison): string {
  const { repository, versions } = comparison.entry
  const { owner, name, full_name, title, latest_version } = repository
  const { from, to } = recordsOf(comparison)
  const choice = drawCompareChoice({
    fullName: full_name,
    versions: versions.map(({ summary }) => summary),
    latest: latest_version,
    ...{ from: from.version, to: to.version },
  })
  const head = html`<div class="page-head">
  <p class="full-name"><a href="${ownerPage(owner)}">${owner}</a>/<a href="${repositoryPage(full_name)}">${name}</a></p>
  <h1><span dir="auto">${title}</span>: ${from.version} <span aria-hidden="true">→</span><span class="visually-hidden">to</span> ${to.version}</h1>
  <p class="lead changelog" dir="auto">${to.changelog || 'Nothing was said of this change.'}</p>
  <p class="facts"><span>${to.published_by}</span><span><time datetime="${to.published_at}" data-relative>${formatDay(to.published_at)}</time></span></p>
  ${choice}
</div>`
  return head.text + drawForCallers(compareForCallers(from, to)) + drawLines(from, to)
}
