// Owns how the site is built: plain static pages, with everything else added by our integration.
import { defineConfig } from 'astro/config'
import { readConfig } from './src/config.ts'
import { ASTRO_OPTIONS } from './src/site/build/astro-options.ts'
import { promptHub } from './src/site/build/integration.ts'

export default defineConfig({
  ...ASTRO_OPTIONS,
  integrations: [promptHub()],
  server: { port: readConfig(process.env).port },
})
