// Owns what the head of a prompt's page says: to search engines, to those who share it, and to machines.
import type { VersionRecord } from '../../domain/api/schema.ts'
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { findLicensePage, ownerPage, repositoryPage, versionPage } from '../links.ts'
import type { PageHead } from '../page-head.ts'
import type { Around } from './around.ts'
import { getCatalogue } from './loaded-catalogue.ts'

/** The page of a prompt in one of its versions. */
export interface PromptPage {
  entry: CatalogueEntry
  /** The version that is shown; undefined when none is active. */
  record: VersionRecord | undefined
  /** Whether this is the repository's own page, not that of one version. */
  isMain: boolean
  around: Around
}

/** Describes the page. */
export function describePromptPage({ entry, record, isMain }: PromptPage): PageHead {
  const { repository, isListed } = entry
  const { owner, full_name, title, description, latest_version, tags, license, created_at, updated_at } = repository
  const baseUrl = getCatalogue().baseUrl
  const path = isMain || record === undefined ? repositoryPage(full_name) : versionPage(full_name, record.version)
  const canonical = record && record.version === latest_version ? repositoryPage(full_name) : path
  const isYanked = entry.versions.some(({ summary }) => summary.version === record?.version && summary.yanked)
  return {
    title: isMain ? `${title} · ${full_name}` : `${title} ${record?.version} · ${full_name}`,
    description: description || `${title}, a prompt by ${owner}.`,
    path,
    canonical,
    isListed: isListed && !isYanked,
    feed: `/${full_name}/feed.xml`,
    picture: `/badges/${full_name}.png`,
    facts: {
      '@context': 'https://schema.org',
      '@type': 'CreativeWork',
      name: title,
      description,
      url: baseUrl + canonical,
      version: record?.version,
      author: { '@type': 'Organization', name: owner, url: baseUrl + ownerPage(owner) },
      dateCreated: created_at,
      dateModified: updated_at,
      keywords: tags.join(', '),
      license: findLicensePage(license),
    },
  }
}
