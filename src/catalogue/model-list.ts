// Reads a provider's list of models, and merges it into the models of `models.yml`.
import * as z from 'zod'
import type { ModelStatus } from '../domain/api/schema.ts'
import type { Models } from '../domain/content/models.ts'

/** The fields that providers' lists have in common; OpenAI's has `shutdown_date`, another hub's `model` and `retires_at`. */
const Listed = z.object({
  id: z.string().optional(),
  model: z.string().optional(),
  shutdown_date: z.string().nullish(),
  retires_at: z.string().nullish(),
  replaced_by: z.string().nullish(),
  source: z.string().nullish(),
})
const List = z.object({ data: z.array(Listed) })

/** A model in a list: its status, or null if the list says that no end is announced. */
type ListedModels = ReadonlyMap<string, ModelStatus | null>

/**
 * Reads a list of models.
 *
 * @param text JSON, `{"data": [{"id", "shutdown_date"}]}`
 * @param source the page that announces the ends, for models without their own
 * @throws Error if it is another file
 */
export function readModelList(text: string, source: string | null): ListedModels {
  const parsed = List.safeParse(parseJson(text))
  if (!parsed.success)
    throw new Error('Expected a list of models as JSON: {"data": [{"id": "…", "shutdown_date": "2026-12-11"}]}.')
  const models = new Map<string, ModelStatus | null>()
  for (const { id, model = id, ...listed } of parsed.data.data) {
    // A list without a key for the date says nothing about it.
    if (model === undefined || (listed.shutdown_date === undefined && listed.retires_at === undefined)) continue
    const retires_at = (listed.shutdown_date ?? listed.retires_at)?.slice(0, 10)
    const status = retires_at && {
      model,
      retires_at,
      replaced_by: listed.replaced_by ?? null,
      source: listed.source ?? source,
    }
    models.set(model, status || null)
  }
  if (models.size === 0) throw new Error('No model in the list has a field shutdown_date or retires_at.')
  return models
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Merges a list into the known models. A model that the list lacks is kept, because providers drop retired models from their lists; one whose end is withdrawn is removed. What the list does not say about a model stays. */
export function mergeModels(known: Models, listed: ListedModels) {
  const models = new Map(known)
  const counts = { added: 0, changed: 0, removed: 0 }
  for (const [id, status] of listed) {
    const before = known.get(id)
    if (!status) {
      if (models.delete(id)) counts.removed++
      continue
    }
    const { replaced_by, source } = status
    const after = {
      ...status,
      replaced_by: replaced_by ?? before?.replaced_by ?? null,
      source: source ?? before?.source ?? null,
    }
    models.set(id, after)
    if (!before) counts.added++
    else if (JSON.stringify(before) !== JSON.stringify(after)) counts.changed++
  }
  return { models, ...counts }
}
