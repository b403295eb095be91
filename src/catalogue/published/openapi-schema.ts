// Converts a schema to OpenAPI: named records become components, and keywords that code generators misread are removed.
import type * as z from 'zod'
import { toJsonSchema } from '../../domain/api/json-schema.ts'

type Json = Record<string, unknown>

/** Schemas by name, collected during conversion. */
export type Components = Record<string, unknown>

/** A converted schema, and the named schemas that it references. */
interface Converted {
  schema: Json
  named: Components
}

/** Every build describes the API, with the same schemas. */
const conversions = new WeakMap<z.ZodType, Converted>()

/**
 * Converts a schema to OpenAPI.
 *
 * @param components receives named schemas, which are then referenced
 */
export function toSchema(schema: z.ZodType, components: Components): Json {
  const { schema: json, named } = conversions.get(schema) ?? convert(schema)
  Object.assign(components, named)
  return json
}

function convert(schema: z.ZodType): Converted {
  const { $defs, ...json } = toJsonSchema(schema) as Json & { $defs?: Record<string, Json> }
  const named: Components = {}
  for (const [name, { id: _id, ...definition }] of Object.entries($defs ?? {})) named[name] = tidy(definition)
  const { id: _id, ...rest } = json
  const converted = { schema: tidy(rest) as Json, named }
  conversions.set(schema, converted)
  return converted
}

/** Moves defaults into descriptions: code generators assume that a field with `default` is always present, and reject a request without it. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const { default: usual, ...rest } = value as Json
  const isSaid = usual !== undefined && typeof usual !== 'object'
  const sentence = `${rest.description ?? ''} ${JSON.stringify(usual)} by default.`.trim()
  const said = isSaid ? { ...rest, description: sentence } : rest
  return Object.fromEntries(Object.entries(said).map(([key, child]) => [key, tidyUnder(key, child)]))
}

function tidyUnder(key: string, child: unknown): unknown {
  if (key === '$ref' && typeof child === 'string') return child.replace('#/$defs/', '#/components/schemas/')
  // These are property names, not keywords: one of our fields is called `default`.
  if (key === 'properties' && typeof child === 'object' && child !== null)
    return Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, tidy(schema)]))
  return tidy(child)
}
