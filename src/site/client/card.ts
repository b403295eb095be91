// Owns filling in the blank card (repository-card.astro) with a repository that the API answered.
import type { RepositorySummary } from '../../domain/api/schema.ts'
import { formatDay } from '../dates.ts'
import { ownerPage, repositoryPage, tagPage } from '../links.ts'

/** Makes a card. @param template holds the blank card */
export function makeCard(template: HTMLTemplateElement, repository: RepositorySummary): DocumentFragment {
  const card = document.importNode(template.content, true)
  const write = (part: string, text: string) => {
    const element = card.querySelector<HTMLElement>(`[data-part="${part}"]`)
    if (element) element.textContent = text
    return element
  }
  write('title', repository.title)?.setAttribute('href', repositoryPage(repository.full_name))
  write('owner', repository.owner)?.setAttribute('href', ownerPage(repository.owner))
  write('name', repository.name)
  write('description', repository.description)
  write('tags', '')?.append(...repository.tags.map(makeTag))
  write('version', repository.latest_version ?? '')
  write('updated', formatDay(repository.updated_at))?.setAttribute('datetime', repository.updated_at)
  write('status', repository.status)?.toggleAttribute('hidden', repository.status === 'active')
  return card
}

function makeTag(tag: string): HTMLLIElement {
  const place = document.createElement('li')
  const link = document.createElement('a')
  link.href = tagPage(tag)
  link.textContent = tag
  place.append(link)
  return place
}
