// `/badges/{owner}/{name}.png`: the preview image for links to a prompt.
import type { APIRoute } from 'astro'
import { drawSocialCard } from '../../../../packages/card/social-card.ts'

export const GET: APIRoute = async ({ params: { owner = '', name = '' }, locals: { hub } }) => {
  const repository = await hub!.findRepository(owner, name)
  if (!repository) return new Response(null, { status: 404 })
  return new Response(drawSocialCard(repository), { headers: { 'Content-Type': 'image/png' } })
}
