// Handles reads of proposals: the list for members, and one proposal or its content for whoever has its address. Nothing may keep a response.

import { hash } from 'node:crypto'
import { onlyPage } from '../../domain/api/envelope.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters, ProposalReadId } from '../../domain/api/routes.ts'
import { isName, isOwner, isProposalId } from '../../domain/values/names.ts'
import type { FoundProposal } from '../../state/proposal-store.ts'
import type { Connect } from '../hub.ts'
import { invalidNameError, respondToError } from '../refusals.ts'
import { countRequest } from '../request.ts'
import { PLAIN_TEXT, UNCACHED_JSON } from '../respond.ts'
import { requireAccess, requireScope } from './authenticate.ts'
import type { CheckHub } from './handle-check.ts'
import { identify } from './handle-write.ts'
import { listOpen, noSuchProposal, readContent, showProposal } from './proposal-records.ts'
import type { PublishHub } from './publish-hub.ts'
import { openClock, readOwnerFile } from './write-to-git.ts'

/** What opens a hub for a reader, whose requests are counted, and for somebody who must be a member. */
export interface ProposalHubs {
  reading: Connect<CheckHub>
  publishing: Connect<PublishHub>
}

/** Handles one GET or HEAD request. Never throws: errors become responses. @param parameters may be malformed */
export async function handleProposalRead(
  request: Request,
  id: ProposalReadId,
  { owner = '', name = '', proposal = '' }: PathParameters,
  { reading, publishing }: ProposalHubs,
): Promise<Response> {
  try {
    await countRequest(await reading())
    if (!isOwner(owner) || !isName(name)) throw invalidNameError()
    const hub = await publishing()
    if (id === 'listProposals') return respond(request, await listProposals(request, { owner, name }, hub))
    const found = isProposalId(proposal) ? await (await hub.proposals()).find({ owner, name, id: proposal }) : undefined
    if (!found) throw noSuchProposal()
    if (id === 'getProposal') return respond(request, { data: (await showProposal(found, hub, Date.now())).shown })
    const content = await readContent(found, hub, Date.now())
    if (content === undefined) throw closedError(found)
    return respond(request, content)
  } catch (thrown) {
    const response = respondToError(request, thrown)
    response.headers.set('Cache-Control', 'no-store')
    return response
  }
}

/** Lists the open proposals for a member, or for a token of the repository. @throws HubError `unauthorized`, `forbidden` */
async function listProposals(request: Request, place: { owner: string; name: string }, hub: PublishHub) {
  const time = openClock()
  const bearer = await identify(request, hub, new Date(time.now()))
  requireScope(bearer, place.owner, place.name)
  const ownerFile = await readOwnerFile(hub.git, { ...place, arrivedMs: time.now() }, time)
  requireAccess(bearer, place, 'publish', ownerFile)
  return onlyPage(await listOpen(place, hub))
}

function closedError({ proposal: { owner, name }, decision }: FoundProposal): HubError {
  if (!decision) return noSuchProposal()
  const { status, decided_by, outcome } = decision
  return new HubError(
    'not_found',
    status === 'accepted'
      ? `This proposal was accepted, and is ${owner}/${name}@${outcome?.version} now. Read that version.`
      : `${decided_by} has rejected this proposal, so it is no longer readable.`,
  )
}

/** Responds with JSON, or with a text. */
function respond(request: Request, answer: string | object): Response {
  const isText = typeof answer === 'string'
  const bytes = new TextEncoder().encode(isText ? answer : JSON.stringify(answer))
  // hubcli verifies every text.
  const digest = `sha-256=:${hash('sha256', bytes, 'base64')}:`
  const headers = {
    ...UNCACHED_JSON,
    'Content-Length': String(bytes.length),
    'Referrer-Policy': 'no-referrer',
    ...(isText && { 'Unencoded-Digest': digest, 'Repr-Digest': digest }),
    ...(isText && { 'Content-Type': PLAIN_TEXT, 'Content-Security-Policy': "default-src 'none'; sandbox" }),
  }
  return new Response(request.method === 'HEAD' ? null : bytes, { status: 200, headers })
}
