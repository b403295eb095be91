// Checks for `/readyz` whether every part of the hub responds (docs/contract.md section 13).

import { shareRunning, within } from '../../concurrency/promises.ts'
import { HubError } from '../../domain/api/errors.ts'
import { logProblem } from '../../log.ts'
import { respondWithError } from '../../server/refusals.ts'
import { describeStateProblem } from '../../state/state-entries.ts'
import { VERSION } from '../../version.ts'
import { type Health, respondWithFacts } from './health.ts'
import type { StateWatch } from './watch-state.ts'

type Answer = (request: Request, client: { network: string }) => Promise<Response>

/** The parts of a hub, in the order in which they are checked. */
export const PARTS = ['data', 'pages', 'downloads', 'search', 'state'] as const
type Part = (typeof PARTS)[number]
/** Whether publishing works, which does not matter to load balancers, and to reads. */
const PUBLISHING = 'publishing'

/** A part that does not respond. */
export interface Unready {
  /** A part, `server` while the hub is shutting down, or `publishing` if the request asks for it. */
  part: Part | 'server' | typeof PUBLISHING
  /** One public sentence that says what does not work. */
  reason: string
}

/** Checks that a part responds. Throws HubError, whose message is shown, if it does not. */
type Checks = Readonly<Partial<Record<Part, () => Promise<void>>>>

/** How long a part may take to respond; load balancers wait only a few seconds. */
const DEADLINE_MS = 2_000
/** How long a result is used again, so that frequent requests to `/readyz` cause no work. */
const KEPT_MS = 1_000

/** The answer of a hub that is shutting down: a load balancer must stop sending requests to it. */
const ENDING: Unready[] = [{ part: 'server', reason: 'The hub is shutting down. Use another one.' }]

/** Returns a function that checks all parts, at most once a second. @param isEnding whether the hub is shutting down */
export function openReadiness(checks: Checks, isEnding: () => boolean = () => false): () => Promise<Unready[]> {
  const share = shareRunning<Unready[]>()
  let last: { at: number; found: Unready[] } | undefined
  const run = async () => {
    const found = (await Promise.all(PARTS.map((part) => checkPart(part, checks[part])))).flatMap((one) => one ?? [])
    last = { at: performance.now(), found }
    return found
  }
  return async () => {
    if (isEnding()) return ENDING
    return last && performance.now() - last.at < KEPT_MS ? last.found : share('', run)
  }
}

async function checkPart(part: Part, check: (() => Promise<void>) | undefined): Promise<Unready | undefined> {
  const late = () => new HubError('unavailable', `There was no response within ${DEADLINE_MS / 1000} s.`)
  try {
    if (check) await within(DEADLINE_MS, check(), late)
    return undefined
  } catch (cause) {
    if (cause instanceof HubError) return { part, reason: cause.message }
    logProblem('error', 'check_failed', 'A part of the hub cannot be checked.', { part, cause })
    return { part, reason: 'The check failed. The log has the reason.' }
  }
}

/** Checks that the state store works. @throws HubError with the file or setting and the fix, because operators read the reason */
export async function checkState(watch: Pick<StateWatch, 'check'>): Promise<void> {
  try {
    await watch.check()
  } catch (cause) {
    throw new HubError('unavailable', describeStateProblem(cause))
  }
}

/** Returns checks that send the hub's own handler a request, so that they see what a reader would see. The front page is rendered only once for each bundle, because rendering is expensive. @param shown the bundle now; undefined for a site without pages */
export function checkThrough(answer: Answer, shown: { readonly current: unknown } | undefined): Checks {
  const check = async (path: string) => {
    const response = await answer(new Request(`http://localhost${path}`), { network: 'readiness' })
    const text = response.ok ? '' : await response.text()
    await response.body?.cancel().catch(() => {})
    if (!response.ok) throw new HubError('unavailable', `${path} returns ${response.status}: ${reasonIn(text)}`)
  }
  let rendered: unknown
  return {
    data: () => check('/data/v1/tags.json'),
    ...(shown && {
      downloads: () => check('/cli/hubcli'),
      async pages() {
        const pages = shown.current
        if (pages !== undefined && pages === rendered) return
        await check('/')
        rendered = pages
      },
    }),
  }
}

/** Returns the message of an error response. */
function reasonIn(text: string): string {
  try {
    return String(JSON.parse(text).error.message)
  } catch {
    return 'the log has the reason.'
  }
}

/** Responds with whether every part responds. @param healthOf the ages in it are facts: an old build is still served, so it does not make a hub unready */
export async function respondWithReadiness(
  request: Request,
  checkAll: () => Promise<readonly Unready[]>,
  healthOf: () => Health,
): Promise<Response> {
  const { searchParams: parameters } = new URL(request.url)
  const excluded = parameters.getAll('exclude')
  const unknown = excluded.find((part) => !(PARTS as readonly string[]).includes(part))
  if (unknown !== undefined)
    return respondWithError(request, new HubError('invalid_request', `exclude: expected one of ${PARTS.join(', ')}.`))
  const included = parameters.getAll('include')
  if (included.some((part) => part !== PUBLISHING))
    return respondWithError(request, new HubError('invalid_request', `include: expected ${PUBLISHING}.`))
  const { unbuilt, fetch, state, publishing } = healthOf()
  const unready = [...(await checkAll())]
  if (included.length > 0 && publishing !== null) unready.push({ part: PUBLISHING, reason: publishing })
  const facts = { version: VERSION, unready, unbuilt, fetch, state }
  return unready.every(({ part }) => excluded.includes(part))
    ? respondWithFacts(request, { status: 'ready', ...facts })
    : respondWithFacts(request, { status: 'unready', ...facts }, 503, { 'Retry-After': '5' })
}
