// Owns picking fields of a record by name: a field that is added to the record later stays out until it is named.

/** The named part of a record. */
export function pick<Whole extends object, Key extends keyof Whole>(
  whole: Whole,
  keys: readonly Key[],
): Pick<Whole, Key> {
  const part: Partial<Pick<Whole, Key>> = {}
  for (const key of keys) part[key] = whole[key]
  return part as Pick<Whole, Key>
}
