// Parses content/trusted-root.json: the Sigstore instances whose attestations the hub accepts, and the day when the file was renewed.
import * as z from 'zod'
import { findJsonProblem } from '../text/json.ts'
import { type Parsed, parseWithSchema } from '../text/problems.ts'

/** As far as a root is nested. */
const MAX_DEPTH = 12

const parts = (sentence: string) => z.array(z.looseObject({})).max(100).default([]).describe(sentence)

/** One Sigstore instance. */
const RootEntry = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'expected lower-case letters, digits and hyphens')
    .describe('A name for people, such as sigstore or github.'),
  source: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null)
    .describe('The TUF repository that renews it, or null.'),
  root: z
    .looseObject({
      mediaType: z
        .string()
        .regex(/^application\/vnd\.dev\.sigstore\.trustedroot(?:\+json;version=0\.\d|\.v0\.\d\+json)$/)
        .describe('The format of the root.'),
      tlogs: parts('The transparency logs.'),
      certificateAuthorities: parts('The authorities that issue the certificates of signers.'),
      ctlogs: parts('The logs of certificates.'),
      timestampAuthorities: parts('The authorities that issue timestamps.'),
    })
    .describe('The trusted root, as Sigstore and `gh attestation trusted-root` write it.'),
})
export type RootEntry = z.infer<typeof RootEntry>

/** The file. */
const TrustedRootFile = z.strictObject({
  renewed_at: z.iso.date('expected a day, such as 2026-11-26').describe('The day when the roots were last renewed.'),
  roots: z
    .array(RootEntry)
    .max(10, 'expected at most 10 roots')
    .describe('The roots; an attestation needs one of them.'),
})
export type TrustedRootFile = z.infer<typeof TrustedRootFile>

/** Parses the file. Whether its keys and certificates can be used is for the code that uses them. */
export function parseTrustedRootFile(text: string): Parsed<TrustedRootFile> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problems: [{ key: '', message: 'expected JSON' }] }
  }
  const message = findJsonProblem(json, { depth: MAX_DEPTH })
  return message === undefined ? parseWithSchema(TrustedRootFile, json) : { problems: [{ key: '', message }] }
}

/** Formats the file. */
export function formatTrustedRootFile(file: TrustedRootFile): string {
  return `${JSON.stringify(file, null, 2)}\n`
}
