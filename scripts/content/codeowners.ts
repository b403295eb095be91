// `npm run codeowners -- [--maintainers login,org/team] [--check]`: writes .github/CODEOWNERS from the owners' members, or checks that it is up to date.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatCodeowners } from '../../packages/review/rules/codeowners.ts'
import { replaceFile } from '../../packages/stores/content/write-files.ts'
import { readConfig } from '../../src/config.ts'
import { countOf } from '../../src/domain/text/count-of.ts'
import { runCommand } from '../run-command.ts'
import { readContent } from './read-content.ts'
import { readIfThere } from './read-if-there.ts'

const FILE = '.github/CODEOWNERS'
const MAINTAINER = /^[A-Za-z0-9-]{1,39}(?:\/[\w.-]{1,100})?$/

const options = { maintainers: { type: 'string' }, check: { type: 'boolean' } } as const
const help = 'Usage: npm run codeowners -- [--maintainers login,org/team] [--check]'
await runCommand({ help, options }, ({ values }) => {
  const maintainers = (values.maintainers ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  const wrong = maintainers.find((name) => !MAINTAINER.test(name))
  if (wrong !== undefined)
    throw new Error(`--maintainers: expected logins or org/team, separated by commas, got ${wrong}`)
  const tree = readContent(readConfig(process.env).contentDir)
  const before = readIfThere(FILE)
  // The catch-all line is preserved unless --maintainers replaces it.
  const kept = values.maintainers === undefined ? (/^\* (.*)$/m.exec(before)?.[1] ?? '').split(' ') : []
  const asked = [...maintainers, ...kept.flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []))]
  const text = formatCodeowners(tree.owners, asked)
  if (!values.check) {
    mkdirSync(dirname(FILE), { recursive: true })
    replaceFile(FILE, text)
    console.log(`${FILE}: ${countOf(text.split('\n').length - 2, 'line')}`)
  } else if (before === text) console.log(`${FILE} is up to date.`)
  else throw new Error(`${FILE} does not match the owners' members. Update it: npm run codeowners`)
})
