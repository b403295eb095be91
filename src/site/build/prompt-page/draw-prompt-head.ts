// Owns the head of a prompt's page: whose it is, what it is for, the menu of its versions, and the ways to copy it.
import type { VersionRecord } from '../../../domain/api/schema.ts'
import type { CatalogueEntry } from '../../../domain/catalogue/entry.ts'
import { countOf, formatCount } from '../../../domain/content/count-of.ts'
import { type Html, html } from '../../../server/account/html.ts'
import { drawDay } from '../../../server/pages/rows.ts'
import { ownerPage, repositoryPage, versionPage, withoutBase } from '../../links.ts'
import type { PromptPage } from '../describe-prompt-page.ts'
import { drawOwnerPicture } from '../draw-owner-picture.ts'
import { getCatalogue } from '../loaded-catalogue.ts'
import { drawLicense } from './draw-license.ts'

/** Versions in the menu; the table has all of them. */
const MOST_IN_MENU = 12

/** The button that copies the text as it is shown. */
export const COPY_PROMPT = html`<button type="button" class="strong copy" data-copy-as="shown"><span data-copy-words>Copy prompt</span><span data-copy-done aria-hidden="true">✓ Copied</span></button>`

/** Draws the head. */
export function drawPromptHead({ entry, record, isMain, around }: PromptPage): Html {
  const { owner, name, full_name, title, description } = entry.repository
  const named = isMain ? name : html`<a href="${repositoryPage(full_name)}">${name}</a>`
  return html`<div class="prompt-head"><div class="page-head">${[
    html`<p class="full-name">${drawOwnerPicture(owner, around.avatar)}<span><a href="${ownerPage(owner)}">${owner}</a>/${named}</span></p>`,
    html`<h1 dir="auto">${title}</h1>`,
    description !== '' && html`<p class="lead" dir="auto">${description}</p>`,
    drawFacts(entry, record),
  ]}</div><div class="head-tools">${record && [drawVersionMenu(entry, record, isMain), drawCopyMenu(record)]}</div></div>`
}

function drawFacts({ repository }: CatalogueEntry, record: VersionRecord | undefined): Html {
  const { status, license, updated_at } = repository
  return html`<p class="facts">${[
    status !== 'active' && html`<span class="mark warns">${status}</span>`,
    html`<span>${license === null ? 'no licence given' : drawLicense(license)}</span>`,
    record && html`<span>${countOf(record.variables.length, 'variable')}</span>`,
    html`<span>${drawDay(record?.published_at ?? updated_at)}</span>`,
  ]}</p>`
}

function drawVersionMenu({ repository, versions }: CatalogueEntry, record: VersionRecord, isMain: boolean): Html {
  const { full_name, latest_version } = repository
  const links = versions.slice(0, MOST_IN_MENU).map(({ summary: { version, yanked } }) => {
    const isLatest = version === latest_version
    const address = isLatest ? repositoryPage(full_name) : versionPage(full_name, version)
    const current = version === record.version && html` aria-current="page"`
    return html`<a href="${address}"${current}>${version}${isLatest && ' · latest'}${yanked && ' · withdrawn'}</a>`
  })
  const all = isMain ? '#versions' : `${repositoryPage(full_name)}#versions`
  return html`<details class="menu"><summary><span class="visually-hidden">Version </span>v${record.version}${
    record.version === latest_version && html`<span class="quiet">latest</span>`
  }</summary><div>${links}<a href="${all}">All ${formatCount(versions.length)} versions</a></div></details>`
}

function drawCopyMenu({ variables, raw_url }: VersionRecord): Html {
  const hasVariables = variables.length > 0
  return html`<div class="split needs-script">${COPY_PROMPT}<details class="menu"><summary class="strong" aria-label="More ways to copy"></summary><div>${[
    html`<button type="button" data-copy-as="raw">Template, as published</button>`,
    hasVariables && html`<button type="button" data-copy-as="filled">Filled in</button>`,
    html`<button type="button" data-copy-as="messages">As JSON messages</button>`,
    hasVariables && html`<button type="button" data-copy-as="link">Link with my values</button>`,
    html`<a href="${withoutBase(raw_url, getCatalogue().baseUrl)}">Open the raw text</a>`,
  ]}</div></details></div>`
}
