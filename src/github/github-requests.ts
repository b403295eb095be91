// Sends REST requests to GitHub with one of the hub's credentials, and returns answers with any status.
import * as z from 'zod'
import { connectGitHub, type GitHubOptions } from './github-connection.ts'

/** GitHub's response, with any status. */
interface GitHubResponse {
  status: number
  headers: Readonly<Record<string, string | number | undefined>>
  /** The body, not validated yet. */
  data: unknown
}

/** Sends a request in GitHub's route notation, such as `GET /repos/{owner}/{repo}`; owner and repo are filled in. @throws Error with the reason if GitHub does not respond */
export type AskGitHub = (route: string, values?: Readonly<Record<string, unknown>>) => Promise<GitHubResponse>

const Answered = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.union([z.string(), z.number()]).optional()),
  data: z.unknown(),
})

/** Creates the client; sends no request yet. */
export function openGitHubRequests(options: Omit<GitHubOptions, 'branch'>): AskGitHub {
  const [owner = '', repo = ''] = options.repository.split('/')
  const { connect } = connectGitHub(options)
  return async (route, values = {}) => {
    try {
      const { signal } = new AbortController()
      const octokit = await connect(signal)
      return Answered.parse(await octokit.request(route, { owner, repo, ...values }))
    } catch (thrown) {
      // octokit throws for every error status, and uses 500 if there was no response. Only errors with a real response have the property `response`.
      const failed = z.object({ response: Answered }).safeParse(thrown)
      if (failed.success) return failed.data.response
      throw Object.assign(new Error(readReason(thrown)), { code: findCode(thrown) })
    }
  }
}

/** Returns the code of the first error of the system in a chain of causes. */
function findCode(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 8) return undefined
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : findCode(thrown.cause, depth + 1)
}

/** Returns only the message, because octokit's errors contain the request, including the credential. */
function readReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message
}
