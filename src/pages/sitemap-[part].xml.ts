// Owns the parts of a sitemap that does not fit in one file; usually there are none.
import type { APIRoute } from 'astro'
import { getCatalogue } from '../site/build/loaded-catalogue.ts'
import { countSitemapParts, formatSitemapPart } from '../site/build/sitemap.ts'

export const getStaticPaths = () =>
  Array.from({ length: countSitemapParts(getCatalogue()) }, (_, index) => ({ params: { part: String(index + 1) } }))

export const GET: APIRoute = ({ params }) =>
  new Response(formatSitemapPart(getCatalogue(), Number(params.part)), {
    headers: { 'Content-Type': 'application/xml; charset=utf-8' },
  })
