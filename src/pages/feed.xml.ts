// `/feed.xml`: new versions of all prompts.

import type { APIRoute } from 'astro'
import { respondWithFeed } from '../site/feeds.ts'
import { LOOK } from '../site/hub-look.ts'

export const GET: APIRoute = async ({ locals: { hub } }) =>
  respondWithFeed(hub!, { path: '/', title: LOOK.name, prompts: (await hub!.listRecent()) ?? [] })
