// `/{owner}/{name}/feed.xml`: the versions, label moves, yanks, status changes and test results of a prompt.
import type { APIRoute } from 'astro'
import { respondWithFeed } from '../../../site/feeds.ts'
import { repositoryPage } from '../../../site/links.ts'

export const GET: APIRoute = async ({ params: { owner = '', name = '' }, locals }) => {
  const { hub } = locals
  const repository = await hub!.findRepository(owner, name)
  if (!repository) return new Response(null, { status: 404 })
  const { full_name, title } = repository
  const { activities = [] } = (await hub!.findActivity(owner, name)) ?? {}
  const changes = activities.filter(({ type }) => type !== 'published' && type !== 'changed')
  return respondWithFeed(locals, { path: repositoryPage(full_name), title, prompts: [repository], changes })
}
