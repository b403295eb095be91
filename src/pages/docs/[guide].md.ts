// `/docs/{guide}.md`: a guide as Markdown, for agents and for people who copy it into a model's context.
import type { APIRoute } from 'astro'
import { nameModels } from '../../site/docs/example-models.ts'
import { readGuide } from '../../site/docs/guide-texts.ts'
import { GUIDE_PATHS } from '../../site/docs/guides.ts'
import { fillOwn } from '../../site/docs/own-values.ts'
import { writeAsMarkdown } from '../../site/docs/page-markdown.ts'

export const GET: APIRoute = async ({ params: { guide = '' }, locals: { profile }, rewrite }) => {
  const path = `/docs/${guide}`
  if (!GUIDE_PATHS.includes(path)) return new Response(null, { status: 404 })
  const text = await readGuide(path)
  const markdown =
    text === undefined ? writeAsMarkdown(await (await rewrite(path)).text()) : fillOwn(nameModels(text), profile)
  return new Response(markdown, { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } })
}
