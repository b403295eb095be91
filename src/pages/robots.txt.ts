// Owns `/robots.txt`: everything may be read, and here is the list of it.
import { getCatalogue } from '../site/build/loaded-catalogue.ts'

export const GET = () => new Response(`User-agent: *\nAllow: /\nSitemap: ${getCatalogue().baseUrl}/sitemap.xml\n`)
