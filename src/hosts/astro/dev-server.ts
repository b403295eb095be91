// Extends Astro's dev server for `npm run dev`: it renders the pages from their current code, and forwards every other request to the running hub.
import type { AstroIntegration } from 'astro'
import { readConfig } from '../../config.ts'

/** Static files of the hub: data, downloads, the sitemap, and its own look. */
const HUB_FILES = /^\/(?:data|cli|clients|sitemap|assets\/hub)[/.-]/

/** Returns the integration, which does nothing during a build. */
export function devServer(): AstroIntegration {
  return {
    name: 'prompt-hub-dev',
    hooks: {
      'astro:config:setup': async ({ command, addMiddleware, updateConfig }) => {
        if (command !== 'dev') return
        addMiddleware({ order: 'pre', entrypoint: new URL('./dev-middleware.ts', import.meta.url) })
        // Imported here, because builds and checks read this configuration, too.
        const { router } = (await import('../../hub/hub-app.ts')).createHubApp()
        const isHubs = (method: string, url: string) => {
          const { pathname } = new URL(url, 'http://localhost')
          if (HUB_FILES.test(pathname)) return true
          // The pages' own route matches everything.
          const matched = router.match(method, pathname.replace(/(?<=.)\/$/, ''))[0]
          return matched.length > 1 && !/^\/(?:docs|tags)\/settings/.test(pathname)
        }
        const hub = {
          target: `http://localhost:${readConfig(process.env).port}`,
          // Returning a path leaves a request to Astro. https://vite.dev/config/server-options#server-proxy
          bypass: ({ method = 'GET', url = '/' }) => (isHubs(method, url) ? undefined : url),
        }
        updateConfig({ vite: { server: { proxy: { '^/': hub } } } })
      },
    },
  }
}
