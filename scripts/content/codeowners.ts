// `npm run codeowners -- [--maintainers login,org/team] [--check]`: writes .github/CODEOWNERS from the owners' members, or checks that it is up to date.
import { writeFileSync } from 'node:fs'
import { formatCodeowners } from '../../packages/review/rules/codeowners.ts'
import { readContentDir } from '../../packages/stores/content/content-dir.ts'
import { readConfig } from '../../src/config.ts'
import { formatProblem } from '../../src/domain/text/problems.ts'
import { runCommand } from '../run-command.ts'
import { readIfThere } from './read-if-there.ts'

const FILE = '.github/CODEOWNERS'
const MAINTAINER = /^[A-Za-z0-9-]{1,39}(?:\/[\w.-]{1,100})?$/

const options = { maintainers: { type: 'string' }, check: { type: 'boolean' } } as const
await runCommand({ options }, ({ values }) => {
  const maintainers = (values.maintainers ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  const wrong = maintainers.find((name) => !MAINTAINER.test(name))
  if (wrong !== undefined)
    throw new Error(`--maintainers: expected logins or org/team, separated by commas, got ${wrong}`)
  const { tree, problems } = readContentDir(readConfig(process.env).contentDir)
  if (problems.length > 0) throw new Error(`${problems[0]!.file}: ${formatProblem(problems[0]!)}`)
  const before = readIfThere(FILE)
  // The catch-all line is preserved unless --maintainers replaces it.
  const kept = values.maintainers === undefined ? (/^\* (.*)$/m.exec(before)?.[1] ?? '').split(' ') : []
  const asked = [...maintainers, ...kept.flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []))]
  const text = formatCodeowners(tree.owners, asked)
  if (!values.check) {
    writeFileSync(FILE, text)
    console.log(`${FILE}: ${text.split('\n').length - 2} lines`)
  } else if (before === text) console.log(`${FILE} is up to date.`)
  else throw new Error(`${FILE} does not match the owners' members. Update it: npm run codeowners`)
})
