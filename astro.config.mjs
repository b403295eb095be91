// How Astro builds and serves the site; what the build writes beside pages and what the dev server adds are integrations of ours.
import { defineConfig } from 'astro/config'
import { readConfig } from './src/config.ts'
import { ASTRO_OPTIONS } from './src/site/astro/astro-options.ts'
import { promptHub } from './src/site/build/integration.ts'
import { devServer } from './src/site/astro/dev-server.ts'

export default defineConfig({
  ...ASTRO_OPTIONS,
  integrations: [promptHub(), devServer()],
  server: { port: readConfig(process.env).port },
})
