// `/feed.xml`: new versions of all prompts.

import type { APIRoute } from 'astro'
import { respondWithFeed } from '../site/feeds.ts'

export const GET: APIRoute = async ({ locals }) => {
  const { hub, profile } = locals
  return respondWithFeed(locals, { path: '/', title: profile.look.name, prompts: (await hub!.listRecent()) ?? [] })
}
