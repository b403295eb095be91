// `/robots.txt`: allows crawlers everywhere, and gives the URL of the sitemap.
import { thisHub } from '../site/docs/this-hub.ts'

export const prerender = true

export const GET = () => new Response(`User-agent: *\nAllow: /\nSitemap: ${thisHub().baseUrl}/sitemap.xml\n`)
