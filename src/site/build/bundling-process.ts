// Owns the process that bundles the pages. It is one of its own because Astro and its bundler hold a gigabyte, which is free again when it ends.
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AstroIntegration, build } from 'astro'
import { ASTRO_OPTIONS } from './astro-options.ts'
import { BESIDE_DIR, SERVER_DIR } from './bundle-pages.ts'

const [root = '', target = ''] = process.argv.slice(2)
// The process that wants the bundle holds the other end. When that closes, the process is gone, and nobody needs the bundle any more.
process.stdin.on('end', () => process.exit(1)).resume()

/** Where Astro puts the code of the pages while it builds; it is removed at the end. */
const CODE_DIR = '.prerender'

// The folder to build into lies in `.astro`, because Astro renames files from there into it, which does not work from one disk to another.
mkdirSync(join(root, '.astro'), { recursive: true })
const scratchDir = mkdtempSync(join(root, '.astro', 'pages-'))
try {
  await bundle()
} finally {
  await rm(scratchDir, { recursive: true, force: true })
}
process.exit()

async function bundle(): Promise<void> {
  const [outDir, cacheDir] = [join(scratchDir, 'out'), join(scratchDir, 'cache')]
  await build({
    ...ASTRO_OPTIONS,
    ...{ root, configFile: false, logLevel: 'warn', outDir, integrations: [renderNothing(join(target, SERVER_DIR))] },
    // By default both caches lie in `node_modules`, which may be a folder that cannot be written to.
    ...{ cacheDir, vite: { ...ASTRO_OPTIONS.vite, cacheDir: join(cacheDir, 'vite') } },
  })
  cpSync(outDir, join(target, BESIDE_DIR), { recursive: true })
}

/** Leaves rendering to whoever loads the bundle. @param dir where the code of the pages is put */
function renderNothing(dir: string): AstroIntegration {
  let outDir: URL
  return {
    name: 'prompt-hub-pages',
    hooks: {
      'astro:config:done': ({ config }) => {
        outDir = config.outDir
      },
      'astro:build:start': ({ setPrerenderer }) =>
        setPrerenderer({
          name: 'prompt-hub',
          setup: async () => cpSync(fileURLToPath(new URL(`${CODE_DIR}/`, outDir)), dir, { recursive: true }),
          getStaticPaths: async () => [],
          render: () => Promise.reject(new Error('No page is rendered while they are bundled.')),
        }),
    },
  }
}
