// Reviews the attestations of new versions as a publish verifies them. Roots, trusted publishers and rules are those of the base, so a pull request cannot bring its own.

import type { AttestationFile } from '../content/content-file.ts'
import { nameFile } from '../content/content-files.ts'
import { GITHUB_ISSUER } from '../domain/access/attestation-signer.ts'
import { digestManifest, recordSkill } from '../domain/catalogue/repository-records.ts'
import { formatPath, type Place } from '../domain/content/content-path.ts'
import type { VersionEntry } from '../domain/content/content-tree.ts'
import type { PublishingRule } from '../domain/content/front-matter.ts'
import { listPublishingRules, type OwnerFile } from '../domain/content/prompt-file.ts'
import { parseTrustedRootFile, type RootEntry } from '../domain/content/trusted-root-file.ts'
import { findReplayProblem, findSubjectProblem, judgeSignature } from '../domain/publishing/attested.ts'
import { isSameJson } from '../domain/text/json.ts'
import { attestationName } from '../domain/values/attestation-name.ts'
import { measure } from '../files/measure.ts'
import type { Comparison } from './content-changes.ts'
import type { ReviewFinding } from './rules/review-findings.ts'
import type { RuleName } from './rules/review-rules.ts'

/** Reviews a new version. @param owner the owner's file in the base; `broken` if it cannot be read @param files its attestations @param runs those that signed lower versions with the same content */
export type ReviewSigned = (
  place: { owner: string; name: string },
  owner: OwnerFile | 'broken' | undefined,
  version: VersionEntry,
  files: readonly AttestationFile[],
  runs: ReadonlySet<string>,
) => Promise<ReviewFinding[]>

const REQUIRED: Readonly<Partial<Record<PublishingRule, string>>> = {
  'trusted-only': 'versions from trusted workflows, so a pull request needs an attestation of one',
  'signed-only': 'versions with an attestation of a workflow that it trusts',
}

/** Opens the review. @param issuer the issuer of jobs that the hub accepts */
export function openSignedReview(comparison: Comparison, issuer = GITHUB_ISSUER): ReviewSigned {
  const readRoots = async (): Promise<readonly RootEntry[]> => {
    const path = `${comparison.base}:./${formatPath({ kind: 'trusted-root' })}`
    const { code, stdout } = await comparison.git.tryRun(['cat-file', 'blob', path])
    return parseTrustedRootFile(code === 0 ? stdout.toString() : '').value?.roots ?? []
  }
  let roots: ReturnType<typeof readRoots> | undefined
  return async ({ owner, name }, found, version, files, runs) => {
    // A file that cannot be read trusts nobody, and may require an attestation.
    const file = found === 'broken' ? undefined : found
    const listed = version.attestations ?? []
    const findings: ReviewFinding[] = []
    const say = (rule: RuleName, where: Place, message: string) =>
      findings.push({ file: nameFile(formatPath(where)), rule, key: '', message })
    const place = { owner, name, version: version.version }
    const [accepted] = listPublishingRules(file).flatMap((rule) => REQUIRED[rule] ?? [])
    const described = { ...version, skill: recordSkill(version.skill), files: version.bundle?.files ?? [] }
    const toSign = { ...version, prompt: `${owner}/${name}`, manifest_sha256: digestManifest(described, measure) }
    const required =
      found === 'broken'
        ? `expected content/${owner}/index.md in the base to be readable`
        : accepted && `${owner} accepts only ${accepted}`
    if (required && listed.length === 0) say('signed-version', { kind: 'version', ...place }, required)
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
      const { verifyAttestation } = await import('../attestations/verify-attestation.ts')
      roots ??= readRoots()
      const verdict = verifyAttestation(text, await roots)
      if (verdict.problem !== undefined) return verdict.problem
      const measured = { sha256, size_bytes: Buffer.byteLength(text) }
      const judged = judgeSignature({ ...measured, ...verdict.value }, { issuer, owner: file, name })
      if (judged.problem !== undefined) return judged.problem
      const other =
        findSubjectProblem(toSign, verdict.value.subjects) ?? findReplayProblem(version, judged.value.facts, runs)
      if (other !== undefined) return other
      return isSameJson(judged.value.facts, facts)
        ? undefined
        : 'expected the version file to list what the attestation says'
    }
  }
}
