// Collects what the checks of the GitHub repository share, and reads GitHub's responses.
import type { AskGitHub, GitHubAnswer } from '../stores/github/github-questions.ts'

/** The repository that is published to, and the clock of this machine. */
export interface PublishingPlace {
  /** `owner/name`. */
  repository: string
  branch: string
  /** Whether the credential is an App's; else it is a token. */
  isApp: boolean
  ask: AskGitHub
  now: () => Date
}

/** The repository itself, as GitHub shows it to the credential. */
export const REPOSITORY = 'GET /repos/{owner}/{repo}'

/** An answer, whatever its status. @throws Error with the reason when GitHub did not answer */
export function answered(answer: GitHubAnswer): Extract<GitHubAnswer, { kind: 'answered' }> {
  if (answer.kind === 'unanswered') throw new Error(answer.reason)
  return answer
}
