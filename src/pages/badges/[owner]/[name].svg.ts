// `/badges/{owner}/{name}.svg`: the badge for a prompt, with its name and latest version, for readmes.
import type { APIRoute } from 'astro'
import { escapeXml } from '../../../domain/text/html-text.ts'

export const GET: APIRoute = async ({ params: { owner = '', name = '' }, locals: { hub } }) => {
  const repository = await hub!.findRepository(owner, name)
  if (!repository) return new Response(null, { status: 404 })
  const badge = drawBadge(repository.full_name, repository.latest_version)
  return new Response(badge, { headers: { 'Content-Type': 'image/svg+xml' } })
}

/** Assumed width of a letter at the badge's font size of 11 px. It is wide enough for any font, because an SVG cannot measure its text and the site's font is not available where badges are shown. */
const LETTER_PX = 6.7
const PADDING_PX = 8

/** Draws a badge. @param version null if there is no active version */
function drawBadge(fullName: string, version: string | null): string {
  const right = version === null ? 'yanked' : `v${version}`
  const left = Math.ceil(fullName.length * LETTER_PX) + 2 * PADDING_PX
  const width = left + Math.ceil(right.length * LETTER_PX) + 2 * PADDING_PX
  const middle = (from: number, to: number) => ((from + to) / 2).toFixed(1)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escapeXml(`${fullName}: ${right}`)}"><title>${escapeXml(`${fullName}: ${right}`)}</title><rect width="${width}" height="20" rx="4" fill="#1b1e23"/><path d="M${left} 0h${width - left - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-${width - left - 4}z" fill="#fdf0d3"/><g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="11" text-anchor="middle"><text x="${middle(0, left)}" y="14" fill="#fff">${escapeXml(fullName)}</text><text x="${middle(left, width)}" y="14" fill="#724500">${escapeXml(right)}</text></g></svg>\n`
}
