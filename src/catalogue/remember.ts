// Makes values when they are first used, and remembers them.

/**
 * Makes an object whose fields are made when they are first read.
 *
 * @param makers functions that make the fields from the other fields
 */
export function lazily<Whole extends object>(makers: { [Key in keyof Whole]: (whole: Whole) => Whole[Key] }): Whole {
  const whole = {} as Whole
  for (const key of Object.keys(makers) as (keyof Whole)[]) {
    const get = () => {
      const value = makers[key](whole)
      Object.defineProperty(whole, key, { value, enumerable: true })
      return value
    }
    Object.defineProperty(whole, key, { get, enumerable: true, configurable: true })
  }
  return whole
}

/** Returns a function that makes a value for each object only once. The value is forgotten with the object. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { value: Value }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}
