// Checks that the providers with which people sign in know the hub.
import type { Config } from '../../src/config.ts'
import { HubError } from '../../src/domain/api/errors.ts'
import { describeError } from '../../src/ports/log.ts'
import { finishGithub } from '../account/providers/github.ts'
import { startOpenId } from '../account/providers/open-id.ts'
import { type Check, check, fail } from './checks.ts'

/** A code in the right format that nobody issued: 20 hex digits. */
const NOBODYS_CODE = '00000000000000000000'
const NOTE = { state: NOBODYS_CODE, nonce: NOBODYS_CODE, verifier: NOBODYS_CODE }

/** Lists a check for each provider. */
export function signInChecks({ signIn, baseUrl }: Pick<Config, 'signIn' | 'baseUrl'>): Check[] {
  if (signIn.kind !== 'providers') return []
  const { github, oidc } = signIn
  return [...(github ? [checkGithub(github, baseUrl)] : []), ...(oidc ? [checkOpenId(oidc, baseUrl)] : [])]
}

type Providers = Extract<Config['signIn'], { kind: 'providers' }>

function checkGithub(settings: NonNullable<Providers['github']>, baseUrl: string): Check {
  const redirectUri = `${baseUrl}/auth/callback`
  const run = async () => {
    try {
      await finishGithub(settings, NOTE, new URL(`${redirectUri}?code=${NOBODYS_CODE}&state=${NOBODYS_CODE}`))
      return fail('GitHub accepted an invalid sign-in code.', 'Check that GITHUB_OAUTH_URL points to GitHub.')
    } catch (error) {
      // GitHub rejected the invalid code as expected, so it knows the app.
      if (error instanceof HubError && error.code === 'invalid_request') return undefined
      return fail(
        error instanceof Error ? error.message : String(error),
        `Copy the client ID and secret from the OAuth app whose callback is ${redirectUri}, and check GITHUB_OAUTH_URL and GITHUB_API_URL if they are set.`,
      )
    }
  }
  return check('sign-in-application', 'GitHub knows the OAuth app and its secret', [], run)
}

function checkOpenId(settings: NonNullable<Providers['oidc']>, baseUrl: string): Check {
  const redirectUri = `${baseUrl}/auth/callback/oidc`
  const run = async () => {
    try {
      await startOpenId(settings, NOTE, redirectUri)
      return undefined
    } catch (error) {
      return fail(
        describeError(error),
        `Check SIGN_IN_ISSUER, and that this machine can reach it. At the provider, ${redirectUri} must be a callback URL of the client.`,
      )
    }
  }
  return check('sign-in-provider', 'the OpenID Connect provider describes itself', [], run)
}
