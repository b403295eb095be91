// The entry point of the page code: exports a function that renders a page.
import { createApp } from 'astro/app/entrypoint'
import type { RenderPage } from '../../ports/pages.ts'

// The handler needs the whole page for its ETag, and rendering it in one piece takes a fifth less processor time.
const app = createApp({ streaming: false })

/** Renders the page at a URL. It does not load an error page, because the handler does that. */
export const render: RenderPage = (path, locals) =>
  app.render(new Request(new URL(path, 'http://localhost')), {
    locals,
    prerenderedErrorPageFetch: async () => new Response(null, { status: 404 }),
  })
