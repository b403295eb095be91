// Tests the commands that verify an attestation without the hub. Their words are those that cosign 3.1 accepted for a bundle that a hub served.
import { expect, test } from 'vitest'
import type { Attestation, VersionRecord } from '../../domain/api/schema.ts'
import { listProofCommands } from './proof-commands.ts'

const VERSION = 'https://hub.example/api/v1/repos/acme/code-review/versions/1.0.0'
const record = (bundle_sha256: string | null) =>
  ({
    owner: 'acme',
    name: 'code-review',
    version: '1.0.0',
    url: VERSION,
    bundle_sha256,
    raw_url: 'https://hub.example/api/v1/repos/acme/code-review/raw?version=1.0.0',
  }) as VersionRecord
const attestation = (over: Partial<Attestation> = {}) =>
  ({
    url: `${VERSION}/attestations/1.sigstore.json`,
    repository: 'octo/prompts',
    identity: 'https://github.com/octo/prompts/.github/workflows/publish.yml@refs/heads/main',
    issuer: 'https://token.actions.githubusercontent.com',
    predicate_type: 'https://slsa.dev/provenance/v1',
    ...over,
  }) as Attestation

test('downloads the content and the attestation, and verifies them with gh or cosign', () => {
  const fetching = `curl -fsSo code-review.txt 'https://hub.example/api/v1/repos/acme/code-review/raw?version=1.0.0'
curl -fsSo acme-code-review-1.0.0.sigstore.json ${VERSION}/attestations/1.sigstore.json
`
  expect(listProofCommands(record(null), attestation())).toEqual({
    gh: `${fetching}gh attestation verify code-review.txt --bundle acme-code-review-1.0.0.sigstore.json --repo octo/prompts \\
  --signer-workflow octo/prompts/.github/workflows/publish.yml --predicate-type https://slsa.dev/provenance/v1`,
    cosign: `${fetching}cosign verify-blob-attestation code-review.txt --bundle acme-code-review-1.0.0.sigstore.json --new-bundle-format \\
  --type https://slsa.dev/provenance/v1 --certificate-oidc-issuer https://token.actions.githubusercontent.com \\
  --certificate-identity https://github.com/octo/prompts/.github/workflows/publish.yml@refs/heads/main`,
  })
})

test('verifies the archive of a skill with files', () => {
  const { cosign } = listProofCommands(record('0'.repeat(64)), attestation())
  expect(cosign.split('\n')[0]).toBe(`curl -fsSo code-review-1.0.0.tar.gz ${VERSION}/archive`)
  expect(cosign).toContain('cosign verify-blob-attestation code-review-1.0.0.tar.gz --bundle')
})

test('no claim of a certificate ends its word in the shell', () => {
  const claim = `https://github.com/octo/prompts/.github/workflows/a'$(id);b.yml@refs/heads/x y`
  const { cosign } = listProofCommands(record(null), attestation({ identity: claim, predicate_type: "a'b" }))
  expect(cosign).toContain(
    `--certificate-identity 'https://github.com/octo/prompts/.github/workflows/a'\\''$(id);b.yml@refs/heads/x y'`,
  )
  expect(cosign).toContain(`--type 'a'\\''b'`)
})
