// `npm run check:content -- [--base REV]`: every rule over the content folder, every problem at once; with --base, also that no published version changed.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { findInText } from '../src/domain/content/findings.ts'
import { formatProblem, type Problem } from '../src/domain/content/problems.ts'
import { formatPath, parsePath } from '../src/domain/content/prompt-file.ts'
import { openContentDir } from '../src/stores/content-dir.ts'
import { sayIgnored } from '../src/stores/content-files.ts'

const { values } = parseArgs({ options: { base: { type: 'string' } } })
const { contentDir } = readConfig(process.env)
const { tree, problems, filesRead, ignored } = openContentDir(contentDir)()
if (values.base !== undefined) problems.push(...findChangedVersions(values.base))

if (ignored.length > 0) console.warn(sayIgnored(ignored))
for (const problem of findWarnings()) console.warn(`warning: ${problem.file}: ${formatProblem(problem)}`)
for (const problem of problems) console.error(`error: ${problem.file}: ${formatProblem(problem)}`)
console.log(
  `${filesRead} files in ${tree.repositories.size} repositories checked: ${problems.length === 0 ? 'all is well' : `${problems.length} problems`}.`,
)
process.exitCode = problems.length === 0 ? 0 : 1

/** Secrets and characters that do not show: published all the same, but worth a look by a person. */
function findWarnings(): Problem[] {
  return [...tree.repositories.values()].flatMap(({ owner, name, versions }) =>
    versions.flatMap(({ version, content }) => {
      const file = `content/${formatPath({ kind: 'version', owner, name, version })}`
      return findInText(content).map(({ message, offset }) => ({
        file,
        key: `content, character ${offset}`,
        message,
      }))
    }),
  )
}

/** A version is never changed, moved or deleted once it is on the main branch. docs/contract.md section 2 */
function findChangedVersions(base: string): Problem[] {
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-C', contentDir, ...parameters], { encoding: 'utf8', maxBuffer: 1024 ** 3 })
  const commit = git('rev-parse', '--verify', '--end-of-options', `${base}^{commit}`).trim()
  const top = git('rev-parse', '--show-toplevel').trim()
  const folder = `${resolve(contentDir).slice(top.length + 1)}/`
  const changes = git('diff', '--name-status', '--no-renames', '--diff-filter=MDT', '-z', commit, '--', '.').split('\0')
  const changed: Problem[] = []
  for (let index = 0; index + 1 < changes.length; index += 2) {
    const path = changes[index + 1]!.slice(folder.length)
    const place = parsePath(path)
    if ('wrong' in place || place.kind !== 'version') continue
    const message = `expected the file as it is in ${base}: a published version is never changed or deleted; publish a new one, or yank this one in index.md`
    changed.push({ file: `content/${path}`, key: '', message })
  }
  return changed
}
