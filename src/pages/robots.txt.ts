// `/robots.txt`: crawlers may read everything, and are told where the sitemap is.
import { thisHub } from '../site/docs/this-hub.ts'

export const prerender = true

export const GET = () => new Response(`User-agent: *\nAllow: /\nSitemap: ${thisHub().baseUrl}/sitemap.xml\n`)
