// Sends a form's request to the API's handlers on behalf of the signed-in user, so that the same rules apply to the editor and the API.
import type { SaidError } from '../account/words-for-people.ts'
import type { Person } from '../domain/access/person.ts'
import { type ErrorCode, HubError } from '../domain/api/errors.ts'
import { ROUTES } from '../domain/api/routes.ts'
import { handleWrite, type WriteRoute } from '../server/publish/handle-write.ts'
import type { PublishHub } from '../server/publish/publish-hub.ts'

/** A call to the API. */
export interface ApiCall extends WriteRoute {
  body: object
}

/** The API's response. */
export type ApiResponse =
  | { isDone: true; data: Readonly<Record<string, unknown>> }
  | { isDone: false; status: number; error: SaidError }

/**
 * Calls the API. As with tokens, it checks what the user may do.
 *
 * @param connect opens a hub for the write
 */
export async function callApi(
  { id, parameters, body }: ApiCall,
  person: Person,
  baseUrl: string,
  connect: (request: Request) => Promise<PublishHub>,
): Promise<ApiResponse> {
  const { method, path } = ROUTES[id]
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''))
  const request = new Request(baseUrl + filled, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const connectAs = async (): Promise<PublishHub> => ({
    ...(await connect(request)),
    findSignedIn: async () => person,
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
