// The entry point of the page code: exports a function that renders a page.
import { createApp } from 'astro/app/entrypoint'
import type { RenderPage } from '../../src/ports/pages.ts'

// The handler needs the whole page to compute its ETag, and rendering without streaming takes 20 % less CPU time.
const app = createApp({ streaming: false })

/** Renders the page at a URL. */
export const render: RenderPage = (path, locals) =>
  app.render(new Request(new URL(path, 'http://localhost')), { locals })

/** The jobs of pages on somebody's text, for Netlify, where they run in place. */
export { PAGE_JOBS as jobs } from '../../src/wiring/text-jobs-pages.ts'
