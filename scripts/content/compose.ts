// `npm run compose -- <owner>/<name>`: composes the next version of a prompt for a pull request.
import { readFileSync } from 'node:fs'
import { composeVersion } from '../../packages/stores/content/compose.ts'
import { readConfig } from '../../src/config.ts'
import { splitFullName } from '../../src/domain/values/names.ts'
import { BUMPS } from '../../src/domain/values/versions.ts'
import { runCommand } from '../run-command.ts'

const USAGE =
  'Usage: npm run compose -- <owner>/<name> [major|minor|patch] --by login [--source FILE] [--changelog text]'

const HELP = `${USAGE}

Writes the next version of a prompt, with each line {{include "owner/name@range"}} replaced by the content of the
highest version in the range.

  --source FILE     a prompt file with include lines; default: the source of the latest version, composed again
  --by login        your GitHub username
  --changelog text  what changed in this version
  The number is increased by a patch unless you say major or minor.`

const text = { type: 'string' } as const
const options = { by: text, source: text, changelog: text }
await runCommand({ usage: USAGE, help: HELP, options, allowPositionals: true }, ({ positionals, values }) => {
  const [fullName = '', said = 'patch', rest] = positionals
  const place = splitFullName(fullName)
  if (!place) throw new Error('expected owner/name, using only a-z, 0-9 and single hyphens')
  const bump = BUMPS.find((one) => one === said)
  if (!bump || rest !== undefined) throw new Error('expected major, minor or patch')
  if (values.by === undefined) throw new Error('missing: your GitHub username, --by')
  const { contentDir } = readConfig(process.env)
  const source = values.source === undefined ? undefined : readFileSync(values.source, 'utf8')
  const { by, changelog = '' } = values
  const path = composeVersion(contentDir, { ...place, source, bump, changelog, by: by.toLowerCase() }, new Date())
  console.log(
    path === undefined ? `${fullName} is unchanged: no included prompt has a newer version.` : `content/${path}`,
  )
})
