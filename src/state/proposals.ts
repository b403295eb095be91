// Stores proposals in the state store: what was sent, until it is accepted, rejected or too old. Nothing of it is in git before.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { mapConcurrently } from '../concurrency/promises.ts'
import { HubError } from '../domain/api/errors.ts'
import { ProposalDecision, StoredProposal } from '../domain/publishing/stored-proposal.ts'
import { PROPOSAL_DAYS, type ProposalPlace, type Proposals } from './proposal-store.ts'
import { listKeys, readRecord } from './state-entries.ts'
import type { StateStore } from './state-store.ts'

/** Maximum number of open proposals of a repository: more than anybody reviews. */
const MAX_PER_REPOSITORY = 20
/** Maximum number of open proposals of an owner, which are all read for each new one. */
const MAX_PER_OWNER = 100
/** Maximum number of bytes of an owner's open proposals. */
const MAX_BYTES_PER_OWNER = 33_554_432
/** Maximum number of an owner's proposals that are remembered, also of those that are closed. */
const MAX_KEPT_PER_OWNER = 5_000
/** Maximum number of records that are read at once. */
const AT_ONCE = 8

/** A proposal that is not open any more. */
const Closed = z.object({ proposal: StoredProposal, decision: ProposalDecision })

const OPEN = 'proposals/'
const CLOSED = 'closed-proposals/'
const bodyKey = (id: string) => `proposal-bodies/${id}`
const keyIn = (prefix: string, { owner, name, id }: ProposalPlace) => `${prefix}${owner}/${name}/${id}`

/** Opens the proposals in a state store. */
export function openProposals(state: StateStore): Proposals {
  const readOpen = async (key: string): Promise<{ proposal: StoredProposal; version: string } | undefined> => {
    const found = await readRecord(state, key, StoredProposal, OPEN)
    return found && { proposal: found.value, version: found.version }
  }
  const readClosed = async (place: ProposalPlace): Promise<z.infer<typeof Closed> | undefined> =>
    (await readRecord(state, keyIn(CLOSED, place), Closed, CLOSED))?.value
  const listOpen = async (prefix: string): Promise<StoredProposal[]> => {
    const keys = await listSome(state, OPEN + prefix)
    const found = await mapConcurrently(AT_ONCE, keys, async (key) => {
      const open = (await readOpen(key))?.proposal
      // The process that closed it may have ended before it removed the open one.
      return open?.claim && (await readClosed(open)) ? undefined : open
    })
    return found.filter((one) => one !== undefined)
  }
  const lifetimeOf = ({ expires_at }: StoredProposal) => ({ expiresAt: Date.parse(expires_at) })
  return {
    async add(proposal, body) {
      const { owner, name, bytes } = proposal
      const closed = await listSome(state, `${CLOSED}${owner}/`)
      const open = await listOpen(`${owner}/`)
      const ofRepository = open.filter((one) => one.name === name).length
      const ofOwner = open.reduce((sum, one) => sum + one.bytes, bytes)
      if (ofRepository >= MAX_PER_REPOSITORY) throw tooMany(`${owner}/${name}`, MAX_PER_REPOSITORY)
      if (open.length >= MAX_PER_OWNER) throw tooMany(owner, MAX_PER_OWNER)
      if (ofOwner > MAX_BYTES_PER_OWNER)
        throw new HubError(
          'quota_exceeded',
          `The open proposals of ${owner} may have ${MAX_BYTES_PER_OWNER} bytes together. Accept or reject some of them first.`,
        )
      if (closed.length + open.length >= MAX_KEPT_PER_OWNER)
        throw new HubError(
          'quota_exceeded',
          `${owner} had ${MAX_KEPT_PER_OWNER} proposals in the last ${PROPOSAL_DAYS} days. Publish without a proposal, or propose later.`,
        )
      // The body comes first, so that every proposal has one.
      await state.set(bodyKey(proposal.id), body, lifetimeOf(proposal))
      await state.set(keyIn(OPEN, proposal), JSON.stringify(proposal), lifetimeOf(proposal))
    },
    async find(place) {
      const closed = await readClosed(place)
      if (closed) return closed
      const open = await readOpen(keyIn(OPEN, place))
      return open && { proposal: open.proposal, decision: undefined }
    },
    readBody: async (id) => (await state.get(bodyKey(id)))?.value,
    async list({ owner, name }) {
      const open = await listOpen(`${owner}/${name}/`)
      return open.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
    },
    async claim(place, kind, nowMs, mayTake) {
      const open = (await readClosed(place)) ? undefined : await readOpen(keyIn(OPEN, place))
      if (!open) return undefined
      const { proposal, version } = open
      if (proposal.claim && !(await mayTake(proposal.claim))) return 'busy'
      const by = randomUUID()
      const claimed = JSON.stringify({ ...proposal, claim: { kind, by, at: nowMs } })
      await state.replace(keyIn(OPEN, place), claimed, version, lifetimeOf(proposal))
      // Read again, because Netlify Blobs may let two such writes succeed (docs/notes/netlify.md section 8).
      return (await readOpen(keyIn(OPEN, place)))?.proposal.claim?.by === by ? { by, proposal } : 'busy'
    },
    async release({ by, proposal }) {
      const open = await readOpen(keyIn(OPEN, proposal))
      if (open?.proposal.claim?.by !== by) return
      // The earlier claim may be of an acceptance that was published, but not noted.
      const restored = JSON.stringify({ ...open.proposal, claim: proposal.claim })
      await state.replace(keyIn(OPEN, proposal), restored, open.version, lifetimeOf(proposal))
    },
    async close(proposal, decision) {
      const text = JSON.stringify({ proposal, decision })
      await state.add(keyIn(CLOSED, proposal), text, lifetimeOf(proposal))
      const closed = await readClosed(proposal)
      await state.delete(keyIn(OPEN, proposal))
      await state.delete(bodyKey(proposal.id))
      return closed?.decision ?? decision
    },
  }
}

/** Deletes the proposals that somebody made, and what is remembered of those that somebody decided. */
export async function forgetProposals(state: StateStore, userIds: readonly string[]): Promise<void> {
  const isTheirs = (id: string | null) => id !== null && userIds.includes(id)
  for await (const key of listKeys(state, OPEN)) {
    const proposal = (await readRecord(state, key, StoredProposal, OPEN))?.value
    if (!proposal || !isTheirs(proposal.user_id)) continue
    await state.delete(key)
    await state.delete(bodyKey(proposal.id))
  }
  for await (const key of listKeys(state, CLOSED)) {
    const closed = (await readRecord(state, key, Closed, CLOSED))?.value
    if (closed && (isTheirs(closed.proposal.user_id) || isTheirs(closed.decision.decided_by_id)))
      await state.delete(key)
  }
}

/** Lists keys, but not many more than are allowed. */
async function listSome(state: StateStore, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const key of listKeys(state, prefix)) {
    keys.push(key)
    if (keys.length >= MAX_KEPT_PER_OWNER) break
  }
  return keys
}

function tooMany(whose: string, most: number): HubError {
  return new HubError(
    'quota_exceeded',
    `${whose} has ${most} open proposals, which is the maximum. Accept or reject some of them first.`,
  )
}
