// Owns how the site is built: plain static pages, with everything else added by our integration.
import { defineConfig } from 'astro/config'
import { readConfig } from './src/config.ts'
import { promptHub } from './src/site/build/integration.ts'

export default defineConfig({
  publicDir: './src/public',
  build: { assets: 'assets', inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 } },
  // Highlighting writes inline styles, which the Content-Security-Policy refuses.
  markdown: { syntaxHighlight: false },
  integrations: [promptHub()],
  server: { port: readConfig(process.env).port },
  devToolbar: { enabled: false },
})
