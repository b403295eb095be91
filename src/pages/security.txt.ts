// `/.well-known/security.txt`: where to report a weakness of this hub. https://www.rfc-editor.org/rfc/rfc9116
import type { APIRoute } from 'astro'

/** Less than a year, as the RFC recommends; each start and each build makes the file again. */
const VALID_MS = 360 * 86_400_000

export const GET: APIRoute = ({ locals: { profile } }) => {
  const { security_contact: contact } = profile.look
  if (contact === undefined) return new Response(null, { status: 404 })
  const expires = new Date(Date.now() + VALID_MS).toISOString().replace(/\.\d+/, '')
  const address = `${profile.baseUrl}/.well-known/security.txt`
  return new Response(`Contact: ${contact}\nExpires: ${expires}\nCanonical: ${address}\n`)
}
