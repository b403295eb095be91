// Owns the pages of what no build has written: a version that was published a moment ago, and two versions to be compared in the browser.
import type { Repository, VersionRecord, VersionSummary } from '../../domain/api/schema.ts'
import { splitHidden } from '../../domain/content/hidden-characters.ts'
import { splitContent } from '../../domain/content/placeholders.ts'
import { drawCopy } from '../account/copy-button.ts'
import { type Html, html } from '../account/html.ts'
import { drawCompareChoice } from './compare-choice.ts'
import { drawDay } from './rows.ts'

/** The thread that draws these pages answers everybody, so a longer text is shown in part, and its page leads to the raw text. */
const MAX_SHOWN_CHARACTERS = 20_000

/** Draws a version that is newer than the site. The page asks again by itself. */
export function drawUnbuilt({ owner, full_name, title, description }: Repository, record: VersionRecord): Html {
  const raw = `/api/v1/repos/${full_name}/raw?version=${record.version}`
  const isCut = record.content.length > MAX_SHOWN_CHARACTERS
  // Never half of a character that takes two units.
  const shown = isCut ? record.content.slice(0, MAX_SHOWN_CHARACTERS).replace(/[\ud800-\udbff]$/, '') : record.content
  return html`
<div class="page-head">
  <p class="full-name"><a href="/${owner}">${owner}</a>/${record.name}</p>
  <h1 dir="auto">${title} <span class="mark">v${record.version}</span></h1>
  ${description === '' ? undefined : html`<p class="lead" dir="auto">${description}</p>`}
  <p class="notice" role="status" data-refresh>Published ${drawDay(record.published_at)}. Its page is being built and appears here by itself; the text can be used at once.</p>
</div>
<section aria-labelledby="prompt-title"><div class="bar"><h2 id="prompt-title">Prompt</h2><a href="${raw}">Raw</a>${isCut ? undefined : drawCopy('content', 'the prompt')}</div>
${isCut ? html`<p class="notice">Only the beginning of this long prompt is shown until its page is built. <a href="${raw}">Read all of it</a>.</p>` : undefined}
<pre><code id="content" dir="auto"${!isCut && shown.includes('\r') ? html` data-exact="${JSON.stringify(shown)}"` : undefined}>${drawContent(shown, record)}</code></pre></section>`
}

/** Draws the content with its placeholders as chips, and with a mark at characters that cannot be seen. */
function drawContent(content: string, { variables }: VersionRecord): Html[] {
  const names = new Set(variables.map(({ name }) => name))
  return splitContent(content, names).map(({ text, name }) => {
    const shown = splitHidden(text).map(({ text, code }) =>
      code === undefined ? text : html`<span class="unseen" data-code="${code}">${text}</span>`,
    )
    return name === undefined ? html`${shown}` : html`<span class="chip">${shown}</span>`
  })
}

/** Draws the place in which client/compare.ts compares two versions. @param versions all of them, highest first */
export function drawComparing(
  { owner, name, full_name, title, latest_version }: Repository,
  versions: readonly VersionSummary[],
  { from, to }: { from: string; to: string },
): Html {
  const raw = (version: string) => html`<a href="/api/v1/repos/${full_name}/raw?version=${version}">${version}</a>`
  return html`
<div class="page-head">
  <p class="full-name"><a href="/${owner}">${owner}</a>/<a href="/${full_name}">${name}</a></p>
  <h1><span dir="auto">${title}</span>: ${from} <span aria-hidden="true">→</span><span class="visually-hidden">to</span> ${to}</h1>
  ${drawCompareChoice({ fullName: full_name, versions, latest: latest_version, from, to })}
  <p class="notice without-script">These two versions are compared by a script. Without one, read them one by one: ${raw(from)}, ${raw(to)}.</p>
</div>
<div data-compare="${full_name}" data-from="${from}" data-to="${to}"><p class="quiet needs-script" role="status">Comparing …</p></div>`
}
