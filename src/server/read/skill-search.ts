// Answers the search of the skills CLI (`SKILLS_API_URL={hub} npx skills find`). docs/channels.md

import { HubError } from '../../domain/api/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { countCharacters } from '../../domain/text/plain-text.ts'
import { isOwner } from '../../domain/values/names.ts'
import type { Connect, Hub } from '../hub.ts'
import { respondToError } from '../refusals.ts'
import { countRequest, queryOf } from '../request.ts'
import { UNCACHED_JSON } from '../respond.ts'
import { lastOf } from './query-values.ts'

/** How many skills an answer has, and how many it has at most. */
const [USUAL, MOST] = [10, 100]

/** Handles one request. Never throws. */
export async function handleSkillSearch(request: Request, connect: Connect): Promise<Response> {
  try {
    const query = new URLSearchParams(queryOf(request.url))
    const hub = await connect()
    await countRequest(hub)
    const body = JSON.stringify(await findSkills(query, hub))
    const headers = { ...UNCACHED_JSON, 'Content-Length': String(Buffer.byteLength(body)) }
    return new Response(request.method === 'HEAD' ? null : body, { headers })
  } catch (thrown) {
    return respondToError(request, thrown)
  }
}

async function findSkills(query: URLSearchParams, { search, baseUrl }: Hub) {
  const q = lastOf(query, 'q') ?? ''
  if (countCharacters(q) > LIMITS.queryCharacters)
    throw new HubError(
      'invalid_request',
      `q: expected at most ${LIMITS.queryCharacters} characters. Search with fewer words.`,
    )
  const limit = Number(lastOf(query, 'limit') ?? USUAL)
  const most = Number.isInteger(limit) && limit > 0 ? Math.min(limit, MOST) : USUAL
  const owner = lastOf(query, 'owner')?.toLowerCase()
  if (owner !== undefined && !isOwner(owner)) return { query: q, skills: [], count: 0 }
  // The owner's name is a word of the question, so that its skills come first.
  const text = owner === undefined ? q : `${owner} ${q}`.slice(0, LIMITS.queryCharacters)
  const { matches } = await search().find({ text, tags: [], kind: 'skill', sort: undefined, offset: 0, limit: MOST })
  const skills = matches
    .filter((one) => owner === undefined || one.owner === owner)
    .slice(0, most)
    .map((one) => ({
      id: one.full_name,
      skillId: one.name,
      name: one.name,
      // What `npx skills add` takes. The number of installs is unknown, and 0 keeps this order.
      source: `${baseUrl}/${one.owner}`,
      description: one.description,
      installs: 0,
    }))
  return { query: q, skills, count: skills.length }
}
