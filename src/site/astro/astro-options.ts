// How Astro builds and serves the site: for its own commands and for the bundle that our host makes. Only what Astro documents is used.
import type { AstroUserConfig } from 'astro'
import { passthroughImageService } from 'astro/config'
import { pagesAdapter } from './pages-adapter.ts'

/** Everything but the integrations. */
export const ASTRO_OPTIONS = {
  publicDir: './src/public',
  output: 'server',
  adapter: pagesAdapter(),
  build: { assets: 'assets', inlineStylesheets: 'never', serverEntry: 'entry.mjs' },
  vite: { assetsInclude: ['**/letters.bin'], build: { assetsInlineLimit: 0 } },
  // Without them Astro adds a store for sessions and an image library to the code of the pages.
  session: false,
  image: { service: passthroughImageService() },
  // Highlighting writes inline styles, which the Content-Security-Policy refuses.
  markdown: { syntaxHighlight: false },
  devToolbar: { enabled: false },
} as const satisfies AstroUserConfig
