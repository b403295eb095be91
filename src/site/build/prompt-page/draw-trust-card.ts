// Owns the card that says why a prompt may be trusted, or not: facts with their evidence, and no score.
import type { VersionRecord } from '../../../domain/api/schema.ts'
import type { CatalogueEntry } from '../../../domain/catalogue/entry.ts'
import { formatCount } from '../../../domain/content/count-of.ts'
import { formatDay } from '../../../domain/content/days.ts'
import { drawCopy } from '../../../server/account/copy-button.ts'
import { type Html, html } from '../../../server/account/html.ts'
import { FOREIGN_LINK, repositoryPage, tagPage, versionPage, withoutBase } from '../../links.ts'
import { listTrustFacts } from '../../trust.ts'
import type { Around } from '../around.ts'
import { getCatalogue } from '../loaded-catalogue.ts'
import { listSourceLinks } from '../source-links.ts'
import { drawLicense } from './draw-license.ts'
import { drawProvenance } from './draw-provenance.ts'
import { drawPublisher } from './draw-publisher.ts'

/** The version that the card is about, and what stands around it. */
interface Trusted {
  entry: CatalogueEntry
  record: VersionRecord
  /** How many characters its text holds that a reader cannot see. */
  unseen: number
  around: Around
}

/** Draws the card. */
export function drawTrustCard({ entry, record, unseen, around }: Trusted): Html {
  const { full_name, license, tags } = entry.repository
  const facts = listTrustFacts(entry, record, unseen).map(({ isGood, words, evidence }) =>
    drawFact(isGood, evidence ? html`<a href="${evidence}">${words}</a>` : words),
  )
  const ofLicense =
    license === null
      ? 'No licence given: ask before you reuse it'
      : drawLicense(license, license === 'CC0-1.0' ? ': no conditions' : '')
  const links = listSourceLinks(entry, record).map(
    ({ words, address }) => html`<li><a href="${address}" rel="${FOREIGN_LINK}">${words}</a></li>`,
  )
  return html`<aside class="card trust" aria-labelledby="trust">${[
    html`<h2 id="trust">Why trust this</h2>`,
    html`<ul class="plain">${facts}${drawFact(license !== null, ofLicense)}</ul>`,
    drawDetails(entry, record, around),
    tags.length > 0 && drawTags(tags, around),
    html`<ul class="plain links">${links}<li><a href="/${full_name}/feed.xml">Follow as Atom</a></li><li><a href="/docs/ranking">How this is checked</a></li></ul>`,
  ]}</aside>`
}

function drawFact(isGood: boolean, words: string | Html): Html {
  return html`<li class="fact${isGood ? ' good' : ''}"><span aria-hidden="true">${isGood ? '✓' : '–'}</span>${words}</li>`
}

function drawDetails({ repository, versions }: CatalogueEntry, record: VersionRecord, { people }: Around): Html {
  const { full_name, created_at, updated_at, labels, stats } = repository
  const { published_by, provenance, size_bytes, raw_url, content_sha256 } = record
  const first = versionPage(full_name, versions.at(-1)!.summary.version)
  return html`<dl class="fact-list">${[
    html`<div><dt>Publisher</dt><dd>${drawPublisher(published_by, people)} ${provenance && drawProvenance(provenance)}</dd></div>`,
    html`<div><dt>First published</dt><dd><a href="${first}">${drawTime(created_at)}</a></dd></div>`,
    html`<div><dt>Last change</dt><dd><a href="${repositoryPage(full_name)}#versions">${drawTime(updated_at)}</a></dd></div>`,
    html`<div><dt>Size</dt><dd>${formatCount(size_bytes)} bytes</dd></div>`,
    stats &&
      html`<div><dt>Downloads</dt><dd>${formatCount(stats.downloads_7d)} in 7 days, ${formatCount(stats.downloads_90d)} in 90</dd></div>`,
    Object.entries(labels).map(
      ([label, version]) =>
        html`<div><dt>Label <code>${label}</code></dt><dd><a href="${versionPage(full_name, version)}">${version}</a></dd></div>`,
    ),
    html`<div class="digest"><dt>SHA-256 of <a href="${withoutBase(raw_url, getCatalogue().baseUrl)}">the raw text</a></dt><dd><code id="sha256">${content_sha256}</code> ${drawCopy('sha256', 'the SHA-256')}</dd></div>`,
  ]}</dl>`
}

function drawTime(moment: string): Html {
  return html`<time datetime="${moment}">${formatDay(moment)}</time>`
}

function drawTags(tags: readonly string[], around: Around): Html {
  const drawn = tags.map((tag) =>
    around.tags.includes(tag)
      ? html`<li><a href="${tagPage(tag)}">${tag}</a></li>`
      : html`<li><span>${tag}</span></li>`,
  )
  return html`<ul class="tags" aria-label="Tags">${drawn}</ul>`
}
