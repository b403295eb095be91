// `/{owner}/feed.xml`: new versions of an owner's prompts.

import type { APIRoute } from 'astro'
import { respondWithFeed } from '../../site/feeds.ts'
import { LOOK } from '../../site/hub-look.ts'

export const GET: APIRoute = async ({ params: { owner = '' }, locals: { hub } }) => {
  const user = await hub!.findOwner(owner)
  if (!user) return new Response(null, { status: 404 })
  const { handle, name, repos } = user
  return respondWithFeed(hub!, { path: `/${handle}`, title: `${name ?? handle} on ${LOOK.name}`, prompts: repos })
}
