// Owns how Astro builds the site, for its own commands and for the builder of our host alike: plain static pages.
import type { AstroUserConfig } from 'astro'

/** Everything but the integration. */
export const ASTRO_OPTIONS = {
  publicDir: './src/public',
  build: { assets: 'assets', inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 } },
  // Highlighting writes inline styles, which the Content-Security-Policy refuses.
  markdown: { syntaxHighlight: false },
  devToolbar: { enabled: false },
} as const satisfies AstroUserConfig
