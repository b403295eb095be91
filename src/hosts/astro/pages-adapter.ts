// Tells Astro that the handler in server/pages renders pages on request, and adds the file with the headers of static files.
import { writeFileSync } from 'node:fs'
import type { AstroIntegration } from 'astro'
import { formatHeadersFile } from '../../domain/api/site-headers.ts'

/** Returns the adapter. @see https://docs.astro.build/en/reference/adapter-reference/ */
export function pagesAdapter(): AstroIntegration {
  return {
    name: 'prompt-hub-pages',
    hooks: {
      'astro:config:setup': ({ command, updateConfig }) => {
        // All packages are bundled so that the page code runs in any folder.
        if (command === 'build') updateConfig({ vite: { ssr: { noExternal: true } } })
      },
      'astro:build:done': ({ dir }) => {
        writeFileSync(new URL('_headers', dir), formatHeadersFile())
      },
      'astro:config:done': ({ setAdapter }) => {
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
