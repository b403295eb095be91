// The sample responses of the API reference, shortened.

import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { CatalogueEntry } from '../../catalogue/entry.ts'
import { PublishAnswer } from '../../catalogue/published/route-schemas.ts'
import { listEnvelope } from '../../domain/api/envelope.ts'
import type { ReadId } from '../../domain/api/routes.ts'
import type { Dependent, LabelledPrompt } from '../../domain/api/schema.ts'
import { digestManifest } from '../../domain/catalogue/repository-records.ts'
import { measure } from '../../files/measure.ts'
import { versionPage } from '../../site/links.ts'

/** Longer strings are truncated with an ellipsis. */
const MAX_CHARACTERS = 90
/** Maximum number of items shown in a list. */
const MAX_ITEMS = 2

/**
 * Returns the sample response of a route.
 *
 * @param entry the prompt used in the examples, which has one version
 * @returns undefined for OpenAPI, whose response is a separate document, and for activity
 */
export function sampleAnswer(
  id: ReadId,
  { listed, tags, users }: Catalogue,
  entry: CatalogueEntry,
): string | undefined {
  const { repository, versions } = entry
  const onOnePage = <Item>(items: Item[]) => listEnvelope(items, { page: 1, size: items.length, total: items.length })
  switch (id) {
    case 'listRepositories':
      return shorten(listEnvelope(listed.top.slice(0, 1), { page: 1, size: 20, total: listed.top.length }))
    case 'getRepository':
      return shorten({ data: repository })
    case 'listVersions':
      return shorten(onOnePage(versions.map(({ summary }) => summary)))
    case 'getVersion':
      return shorten({ data: versions[0]!.record })
    case 'getRaw':
      return (repository.content ?? '').split('\n', 4).join('\n')
    case 'listDependents':
      return shorten(onOnePage([sampleDependent(entry)]))
    case 'listTags':
      return shorten(onOnePage([...tags]))
    case 'getUser':
      return shorten({ data: users.get(repository.owner) })
    case 'listLabelled':
      return shorten(onOnePage([sampleLabelled(entry)]))
    case 'getOpenapi':
      return undefined
  }
}

function sampleDependent({ repository, versions }: CatalogueEntry): Dependent {
  const { title, full_name, url, html_url } = repository
  const { version } = versions[0]!.record
  return { full_name, title, version, includes: [{ range: '^1.0.0', version: '1.0.0' }], url, html_url }
}

function sampleLabelled({ versions }: CatalogueEntry): LabelledPrompt {
  const { name, full_name, version, content_sha256, url, raw_url } = versions[0]!.record
  return { name, full_name, version, content_sha256, url, raw_url }
}

/** Returns the response to the publishing example. */
export function samplePublishAnswer({ baseUrl }: Catalogue, entry: CatalogueEntry): string {
  const { record } = entry.versions[0]!
  const data = PublishAnswer.parse({
    ...record,
    html_url: baseUrl + versionPage(record.full_name, record.version),
    unchanged: false,
    breaking: false,
    manifest_sha256: digestManifest(record, measure),
    commit: { sha: '3f786850e387550fdab836ed7e6dc881de23001b', url: null },
    warnings: [],
  })
  return shorten({ data })
}

function shorten(answer: object): string {
  const cut = (_: string, value: unknown) => {
    if (typeof value === 'string' && value.length > MAX_CHARACTERS) return `${value.slice(0, MAX_CHARACTERS)}…`
    return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : value
  }
  return JSON.stringify(answer, cut, 2)
}
