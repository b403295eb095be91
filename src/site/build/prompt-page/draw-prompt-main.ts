// Owns the middle of the page of a prompt in one of its versions: a workbench to read, fill in and copy, and everything known about it. Functions draw it, because Astro's components took many times as long for the pages that a build has most of.
import { formatCount } from '../../../domain/content/count-of.ts'
import { countHidden } from '../../../domain/content/hidden-characters.ts'
import { drawCopy } from '../../../server/account/copy-button.ts'
import { asDrawn, type Html, html } from '../../../server/account/html.ts'
import { comparePage, repositoryPage } from '../../links.ts'
import type { PromptPage } from '../describe-prompt-page.ts'
import { renderMarkdown } from '../markdown.ts'
import { COPY_PROMPT, drawPromptHead } from './draw-prompt-head.ts'
import { drawRepositoryStatus } from './draw-repository-status.ts'
import { drawTrustCard } from './draw-trust-card.ts'
import { drawUseIt } from './draw-use-it.ts'
import { drawVersionsTable } from './draw-versions-table.ts'
import { drawWorkbench } from './draw-workbench.ts'

/** Draws it as HTML, of the catalogue that is in place. */
export function drawPromptMain(page: PromptPage): string {
  const { entry, record, isMain, around } = page
  const { repository } = entry
  // Counted once for all that say it, because a long text takes a while to look through.
  const unseen = record ? countHidden(record.content) : 0
  return html`${[
    drawPromptHead(page),
    drawRepositoryStatus(entry),
    !isMain && drawVersionStatus(page),
    drawSections(page),
    drawWarnings(page),
    record && drawWorkbench(record, unseen),
    record && drawUseIt({ repository, version: record.version, isMain }),
  ]}<div class="below${isMain ? '' : ' short'}"><div>${[
    drawParameters(page),
    isMain && drawReadme(page),
    isMain ? drawVersions(page) : drawChange(page),
  ]}</div>${record && drawTrustCard({ entry, record, unseen, around })}</div>${record && drawBottomBar(record.variables.length > 0)}`
    .text
}

/** Says of a version that it was withdrawn, or that there is a later one. */
function drawVersionStatus({ entry, record }: PromptPage): Html | undefined {
  if (!record) return undefined
  const { full_name, latest_version } = entry.repository
  const { version } = record
  const summary = entry.versions.find(({ summary }) => summary.version === version)?.summary
  const latest = latest_version && html`<a href="${repositoryPage(full_name)}">${latest_version}</a>`
  const comparison = latest_version ? comparePage(full_name, version, latest_version) : ''
  if (summary?.yanked)
    return html`<div class="notice warns" role="note"><p><strong>${version} was withdrawn.</strong> <span dir="auto">${summary.yank_reason ?? ''}</span></p>${
      latest && html`<p>Use ${latest} instead, or <a href="${comparison}">see what changed</a>.</p>`
    }</div>`
  if (!latest || version === latest_version) return undefined
  return html`<div class="notice" role="note"><p>${version} is not the latest: that is ${latest}. <a href="${comparison}">Compare the two</a></p></div>`
}

function drawSections({ entry, record, isMain }: PromptPage): Html {
  return html`<nav class="sections" aria-label="On this page">${[
    record && html`<a href="#prompt">Prompt</a><a href="#use">Use it</a>`,
    isMain && entry.repository.readme !== '' && html`<a href="#readme">Readme</a>`,
    isMain && html`<a href="#versions">Versions <span class="count">${formatCount(entry.versions.length)}</span></a>`,
    record && html`<a href="#trust">Trust</a>`,
  ]}</nav>`
}

function drawWarnings({ entry, record }: PromptPage): Html | undefined {
  const { warnings, latest_version } = entry.repository
  if (warnings.length === 0 || !record || record.version !== latest_version) return undefined
  const rows = warnings.map(
    ({ message, line }) => html`<li dir="auto">${line ? `Line ${line}: ${message}` : message}</li>`,
  )
  return html`<div class="notice" role="note"><p><strong>Worth a second look:</strong></p><ul>${rows}</ul></div>`
}

function drawParameters({ record }: PromptPage): Html | undefined {
  if (!record || Object.keys(record.parameters).length === 0) return undefined
  return html`<section aria-labelledby="parameters-title"><div class="bar"><h2 id="parameters-title">Parameters</h2>${drawCopy('parameters', 'the parameters')}</div><pre><code id="parameters">${JSON.stringify(record.parameters, null, 2)}</code></pre></section>`
}

function drawReadme({ entry }: PromptPage): Html | undefined {
  const { readme, title } = entry.repository
  if (readme === '') return undefined
  return html`<section aria-labelledby="readme"><h2 id="readme">Readme</h2><div class="prose" dir="auto">${asDrawn(renderMarkdown(readme, { title }))}</div></section>`
}

function drawVersions({ entry, around }: PromptPage): Html {
  const { versions, repository } = entry
  return html`<section aria-labelledby="versions"><div class="bar"><h2 id="versions">Versions</h2><p class="quiet">${formatCount(versions.length)} published</p></div>${drawVersionsTable({ versions, latest: repository.latest_version, people: around.people })}</section>`
}

function drawChange({ entry, record }: PromptPage): Html | undefined {
  if (!record) return undefined
  const { changelog, previous_version: previous, version } = record
  return html`<section aria-labelledby="change-title"><h2 id="change-title">What changed</h2><p dir="auto" class="changelog">${changelog || 'Nothing was said of this change.'}</p>${
    previous &&
    html`<p><a href="${comparePage(entry.repository.full_name, previous, version)}">Compare with ${previous}</a></p>`
  }</section>`
}

/** What stays in reach on narrow screens. */
function drawBottomBar(hasVariables: boolean): Html {
  return html`<div class="bottom-bar needs-script">${hasVariables && html`<a class="button" href="#variables">Fill in</a>`}${COPY_PROMPT}</div>`
}
