// `/{owner}/feed.xml`: new versions of an owner's prompts, and the results of their tests.

import type { APIRoute } from 'astro'
import { respondWithFeed } from '../../site/feeds.ts'

export const GET: APIRoute = async ({ params: { owner = '' }, locals }) => {
  const user = await locals.hub!.findOwner(owner)
  if (!user) return new Response(null, { status: 404 })
  const { handle, name, repos } = user
  const { look } = locals.profile
  return respondWithFeed(locals, {
    path: `/${handle}`,
    title: `${name ?? handle} on ${look.name}`,
    prompts: repos,
    hasResults: true,
  })
}
