// `/tags/{tag}/feed.xml`: new versions of prompts with a tag.

import type { APIRoute } from 'astro'
import { respondWithFeed } from '../../../site/feeds.ts'
import { LOOK } from '../../../site/hub-look.ts'
import { tagPage } from '../../../site/links.ts'

export const GET: APIRoute = async ({ params: { tag = '' }, locals: { hub } }) => {
  const prompts = await hub!.listRecent(tag)
  if (!prompts) return new Response(null, { status: 404 })
  return respondWithFeed(hub!, { path: tagPage(tag), title: `Tag ${tag} on ${LOOK.name}`, prompts })
}
