// Imports a module when it is first needed, and keeps it.

/** Caches an import, because even for a loaded module, `import()` takes about 30 µs, which is a third of a read. */
export function importOnce<Module>(load: () => Promise<Module>): () => Module | Promise<Module> {
  let loaded: Module | undefined
  return () => loaded ?? load().then((module) => (loaded = module))
}
