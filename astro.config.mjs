// How Astro bundles the pages and serves them in development; `npm run build` adds the data (scripts/build.ts).
import { defineConfig } from 'astro/config'
import { ASTRO_OPTIONS } from './src/hosts/astro/astro-options.ts'
import { devServer } from './src/hosts/astro/dev-server.ts'

export default defineConfig({
  ...ASTRO_OPTIONS,
  integrations: [devServer()],
})
