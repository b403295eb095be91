// Defines a signed-in user: somebody known by a GitHub account, by an account of an OpenID Connect provider, or in local mode by a handle alone.
import * as z from 'zod'
import { Handle, line } from '../values/values.ts'

/** What an OpenID Connect provider says about a person, as of their last sign-in. */
export const ProviderIdentity = z.object({
  issuer: z.string().describe('The provider.'),
  subject: z.string().min(1).describe('The account’s ID at the provider (`sub`), which is never reassigned.'),
  email: z.string().nullable().describe('The email address in lower case; null if it is not verified.'),
  name: line(200).nullable().describe('The name to show.'),
})
export type ProviderIdentity = z.infer<typeof ProviderIdentity>

/** A signed-in user. */
export const Person = z.object({
  user_id: z
    .string()
    .regex(/^(?:[1-9]\d{0,18}|local-[a-z0-9-]{1,39}|(?:invited|oidc)-[0-9a-f]{32})$/)
    .describe(
      'The GitHub ID, which is never reassigned; `oidc-` and a digest of issuer and subject; `invited-` and a random ID; or, for a local sign-in, `local-` and the handle.',
    ),
  login: Handle,
  oidc: ProviderIdentity.optional().describe('Only for people who sign in with an OpenID Connect provider.'),
})
export type Person = z.infer<typeof Person>
