// Converts zod schemas to JSON Schema.
import * as z from 'zod'

/** A schema as JSON Schema writes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Writes a schema. As input, because as output zod closes every object, and a client that checks by this would refuse the first field we add
 * (docs/contract.md section 3).
 *
 * @returns draft 2020-12; named schemas stand below `$defs`
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  })
  return rest
}
