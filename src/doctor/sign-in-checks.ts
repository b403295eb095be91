// Checks that GitHub knows the OAuth app, by sending a sign-in code that is never valid.
import type { Config } from '../config.ts'
import { HubError } from '../domain/api/errors.ts'
import { exchangeCode } from '../stores/github/github-sign-in.ts'
import { type Check, type Finding, fail } from './checks.ts'

/** The configured OAuth app. */
interface SignInApplication {
  signIn: Extract<Config['signIn'], { kind: 'github' }>
  baseUrl: string
}

/** A code in the right format: 20 hex digits that GitHub never issued. */
const NOBODYS_CODE = '00000000000000000000'

/** Checks that need complete settings. */
export const SIGN_IN_CHECKS: readonly Check<SignInApplication>[] = [
  { name: 'sign-in-application', about: 'GitHub knows the OAuth app and its secret', run: checkApplication },
]

async function checkApplication({ signIn, baseUrl }: SignInApplication): Promise<Finding[]> {
  const redirectUri = `${baseUrl}/auth/callback`
  try {
    await exchangeCode(signIn, { code: NOBODYS_CODE, verifier: NOBODYS_CODE, redirectUri })
    return [fail('GitHub accepted a sign-in that nobody started.', 'Check that GITHUB_OAUTH_URL points to GitHub.')]
  } catch (error) {
    // The invalid code was rejected as expected, so the app is known.
    if (error instanceof HubError && error.code === 'invalid_request') return []
    const said = error instanceof Error ? error.message : String(error)
    return [
      fail(
        said,
        `Copy the client ID and secret from the OAuth app whose callback is ${redirectUri}, and check GITHUB_OAUTH_URL and GITHUB_API_URL if they are set.`,
      ),
    ]
  }
}
