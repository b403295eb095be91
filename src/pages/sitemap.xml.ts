// Owns `/sitemap.xml`.
import { getCatalogue } from '../site/catalogue.ts'
import { formatSitemap } from '../site/sitemap.ts'

export const GET = () =>
  new Response(formatSitemap(getCatalogue()), { headers: { 'Content-Type': 'application/xml; charset=utf-8' } })
