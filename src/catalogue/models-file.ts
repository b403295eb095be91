// Parses and formats `models.yml`, which lists the models whose providers have announced when they retire.
import * as z from 'zod'
import { ModelStatus } from '../domain/api/schema.ts'
import type { Models } from '../domain/content/models.ts'
import { LIMITS } from '../domain/limits.ts'
import { compareText } from '../domain/text/plain-text.ts'
import { printable } from '../domain/text/printable.ts'
import { type Parsed, parseWithSchema } from '../domain/text/problems.ts'
import { formatYaml, openKeyLines, parseYaml } from '../domain/text/yaml.ts'
import { WebAddress } from '../domain/values/values.ts'

const { model, retires_at, replaced_by } = ModelStatus.shape

/** A model in `models.yml`. docs/content.md. */
const ModelEntry = z.strictObject({
  id: model,
  retires_at,
  replaced_by: replaced_by.default(null),
  source: WebAddress.nullable().default(null).describe('The page on which the provider announces it, or null.'),
})
const ModelsFile = z.strictObject({
  models: z
    .array(ModelEntry)
    .max(LIMITS.retiringModels, `expected at most ${LIMITS.retiringModels} models`)
    .describe('The models, in any order.'),
})

/** Parses `models.yml`. Each problem names its line. */
export function parseModelsFile(text: string): Parsed<Models> {
  const yaml = parseYaml(text, 1)
  if (yaml.problems) return yaml
  const { value, problems = [] } = parseWithSchema(ModelsFile, yaml.value)
  const models = new Map<string, ModelStatus>()
  for (const [index, { id, ...status }] of (value?.models ?? []).entries()) {
    if (models.has(id)) problems.push({ key: `models.${index}.id`, message: `${printable(id)} is listed twice` })
    models.set(id, { model: id, ...status })
  }
  if (problems.length === 0) return { value: models }
  const lineOf = openKeyLines(text, 1)
  return {
    problems: problems.map(({ key, message }) => ({ key, message: `line ${lineOf(key) ?? 1}: ${message}` })),
  }
}

/** Formats `models.yml`: the models that retire first come first. @param comment the lines above the list, which begin with `#` */
export function formatModelsFile(models: Iterable<ModelStatus>, comment: string): string {
  const ordered = [...models].sort((a, b) => compareText(a.retires_at, b.retires_at) || compareText(a.model, b.model))
  const entries = ordered.map(({ model: id, retires_at: at, replaced_by: by, source }) => ({
    id,
    retires_at: at,
    ...(by !== null && { replaced_by: by }),
    ...(source !== null && { source }),
  }))
  return `${comment}${formatYaml({ models: entries })}`
}
