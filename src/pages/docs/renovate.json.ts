// `/docs/renovate.json`, the preset for Renovate.
import type { APIRoute } from 'astro'
import { describeForRenovate } from '../../site/docs/renovate.ts'

export const GET: APIRoute = ({ locals: { profile } }) =>
  new Response(`${JSON.stringify(describeForRenovate(profile.baseUrl), null, 2)}\n`)
