// Converts Picoschema, the short form of schemas in dotprompt, to JSON Schema. https://google.github.io/dotprompt/reference/picoschema/
import { isObject } from '../../../src/domain/text/json.ts'

type Schema = Record<string, unknown>

const SCALARS = ['string', 'boolean', 'null', 'number', 'integer', 'any']

/** Returns whether dotprompt reads a schema as JSON Schema. */
export function isJsonSchema(schema: unknown): schema is Schema {
  if (!isObject(schema)) return false
  return (
    [...SCALARS, 'object', 'array'].includes(schema.type as string) ||
    (typeof schema.properties === 'object' && schema.properties !== null)
  )
}

/** Converts a schema of dotprompt. @returns undefined if it names a schema that only a program knows, or is none */
export function toJsonSchema(schema: unknown): Schema | undefined {
  if (isJsonSchema(schema)) return schema.type === undefined ? { ...schema, type: 'object' } : schema
  const [type] = splitDescription(schema)
  return type === 'any' ? undefined : readPico(schema)
}

/** Its depth is limited by that of the front matter. */
function readPico(given: unknown): Schema | undefined {
  const [type, description] = splitDescription(given)
  if (type !== undefined) {
    if (!SCALARS.includes(type)) return undefined
    return { ...(type !== 'any' && { type }), ...(description && { description }) }
  }
  if (!isObject(given)) return undefined
  const properties = new Map<string, Schema>()
  const required: string[] = []
  let additionalProperties: Schema | false = false
  for (const [key, value] of Object.entries(given)) {
    if (key === '(*)') {
      const any = readPico(value)
      if (!any) return undefined
      additionalProperties = any
      continue
    }
    const [, name = '', optional, kind, text] = /^([^(]*?)(\?)?(?:\((\w+)(?:, *(.*))?\))?$/s.exec(key) ?? []
    const property = readProperty(kind, value, optional !== undefined)
    if (name === '' || !property) return undefined
    if (optional === undefined) required.push(name)
    properties.set(name, { ...property, ...(text && { description: text }) })
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties,
  }
}

/** Reads `name(kind): value`, or `name: value`. An optional property may be null. */
function readProperty(kind: string | undefined, value: unknown, isOptional: boolean): Schema | undefined {
  if (kind === 'enum') {
    if (!Array.isArray(value)) return undefined
    return { enum: isOptional && !value.includes(null) ? [...value, null] : value }
  }
  const inner = kind === undefined || kind === 'object' || kind === 'array' ? readPico(value) : undefined
  if (!inner) return undefined
  const schema = kind === 'array' ? { type: 'array', items: inner } : inner
  return isOptional && typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : schema
}

function splitDescription(text: unknown): [type?: string, description?: string] {
  if (typeof text !== 'string') return []
  const [, type = text, description] = /^(.*?), *(.*)$/.exec(text) ?? []
  return [type, description]
}
