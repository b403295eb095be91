// Lists the prompts of the signed-in user's owners on the account page, with their state.

import { DATA_FILES } from '../../src/domain/api/data-paths.ts'
import type { RepositorySummary, User } from '../../src/domain/api/schema.ts'
import { formatCount } from '../../src/domain/text/count-of.ts'
import { formatDay } from '../../src/domain/text/days.ts'
import { parseBuilt, type SiteFiles } from '../../src/ports/site-files.ts'
import { type UnlistedPrompt, unlistedPath } from '../catalogue/unlisted.ts'
import { type Html, html } from './html.ts'

/** Maximum number of owners whose prompts are read. */
const MAX_OWNERS = 20
/** Maximum number of prompts shown of each owner; the search page lists them all. */
const MAX_SHOWN = 50

/** An owner's prompts. */
export interface OwnPrompts {
  owner: string
  /** The first prompts, most recently updated first; then those that appear in no list. */
  prompts: readonly (RepositorySummary & Partial<Pick<UnlistedPrompt, 'moved_to'>>)[]
  /** The number of all listed prompts. */
  listed: number
}

/** Reads the prompts of a user's owners from the latest build. Owners without prompts are omitted. */
export async function readOwnPrompts(
  siteFiles: Pick<SiteFiles, 'read'>,
  owners: readonly string[],
): Promise<OwnPrompts[]> {
  const read = async <Value>(path: string) => {
    const bytes = await siteFiles.read(path)
    return bytes && parseBuilt<{ data: Value }>(bytes).data
  }
  const found = await Promise.all(
    owners.slice(0, MAX_OWNERS).map(async (owner) => {
      const [user, unlisted = []] = await Promise.all([
        read<User>(DATA_FILES.user(owner)),
        read<UnlistedPrompt[]>(unlistedPath(owner)),
      ])
      const repos = user?.repos ?? []
      const prompts = [...repos.slice(0, MAX_SHOWN), ...unlisted.slice(0, MAX_SHOWN)]
      return { owner, prompts, listed: repos.length }
    }),
  )
  return found.filter(({ prompts }) => prompts.length > 0)
}

/** Renders the lists. */
export function renderOwnPrompts(own: readonly OwnPrompts[]): Html {
  return html`
<section id="prompts" aria-labelledby="prompts-title">
  <div class="bar"><h2 id="prompts-title">Your prompts</h2><a class="button strong" href="/new">New prompt</a></div>
  ${own.length === 0 && html`<p class="quiet">You have no prompts yet.</p>`}
  ${own.map(
    ({ owner, prompts, listed }) => html`
  <h3><a href="/${owner}">${owner}</a></h3>
  <ul class="rows own-prompts">${prompts.map(renderPrompt)}</ul>
  ${listed > MAX_SHOWN && html`<p><a href="/search?owner=${owner}">All ${formatCount(listed)} prompts of ${owner}</a></p>`}`,
  )}
  <p class="quiet">This list is from the latest build of the site.</p>
</section>`
}

function renderPrompt(prompt: OwnPrompts['prompts'][number]): Html {
  const { full_name, title, latest_version, updated_at } = prompt
  const { words, isGood } = stateOf(prompt)
  return html`
<li class="row">
  <div>
    <div class="line"><h4 dir="auto"><a href="/${full_name}">${title}</a></h4> <span class="full-name">${full_name}</span></div>
    <p class="facts"><span class="mark${isGood ? ' good' : ' warns'}">${words}</span>${latest_version !== null && html`<span>v${latest_version}</span>`}<span><time datetime="${updated_at}">${formatDay(updated_at)}</time></span></p>
  </div>
  <p class="actions">${latest_version !== null && html`<a class="button small" href="/${full_name}/edit">Edit<span class="visually-hidden"> ${full_name}</span></a>`}<a class="button small" href="/${full_name}/manage">Manage<span class="visually-hidden"> ${full_name}</span></a></p>
</li>`
}

function stateOf({ status, latest_version, moved_to }: OwnPrompts['prompts'][number]) {
  if (moved_to) return { words: `moved to ${moved_to}`, isGood: false }
  if (status !== 'active') return { words: status, isGood: false }
  if (latest_version === null) return { words: 'all versions yanked', isGood: false }
  return { words: status, isGood: true }
}
