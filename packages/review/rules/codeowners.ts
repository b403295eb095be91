// Formats the CODEOWNERS file, which lists the members whose review GitHub requests for each owner's files.

import type { OwnerFile } from '../../../src/domain/content/prompt-file.ts'
import { compareText } from '../../../src/domain/text/compare-text.ts'
import { hasOwnerForm } from '../../../src/domain/values/names.ts'

const isLogin = (member: string | number): member is string => typeof member === 'string' && hasOwnerForm(member)

/**
 * Formats the file. Members listed by GitHub user ID or `oidc:` are omitted, because the file supports only logins.
 *
 * @param owners owners by handle, with their members
 * @param maintainers logins or teams (`octocat`, `acme/team`) that review everything else; may be empty @see https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
 */
export function formatCodeowners(
  owners: ReadonlyMap<string, Pick<OwnerFile, 'members'>>,
  maintainers: readonly string[],
): string {
  const named = (logins: readonly string[]) => logins.map((login) => `@${login}`).join(' ')
  const lines = [...owners]
    .map(([owner, { members }]) => [owner, members.filter(isLogin)] as const)
    .filter(([, logins]) => logins.length > 0)
    .sort(([a], [b]) => compareText(a, b))
    .map(([owner, logins]) => `/content/${owner}/ ${named([...logins].sort(compareText))}`)
  return [
    '# Written by `npm run codeowners` from the members of content/{owner}/index.md; run it again after they change.',
    // The last matching line wins, so the catch-all comes first.
    ...(maintainers.length === 0 ? [] : [`* ${named(maintainers)}`]),
    ...lines,
    '',
  ].join('\n')
}
