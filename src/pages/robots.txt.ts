// `/robots.txt`: crawlers may read everything, and are told where the sitemap is.
import { readConfig } from '../config.ts'

export const prerender = true

export const GET = () =>
  new Response(`User-agent: *\nAllow: /\nSitemap: ${readConfig(process.env).baseUrl}/sitemap.xml\n`)
