// Sends a form's request to the API's handlers on behalf of the signed-in user, so that the same rules apply to the editor and the API.
import { randomBytes } from 'node:crypto'
import type { SaidError } from '../account/words-for-people.ts'
import type { Person } from '../domain/access/person.ts'
import type { TokenRecord } from '../domain/access/token-record.ts'
import { type ErrorCode, HubError } from '../domain/api/errors.ts'
import { ROUTES } from '../domain/api/routes.ts'
import { PERMISSIONS } from '../domain/values/permissions.ts'
import { makeToken } from '../domain/values/token-form.ts'
import { formatMoment } from '../domain/values/values.ts'
import { handleWrite, type WriteRoute } from '../server/publish/handle-write.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'

/** A call to the API. */
export interface ApiCall extends WriteRoute {
  body: object
}

/** Lifetime of the token for one call; the token is checked only when the call begins. */
const TOKEN_MS = 60_000

/** The API's response. */
export type ApiResponse =
  | { isDone: true; data: Readonly<Record<string, unknown>> }
  | { isDone: false; status: number; error: SaidError }

/**
 * Calls the API. A session grants all permissions; as with tokens, the API checks what the user may do.
 *
 * @param connect opens a hub for the write
 */
export async function callApi(
  { id, parameters, body }: ApiCall,
  person: Person,
  baseUrl: string,
  connect: (request: Request) => Promise<PublishHub>,
): Promise<ApiResponse> {
  const token = makeToken(() => randomBytes(1)[0]!)
  const { method, path } = ROUTES[id]
  const { handle, owner = handle } = parameters
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''))
  const request = new Request(baseUrl + filled, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const now = Date.now()
  const record: TokenRecord = {
    id: 'session',
    holder: { kind: 'person', ...person },
    name: 'session',
    last_four: token.slice(-4),
    scope: `${owner}/*`,
    permissions: [...PERMISSIONS],
    created_at: formatMoment(new Date(now)),
    expires_at: formatMoment(new Date(now + TOKEN_MS)),
  }
  const connectAs = async (): Promise<PublishHub> => ({
    ...(await connect(request)),
    // This token exists only in memory, for the duration of this call.
    findToken: async () => record,
    recordTokenUse: async () => {},
    isSignedIn: true,
  })
  let problems: SaidError['problems']
  const answer = await handleWrite(request, { id, parameters }, connectAs, undefined, (thrown) => {
    if (thrown instanceof HubError) problems = thrown.problems
  })
  const { data, error } = (await answer.json()) as {
    data?: Record<string, unknown>
    error?: { code: ErrorCode; message: string }
  }
  return data && answer.ok
    ? { isDone: true, data }
    : {
        isDone: false,
        status: answer.status,
        error: { code: error?.code ?? 'internal_error', message: error?.message ?? '', problems },
      }
}
