// `/badges/{owner}/{name}.png`: the preview image of a prompt, where the host can draw it.
import type { APIRoute } from 'astro'
import { describeCard } from '../../../site/prompt/card.ts'
import { DRAWN_CHARACTERS } from '../../../site/prompt/silhouette.ts'
import { listTicks } from '../../../site/prompt/version-tape.ts'

export const GET: APIRoute = async ({ params: { owner = '', name = '' }, locals: { hub, profile, drawCard } }) => {
  const [repository, versions = [], breaking] = await Promise.all([
    hub!.findRepository(owner, name),
    hub!.findVersions(owner, name),
    hub!.listBreaking(owner, name),
  ])
  if (!repository || !drawCard) return new Response(null, { status: 404 })
  const { title, description, latest_version, labels, content, skill } = repository
  const ticks = listTicks({ versions, labels, breaking: new Set(breaking), changelogs: new Map() })
  const picture = await drawCard(
    describeCard({
      owner,
      name,
      title,
      ticks,
      hubName: profile.look.name,
      description: description || skill?.description || '',
      version: latest_version,
      content: (content ?? '').slice(0, DRAWN_CHARACTERS),
      isSkill: Boolean(skill),
    }),
  )
  return new Response(picture, { headers: { 'Content-Type': 'image/png' } })
}
