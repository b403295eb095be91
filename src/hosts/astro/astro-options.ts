// Defines the Astro options for the site, shared by Astro's commands and the Node server's bundle. Uses only Astro's documented API.
import type { AstroUserConfig } from 'astro'
import { passthroughImageService } from 'astro/config'
import { pagesAdapter } from './pages-adapter.ts'

/** All options except the integrations. */
export const ASTRO_OPTIONS = {
  publicDir: './src/public',
  output: 'server',
  adapter: pagesAdapter(),
  build: { assets: 'assets', inlineStylesheets: 'never', serverEntry: 'entry.mjs' },
  vite: {
    build: { assetsInlineLimit: 0 },
    environments: {
      client: {
        build: {
          // One file is smaller than several that each page loads.
          rolldownOptions: {
            output: {
              codeSplitting: { groups: [{ name: 'shared', test: /site\/client\/(copy|links|relative|session)\.ts$/ }] },
            },
          },
        },
      },
    },
  },
  // By default, Astro adds a session store and an image library to the page code.
  session: false,
  image: { service: passthroughImageService() },
  // Syntax highlighting writes inline styles, which the Content-Security-Policy blocks.
  markdown: { syntaxHighlight: false },
  devToolbar: { enabled: false },
} as const satisfies AstroUserConfig
