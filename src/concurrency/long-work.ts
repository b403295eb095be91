// Work that takes long for the largest permitted text. On the Node server, it runs in a thread, which imports the function from its module; elsewhere, it is a call.

/** A function whose arguments and result can be cloned, because they are sent to another thread. It may throw HubError. */
type LongWork = (...given: never[]) => unknown

/** Where a thread finds a function. */
export interface WorkPlace {
  module: string
  name: string
}

const places = new WeakMap<LongWork, WorkPlace>()

/** Lets threads import functions. @param module the `import.meta.url` of the module that exports them */
export function allowInThreads(module: string, functions: Readonly<Record<string, LongWork>>): void {
  for (const [name, work] of Object.entries(functions)) places.set(work, { module, name })
}

/** Returns where threads find a function. @throws Error for a function that `allowInThreads` does not know */
export function placeOf(work: LongWork): WorkPlace {
  const place = places.get(work)
  if (!place) throw new Error(`${work.name} is not allowed in threads`)
  return place
}

/**
 * Calls a function on behalf of one client, where the platform runs long work.
 *
 * @throws what the function throws; HubError `unavailable` if it takes too long or too much such work is waiting
 */
export type RunLong = <Given extends unknown[], Value>(
  work: (...given: Given) => Value | Promise<Value>,
  ...given: Given
) => Promise<Value>

/** Calls the function: on Netlify, where each request has a process of its own, and in tests. */
export const runInPlace: RunLong = async (work, ...given) => {
  placeOf(work)
  return work(...given)
}
