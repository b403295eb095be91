// `/tags/{tag}/feed.xml`: new versions of prompts with a tag.

import type { APIRoute } from 'astro'
import { respondWithFeed } from '../../../site/feeds.ts'
import { tagPage } from '../../../site/links.ts'

export const GET: APIRoute = async ({ params: { tag = '' }, locals }) => {
  const prompts = await locals.hub!.listRecent(tag)
  if (!prompts) return new Response(null, { status: 404 })
  return respondWithFeed(locals, { path: tagPage(tag), title: `Tag ${tag} on ${locals.profile.look.name}`, prompts })
}
