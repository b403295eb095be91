// `npm run check:content -- [--base REV] [--json] [--fix]`: checks the content folder against all rules and reports all problems at once. It fails on errors, but not on advice.

import { readConfig } from '../../src/config.ts'
import { describeIgnored } from '../../src/content/content-files.ts'
import { countOf } from '../../src/domain/text/plain-text.ts'
import { findTrackedHead } from '../../src/review/content-changes.ts'
import { reviewContent } from '../../src/review/review-content.ts'
import type { ReviewEntry } from '../../src/review/rules/review-findings.ts'
import { runCommand } from '../run-command.ts'

const options = { base: { type: 'string' }, json: { type: 'boolean' }, fix: { type: 'boolean' } } as const
const help = 'Usage: npm run check:content -- [--base REV] [--json] [--fix]'
await runCommand({ status: 2, help, options }, async ({ values }) => {
  const { contentDir, oidc } = readConfig(process.env)
  const { base, json = false, fix = false } = values
  // If no base is given, versions that are not in the last commit count as new.
  const review = await reviewContent({
    contentDir,
    base: base ?? (await findTrackedHead(contentDir, process.env)),
    fix,
    environment: process.env,
    issuer: oidc.issuer,
  })
  const errors = review.entries.filter(({ severity }) => severity === 'error').length
  const advice = review.entries.length - errors
  if (json) console.log(JSON.stringify(review.entries, undefined, 2))
  else {
    const isAction = process.env.GITHUB_ACTIONS === 'true'
    for (const entry of review.entries) console.log(isAction ? annotate(entry) : formatEntry(entry))
    console.log(
      `${countOf(review.files, 'file')} in ${countOf(review.repositories, 'repository', 'repositories')} checked: ${errors === 0 ? 'no problems' : countOf(errors, 'problem')}, ${advice === 0 ? 'no advice' : `advice in ${countOf(advice, 'place')}`}.`,
    )
  }
  for (const path of review.mended) console.error(`Fixed content/${path}.`)
  for (const note of review.notes) console.error(note)
  if (review.ignored.length > 0) console.error(describeIgnored(review.ignored))
  process.exitCode = errors === 0 ? 0 : 1
})

function formatEntry({ file, line, rule, message, severity }: ReviewEntry): string {
  return `${file}:${line}  ${rule}${severity === 'advice' ? ' (advice)' : ''}  ${message}`
}

/** Formats an annotation, which GitHub Actions shows next to the file. @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function annotate({ file, line, rule, message, severity }: ReviewEntry): string {
  const text = (value: string) => value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (value: string) => text(value).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const command = severity === 'error' ? 'error' : 'warning'
  return `::${command} file=${property(file)},line=${line},title=${property(rule)}::${text(message)}`
}
