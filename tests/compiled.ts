// Where programs find modules that earlier runs have compiled, for tests that start them without this process's environment.

/** The environment variables with these places, from vitest.config.ts. */
export const COMPILED: Readonly<Record<string, string>> = Object.fromEntries(
  ['NODE_COMPILE_CACHE', 'PYTHONPYCACHEPREFIX'].flatMap((name) => {
    const place = process.env[name]
    return place ? [[name, place]] : []
  }),
)
