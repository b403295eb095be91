// Implements `--fix`: fixes spellings that have only one possible meaning, in unpublished versions and index files.
import { parsePath } from '../../domain/content/content-path.ts'
import {
  editFrontMatter,
  parseOwnerFile,
  parseRepositoryFile,
  parseVersionFile,
  splitFile,
} from '../../domain/content/prompt-file.ts'
import { findLicenseProblem } from '../../domain/content/rules.ts'

/**
 * Fixes a file: tags to lower case, with hyphens and without duplicates; logins to lower case without duplicates; a license to the SPDX spelling.
 *
 * @param path relative to the content folder, of a file that is not a published version
 * @returns the fixed text, or undefined if no fix is certain
 */
export function fixFile(path: string, text: string): string | undefined {
  const place = parsePath(path).value
  if (place?.kind !== 'owner' && place?.kind !== 'repository' && place?.kind !== 'version') return undefined
  const front = splitFile(text).value?.front
  if (!front) return undefined
  const changes = Object.fromEntries(
    Object.entries(FIXERS).flatMap(([key, fix]) => {
      const value = Object.hasOwn(front, key) ? fix(front[key]) : undefined
      return value === undefined || JSON.stringify(value) === JSON.stringify(front[key]) ? [] : [[key, value]]
    }),
  )
  if (Object.keys(changes).length === 0) return undefined
  const fixed = editFrontMatter(text, changes)
  const parse = { owner: parseOwnerFile, repository: parseRepositoryFile, version: parseVersionFile }[place.kind]
  const before = parse(text).problems?.length ?? 0
  const after = parse(fixed).problems?.length ?? 0
  // The license is checked by the content rules, not by the parser.
  return after < before || (after === before && 'license' in changes) ? fixed : undefined
}

const FIXERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  tags: (tags) =>
    areTexts(tags)
      ? [
          ...new Set(
            tags.map((tag) =>
              tag
                .trim()
                .toLowerCase()
                .replaceAll(/[\s_]+/g, '-'),
            ),
          ),
        ]
      : undefined,
  members: (members) =>
    Array.isArray(members)
      ? [...new Set(members.map((member: unknown) => (typeof member === 'string' ? tidyMember(member) : member)))]
      : undefined,
  published_by: (login) => (typeof login === 'string' ? login.toLowerCase() : undefined),
  license: (license) =>
    typeof license === 'string' && findLicenseProblem(license) && !findLicenseProblem(license.trim().toUpperCase())
      ? license.trim().toUpperCase()
      : undefined,
}

/** Subjects are case-sensitive; logins and email addresses are not. */
function tidyMember(member: string): string {
  return member.startsWith('oidc:') && !member.includes('@') ? member : member.toLowerCase()
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
