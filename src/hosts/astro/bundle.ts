// Bundles the pages for the Node server in a separate process, which src/hosts/node/builds/pages-bundle.ts starts: `node bundle.ts ROOT TARGET`.
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'astro'
import { ASTRO_OPTIONS } from './astro-options.ts'

const [root = '', target = ''] = process.argv.slice(2)
// Standard input is a pipe from the parent process. When it closes, the parent has exited and the bundle is no longer needed.
process.stdin.on('end', () => process.exit(1)).resume()

// Astro renames files from `.astro` into the output folder, which fails across file systems, so the output folder is in `.astro` too.
mkdirSync(join(root, '.astro'), { recursive: true })
const scratchDir = mkdtempSync(join(root, '.astro', 'pages-'))
try {
  const [outDir, cacheDir] = [join(scratchDir, 'out'), join(scratchDir, 'cache')]
  await build({
    ...ASTRO_OPTIONS,
    root,
    configFile: false,
    logLevel: 'warn',
    outDir,
    // By default, both caches are in `node_modules`, which may be read-only.
    cacheDir,
    vite: { ...ASTRO_OPTIONS.vite, cacheDir: join(cacheDir, 'vite') },
  })
  cpSync(outDir, target, { recursive: true })
} finally {
  await rm(scratchDir, { recursive: true, force: true })
}
process.exit()
