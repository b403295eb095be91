// Owns `/robots.txt`: crawlers may read everything, and are told where the sitemap is.
import { getCatalogue } from '../site/build/loaded-catalogue.ts'

export const GET = () => new Response(`User-agent: *\nAllow: /\nSitemap: ${getCatalogue().baseUrl}/sitemap.xml\n`)
