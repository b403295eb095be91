// What the code of the pages exports: one function that renders a page.
import { createApp } from 'astro/app/entrypoint'
import type { RenderPage } from '../../ports/pages.ts'

const app = createApp()

/** Renders the page at an address. No file is fetched for what is not there: the handler answers that. */
export const render: RenderPage = (path, locals) =>
  app.render(new Request(new URL(path, 'http://localhost')), {
    locals,
    prerenderedErrorPageFetch: async () => new Response(null, { status: 404 }),
  })
