// Fills in a single variable, for pages that show each value where it belongs. Apart from preview.ts, so that the scripts of prompt pages load no preview.
import type { Variable } from '../../domain/api/schema.ts'
import { fillContent } from '../../domain/content/filling.ts'

/** A variable with the fields that filling it needs. */
export type FillingRule = Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>

/** Fills in a single variable, so that one invalid value does not prevent the others from being filled in. */
export function fillOne(rule: FillingRule, value: unknown) {
  const values = value === undefined || value === null ? {} : { [rule.name]: value }
  return fillContent({ content: `{{${rule.name}}}`, variables: [rule] }, values, 'lenient')
}
