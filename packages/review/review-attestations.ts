// Reviews the attestations of new versions as a publish verifies them. Roots, trusted publishers and rules are those of the base, so a pull request cannot bring its own.
import { GITHUB_ISSUER } from '../../src/domain/access/attestation-signer.ts'
import { formatPath, type Place } from '../../src/domain/content/content-path.ts'
import type { VersionEntry } from '../../src/domain/content/content-tree.ts'
import { type OwnerFile, parseOwnerFile } from '../../src/domain/content/prompt-file.ts'
import { parseTrustedRootFile, type RootEntry } from '../../src/domain/content/trusted-root-file.ts'
import { findSubjectProblem, judgeSignature } from '../../src/domain/publishing/attested.ts'
import { isSameJson } from '../../src/domain/text/json.ts'
import { attestationName } from '../../src/domain/values/attestation-name.ts'
import type { AttestationFile } from '../stores/content/content-file.ts'
import { nameFile } from '../stores/content/content-files.ts'
import type { Comparison } from './content-changes.ts'
import type { ReviewFinding } from './rules/review-findings.ts'
import type { RuleName } from './rules/review-rules.ts'

/** Reviews a new version. @param files its attestations */
export type ReviewSigned = (
  place: { owner: string; name: string },
  version: VersionEntry,
  files: readonly AttestationFile[],
) => Promise<ReviewFinding[]>

const REQUIRED = {
  'signed-only': 'versions with an attestation of a workflow that it trusts',
  'trusted-only': 'versions from trusted workflows, so a pull request needs an attestation of one',
}

/** Opens the review. @param issuer the issuer of jobs that the hub accepts */
export function openSignedReview(comparison: Comparison, issuer = GITHUB_ISSUER): ReviewSigned {
  const readBase = async (place: Place) => {
    const { code, stdout } = await comparison.git.tryRun([
      ...['cat-file', 'blob', `${comparison.base}:./${formatPath(place)}`],
    ])
    return code === 0 ? stdout.toString() : undefined
  }
  const owners = new Map<string, Promise<OwnerFile | undefined>>()
  const ownerOf = (owner: string) => {
    const known = owners.get(owner) ?? readBase({ kind: 'owner', owner }).then((text) => parseOwner(text))
    owners.set(owner, known)
    return known
  }
  let roots: Promise<readonly RootEntry[]> | undefined
  const readRoots = () => {
    roots ??= readBase({ kind: 'trusted-root' }).then((text) => parseTrustedRootFile(text ?? '').value?.roots ?? [])
    return roots
  }
  return async ({ owner, name }, version, files) => {
    const file = await ownerOf(owner)
    const listed = version.attestations ?? []
    const findings: ReviewFinding[] = []
    const say = (rule: RuleName, where: Place, message: string) =>
      findings.push({ file: nameFile(formatPath(where)), rule, key: '', message })
    const place = { owner, name, version: version.version }
    if (file?.publishing && listed.length === 0)
      say('signed-version', { kind: 'version', ...place }, `${owner} accepts only ${REQUIRED[file.publishing]}`)
    for (const [index, facts] of listed.entries()) {
      const given = files.find((one) => one.file === attestationName(index))
      // What is missing is reported where the files are compared with the list.
      if (!given || given.sha256 !== facts.sha256) continue
      const problem = await judge(given, facts)
      if (problem !== undefined)
        say('attestation-verified', { kind: 'attestation', ...place, file: given.file }, problem)
    }
    return findings

    async function judge({ text, sha256 }: AttestationFile, facts: (typeof listed)[number]) {
      const { verifyAttestation } = await import('../stores/verify-attestation.ts')
      const verdict = verifyAttestation(text, await readRoots())
      if (verdict.problem !== undefined) return verdict.problem
      const measured = { sha256, size_bytes: Buffer.byteLength(text) }
      const judged = judgeSignature({ ...measured, ...verdict.value }, { issuer, owner: file, name })
      if (judged.problem !== undefined) return judged.problem
      const other = findSubjectProblem(version, verdict.value.subjects)
      if (other !== undefined) return other
      return isSameJson(judged.value.facts, facts)
        ? undefined
        : 'expected the version file to list what the attestation says'
    }
  }
}

/** A file that cannot be read trusts nobody; that it cannot be read is a problem of its own. */
function parseOwner(text: string | undefined): OwnerFile | undefined {
  return text === undefined ? undefined : parseOwnerFile(text).value
}
