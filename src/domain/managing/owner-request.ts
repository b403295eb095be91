// Parses requests to change an owner: a JSON merge patch of its `index.md`. docs/contract.md section 7
import * as z from 'zod'
import { Members, OwnerName, Publishing, TrustedPublishers } from '../content/front-matter.ts'
import { ProtectedLabels } from '../content/protected-labels.ts'
import { boundsOf, parseBody } from '../publishing/request.ts'
import { WebAddress } from '../values/values.ts'
import { Body, dry_run, parseFields } from './request.ts'

/** The fields that decide who may do what. Only a member who is signed in may change them. */
const RIGHTS = {
  members: Members.nullable()
    .optional()
    .describe(
      'The complete new list of members: GitHub logins, GitHub IDs, or `oidc:` with a subject or a verified email address.',
    ),
  trusted_publishers: TrustedPublishers.nullable()
    .optional()
    .describe('The complete new list of workflows that may publish, or null.'),
  protected_labels: ProtectedLabels.nullable()
    .optional()
    .describe(
      'The complete new list of labels that need the permission maintain, each a name or an object with the test suites that it requires; or null.',
    ),
  publishing: Publishing.nullable()
    .optional()
    .describe(
      'One rule, or a list of rules. `trusted-only`: only trusted workflows may publish. `signed-only`: only versions with an attestation of a trusted workflow. `semver`: a breaking change only as a major version. `reviewed`: only proposals that another member accepts. Null: none of them.',
    ),
}

/** The body of PATCH for an owner: a JSON merge patch (RFC 7396). */
export const OwnerPatch = z
  .strictObject({
    name: OwnerName.nullable().optional().describe('The display name, or null.'),
    bio: Body.nullable().optional().describe('The bio, in Markdown, or null. Surrounding whitespace is removed.'),
    website: WebAddress.nullable().optional().describe('The URL of the website, or null.'),
    avatar_url: WebAddress.nullable().optional().describe('The URL of the avatar, or null.'),
    ...RIGHTS,
    expected_commit: z
      .string()
      .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a commit in full: 40 or 64 hexadecimal digits')
      .nullable()
      .optional()
      .describe(
        'The commit that must have been the last to change the owner’s file, or null if there must be no file; otherwise 409.',
      ),
    dry_run,
  })
  .meta({ id: 'OwnerPatch', description: 'A JSON merge patch of the fields of an owner.' })

/** The fields of a patch, as they are written to the file. */
export type OwnerFields = Omit<z.infer<typeof OwnerPatch>, 'dry_run' | 'expected_commit'>

/** A requested change to an owner. */
export interface OwnerChange {
  fields: OwnerFields
  /** Null if there must be no file; undefined if the request does not say. */
  expectedCommit: string | null | undefined
  isDryRun: boolean
}

/** Parses the JSON of a change to an owner. @throws HubError `invalid_request`, `validation_failed` */
export function readOwnerChange(text: string): OwnerChange {
  const { dry_run: isDryRun, expected_commit, ...fields } = parseFields(OwnerPatch, parseBody(text, OWNER_BOUNDS))
  return { fields, expectedCommit: expected_commit, isDryRun }
}

/** Lists the fields of a change that decide who may do what. */
export function listRights({ fields }: Pick<OwnerChange, 'fields'>): string[] {
  return Object.keys(RIGHTS).filter((key) => fields[key as keyof OwnerFields] !== undefined)
}

/** Large enough for every list at its limit. */
const OWNER_BOUNDS = boundsOf(OwnerPatch, { keys: 2_000, values: 20_000, depth: 5 })
