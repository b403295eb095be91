// Tells Astro that the handler in server/pages renders pages on request, and adds the remaining static files.
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'
import { readConfig } from '../../config.ts'
import { formatHeadersFile } from '../../domain/api/site-headers.ts'
import { readHubLook } from '../../stores/content/site-settings-file.ts'
import { writeFiles } from '../../stores/content/write-files.ts'
import { listDownloads } from './downloads.ts'

/** Returns the adapter. @see https://docs.astro.build/en/reference/adapter-reference/ */
export function pagesAdapter(): AstroIntegration {
  let root = ''
  return {
    name: 'prompt-hub-pages',
    hooks: {
      'astro:config:setup': ({ command, updateConfig }) => {
        // The look is built into the page code, because some pages are rendered where there is no content folder.
        const look = JSON.stringify(readHubLook(readConfig(process.env).contentDir))
        updateConfig({ vite: { define: { 'import.meta.env.HUB_LOOK': look } } })
        // All packages are bundled so that the page code runs in any folder.
        if (command === 'build') updateConfig({ vite: { ssr: { noExternal: true } } })
      },
      // Docs pages are prerendered, because they do not depend on the content and static hosts serve them too.
      'astro:route:setup': ({ route }) => {
        if (route.component.startsWith('src/pages/docs/')) route.prerender = true
      },
      'astro:build:done': async ({ dir }) => {
        const { baseUrl } = readConfig(process.env)
        writeFiles(fileURLToPath(dir), [['/_headers', formatHeadersFile()], ...(await listDownloads(root, baseUrl))])
      },
      'astro:config:done': ({ config, setAdapter }) => {
        root = fileURLToPath(config.root)
        setAdapter({
          name: 'prompt-hub-pages',
          entrypointResolution: 'auto',
          serverEntrypoint: new URL('./pages-entry.ts', import.meta.url),
          adapterFeatures: { buildOutput: 'server' },
          supportedAstroFeatures: { serverOutput: 'stable', hybridOutput: 'stable', staticOutput: 'stable' },
        })
      },
    },
  }
}
