// `/badges/{owner}/{name}.svg`: the badge for a prompt.
import type { APIRoute } from 'astro'
import { drawBadge } from '../../../site/card/badge.ts'

export const GET: APIRoute = async ({ params: { owner = '', name = '' }, locals: { hub } }) => {
  const repository = await hub!.findRepository(owner, name)
  if (!repository) return new Response(null, { status: 404 })
  return new Response(drawBadge(repository.full_name, repository.latest_version), {
    headers: { 'Content-Type': 'image/svg+xml' },
  })
}
