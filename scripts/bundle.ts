// `npm run prepare`: bundles the pages and compiles the client library for this version of the code, unless they already are. `npm ci` runs it too, and succeeds even if it fails, because `npm start` then bundles the pages itself.

import { bundleFormats } from '../src/build/downloads/bundle-formats.ts'
import { compileLibrary } from '../src/build/downloads/compile-library.ts'
import { bundlePlaceOf, ensureBundle } from '../src/hosts/node/builds/pages-bundle.ts'

try {
  await compileLibrary(process.cwd())
  await bundleFormats(process.cwd())
  await ensureBundle(bundlePlaceOf(process.cwd()))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (process.env.npm_lifecycle_event === 'prepare') console.error('`npm start` and `npm run build` will try again.')
  else process.exitCode = 1
}
