// Asks GitHub whether people are members of organisations, again and again while they use the hub, because people leave.
import { LRUCache } from 'lru-cache'
import * as z from 'zod'
import { shareRunning } from '../concurrency/promises.ts'
import { HubError } from '../domain/api/errors.ts'
import { logProblem } from '../log.ts'
import type { AskGitHub } from './github-requests.ts'

/** How long an answer counts. With what the guard remembers and the time of a request, somebody who leaves loses reading within a minute. */
const MEMBERSHIP_MS = 45_000
/** How long somebody who was a member stays one while GitHub cannot be asked. After that, what cannot be read denies. */
const GRACE_MS = 300_000
/** How long GitHub is not asked again about somebody after it could not be asked. */
const PAUSE_MS = 5_000
const MAX_KEPT = 10_000

/** A GitHub account. */
interface Account {
  login: string
  user_id: string
}

/** Returns whether an account is a member of an organisation now. @throws HubError `unavailable` if GitHub cannot be asked, and has not said yes in the last minutes */
export type IsOrganisationMember = (account: Account, organisation: string) => Promise<boolean>

interface Answer {
  isMember: boolean
  askedMs: number
  /** Lets GitHub answer 304, which does not count against its rate limit. */
  etag: string | undefined
}

const Membership = z.object({ state: z.string(), user: z.object({ id: z.int() }) })

/** Opens the check. @param ask with a credential that may read the members of the organisations */
export function openOrganisations(ask: AskGitHub, now: () => number = Date.now): IsOrganisationMember {
  const known = new LRUCache<string, Answer>({ max: MAX_KEPT })
  const failed = new LRUCache<string, number>({ max: MAX_KEPT })
  const share = shareRunning<boolean>()

  async function check(key: string, { login, user_id }: Account, org: string): Promise<boolean> {
    const before = known.get(key)
    if (before && now() - before.askedMs < MEMBERSHIP_MS) return before.isMember
    if (now() - (failed.get(key) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return useGrace(before)
    const askedMs = now()
    try {
      const answer = await askOnce(login, org, before?.etag)
      // A login may belong to another account by now, but an ID never does.
      const isMember = answer === 'unchanged' ? before?.isMember === true : answer.ids.includes(user_id)
      known.set(key, { isMember, askedMs, etag: answer === 'unchanged' ? before?.etag : answer.etag })
      return isMember
    } catch (cause) {
      failed.set(key, now())
      logProblem(
        'error',
        'organisation_unread',
        'GitHub cannot be asked for the members of an organisation in READERS.',
        { cause, org },
      )
      return useGrace(before)
    }
  }

  function useGrace(before: Answer | undefined): boolean {
    if (before?.isMember && now() - before.askedMs < GRACE_MS) return true
    throw new HubError(
      'unavailable',
      'GitHub cannot be asked whether you may read this hub. Try again in a few seconds.',
      { retryAfterSeconds: 5 },
    )
  }

  async function askOnce(username: string, org: string, etag: string | undefined) {
    const headers = etag === undefined ? {} : { 'if-none-match': etag }
    const {
      status,
      headers: given,
      data,
    } = await ask('GET /orgs/{org}/memberships/{username}', { org, username, headers })
    if (status === 304) return 'unchanged'
    if (status === 404) return { ids: [], etag: undefined }
    const membership = Membership.safeParse(data)
    if (status !== 200 || !membership.success)
      throw new Error(`status ${status}: the credential must be able to read the members of the organisation`)
    const { state, user } = membership.data
    return {
      ids: state === 'active' ? [String(user.id)] : [],
      etag: given.etag === undefined ? undefined : String(given.etag),
    }
  }

  return (account, organisation) => {
    const key = `${organisation} ${account.user_id} ${account.login}`
    return share(key, () => check(key, account, organisation))
  }
}
