// `/feed.xml`: everything that was published.
import type { APIRoute } from 'astro'
import { respondWithFeed } from '../site/feeds.ts'

export const GET: APIRoute = async ({ locals: { hub } }) =>
  respondWithFeed(hub!, { path: '/', title: 'Prompt Hub', prompts: (await hub!.listRecent()) ?? [] })
