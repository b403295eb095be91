// Writes the commands that verify an attestation without the hub: with the GitHub CLI, and with cosign.
import type { Attestation, VersionRecord } from '../../domain/api/schema.ts'

/** Returns shell commands that download what was signed and the attestation, and verify them. */
export function listProofCommands(
  { owner, name, version, url, raw_url, bundle_sha256 }: VersionRecord,
  { url: bundleUrl, repository, identity, issuer, predicate_type }: Attestation,
): { gh: string; cosign: string } {
  const [file, address] =
    bundle_sha256 === null ? [`${name}.txt`, raw_url] : [`${name}-${version}.tar.gz`, `${url}/archive`]
  const bundle = `${owner}-${name}-${version}.sigstore.json`
  const fetching = `curl -fsSo ${file} ${quote(address)}\ncurl -fsSo ${bundle} ${quote(bundleUrl)}`
  const signer = identity.split('@', 1)[0]!.replace(/^https:\/\/[^/]+\//, '')
  const gh = `gh attestation verify ${file} --bundle ${bundle} --repo ${quote(repository)} \\
  --signer-workflow ${quote(signer)} --predicate-type ${quote(predicate_type)}`
  const cosign = `cosign verify-blob-attestation ${file} --bundle ${bundle} --new-bundle-format \\
  --type ${quote(predicate_type)} --certificate-oidc-issuer ${quote(issuer)} \\
  --certificate-identity ${quote(identity)}`
  return { gh: `${fetching}\n${gh}`, cosign: `${fetching}\n${cosign}` }
}

/** Quotes a word for a POSIX shell. A page quotes claims of a certificate, so nothing in them may end the word. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
