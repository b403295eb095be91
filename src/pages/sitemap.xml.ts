// Owns `/sitemap.xml`: the addresses that search engines are told of, or, when one file cannot hold them, where its parts are.
import { getCatalogue } from '../site/build/loaded-catalogue.ts'
import { formatSitemap } from '../site/build/sitemap.ts'

export const GET = () =>
  new Response(formatSitemap(getCatalogue()), { headers: { 'Content-Type': 'application/xml; charset=utf-8' } })
