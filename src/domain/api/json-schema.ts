// Converts zod schemas to JSON Schema.
import * as z from 'zod'

/** A JSON Schema. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Converts a schema, in input mode: in output mode zod closes every object, and a client that validates with it would reject the first field we add (docs/contract.md section 3).
 *
 * @returns draft 2020-12; named schemas are in `$defs`
 */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  })
  return rest
}
