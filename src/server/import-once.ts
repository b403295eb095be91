// Imports code on first use. Even for a loaded module, `import()` takes about 30 µs, which is a third of a read.

/** Returns a function that imports a module at its first call. */
export function importOnce<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  return () => loaded ?? load().then((module) => (loaded = module))
}
