// Shared parts of the GitHub repository checks, and the parsing of GitHub's responses.
import type { AskGitHub, GitHubResponse } from '../stores/github/github-requests.ts'

/** The repository to publish to, and the local clock. */
export interface PublishingPlace {
  /** `owner/name`. */
  repository: string
  branch: string
  /** Whether the credential is a GitHub App; otherwise it is a token. */
  isApp: boolean
  ask: AskGitHub
  now: () => Date
}

/** The route that returns the repository as the credential sees it. */
export const REPOSITORY = 'GET /repos/{owner}/{repo}'

/** Returns a response with any status. @throws Error with the reason if GitHub did not respond */
export function requireResponse(answer: GitHubResponse): Extract<GitHubResponse, { kind: 'answered' }> {
  if (answer.kind === 'unanswered') throw new Error(answer.reason)
  return answer
}
