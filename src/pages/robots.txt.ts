// `/robots.txt`: allows crawlers everywhere, and gives the URL of the sitemap.
import type { APIRoute } from 'astro'

export const GET: APIRoute = ({ locals: { profile } }) =>
  new Response(`User-agent: *\nAllow: /\nSitemap: ${profile.baseUrl}/sitemap.xml\n`)
