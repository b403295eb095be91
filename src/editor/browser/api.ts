// Sends the editor's requests to the API, and says in one way what came of them.
import { CSRF_HEADER, type ShownSession } from '../../domain/access/shown-session.ts'
import type { ValueProblem } from '../../domain/text/problems.ts'

/** Why a request was refused. */
export interface Refusal {
  /** 0 if there was no answer. */
  status: number
  /** The code of the error, as words. */
  title: string
  detail: string
  /** What is wrong with each field. */
  problems: ValueProblem[]
  /** Seconds to wait, after too many requests. */
  waitSeconds: number
}

export const NO_ANSWER: Refusal = {
  status: 0,
  title: '',
  detail: 'The hub did not answer. Your text is still here; check your connection, then try again.',
  problems: [],
  waitSeconds: 0,
}

/** What came of a request. */
export type Outcome<Data> = { data: Data; refusal?: never } | { data?: never; refusal: Refusal }

/** Sends JSON. */
export async function send<Data>(
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Outcome<Data>> {
  try {
    const answer = await fetch(path, {
      method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/problem+json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    const said = await answer.json()
    if (answer.ok) return { data: said.data }
    const { title = '', detail = said.error?.message ?? answer.statusText, errors = [] } = said
    const problems = errors.map((one: { pointer?: string; detail: string }) => ({
      key: (one.pointer ?? '').slice(2).replaceAll('/', '.'),
      message: one.detail,
    }))
    return {
      refusal: {
        status: answer.status,
        title,
        detail,
        problems,
        waitSeconds: Number(answer.headers.get('Retry-After')),
      },
    }
  } catch {
    return { refusal: NO_ANSWER }
  }
}

/** The headers of a write by the person of a session. */
export const headersOf = ({ csrf }: ShownSession) => ({ [CSRF_HEADER]: csrf })
