// Owns how the site is built: plain static pages, with everything else added by our integration.
import { defineConfig } from 'astro/config'
import { promptHub } from './src/site/build/integration.ts'

export default defineConfig({
  publicDir: './src/public',
  build: { assets: 'assets', inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 } },
  // Highlighting writes inline styles, which the Content-Security-Policy refuses.
  markdown: { syntaxHighlight: false },
  integrations: [promptHub()],
  server: { port: Number(process.env.PORT || 8888) },
  devToolbar: { enabled: false },
})
