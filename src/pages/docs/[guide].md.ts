// `/docs/{guide}.md`: a guide as Markdown, for agents and for people who copy it into a model's context.
import type { APIRoute } from 'astro'
import { nameModels } from '../../site/docs/example-models.ts'
import { readGuide } from '../../site/docs/guide-texts.ts'
import { fillOwn } from '../../site/docs/own-values.ts'

export const GET: APIRoute = async ({ params: { guide = '' }, locals: { profile } }) => {
  const text = await readGuide(`/docs/${guide}`)
  return text === undefined
    ? new Response(null, { status: 404 })
    : new Response(fillOwn(nameModels(text), profile), { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } })
}
