// Owns `/sitemap.xml`.
import { getCatalogue } from '../site/build/loaded-catalogue.ts'
import { formatSitemap } from '../site/build/sitemap.ts'

export const GET = () =>
  new Response(formatSitemap(getCatalogue()), { headers: { 'Content-Type': 'application/xml; charset=utf-8' } })
