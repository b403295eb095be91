// The process that bundles the pages for the Node server (host/pages-bundle.ts): `node bundle.ts ROOT TARGET`.
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'astro'
import { ASTRO_OPTIONS } from './astro-options.ts'

const [root = '', target = ''] = process.argv.slice(2)
// The parent process holds the other end of standard input. When it closes, the parent has exited, and nobody needs the bundle any more.
process.stdin.on('end', () => process.exit(1)).resume()

// The output folder is in `.astro`, because Astro renames files from there into it, which does not work across disks.
mkdirSync(join(root, '.astro'), { recursive: true })
const scratchDir = mkdtempSync(join(root, '.astro', 'pages-'))
try {
  const [outDir, cacheDir] = [join(scratchDir, 'out'), join(scratchDir, 'cache')]
  await build({
    ...ASTRO_OPTIONS,
    ...{ root, configFile: false, logLevel: 'warn', outDir },
    // By default, both caches are in `node_modules`, which may be read-only.
    ...{ cacheDir, vite: { ...ASTRO_OPTIONS.vite, cacheDir: join(cacheDir, 'vite') } },
  })
  cpSync(outDir, target, { recursive: true })
} finally {
  await rm(scratchDir, { recursive: true, force: true })
}
process.exit()
