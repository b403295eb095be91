// `npm run compose -- <owner>/<name>`: composes the next version of a prompt for a pull request.
import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config.ts'
import { composeVersion } from '../../src/content/compose.ts'
import { splitFullName } from '../../src/domain/values/names.ts'
import { WANTED_BUMPS } from '../../src/domain/values/versions.ts'
import { runCommand } from '../run-command.ts'

const USAGE =
  'Usage: npm run compose -- <owner>/<name> [major|minor|patch|auto] --by login [--source FILE] [--changelog text] [--allow-breaking] [--expect SHA256]'

const HELP = `${USAGE}

Writes the next version of a prompt, with each line {{include "owner/name@range"}} replaced by the content of the
highest version in the range.

  --source FILE     a prompt file with include lines; default: the source of the latest version, composed again
  --by login        your GitHub username
  --changelog text  what changed in this version
  --allow-breaking  writes a breaking change as minor or patch, if you say so
  --expect SHA256   writes nothing unless this is the manifest_sha256 of the version, as a hub's check returns it
  By default (auto), the number fits what changed for callers: major for a breaking change.`

const text = { type: 'string' } as const
const options = {
  by: text,
  source: text,
  changelog: text,
  expect: text,
  'allow-breaking': { type: 'boolean' },
} as const
await runCommand({ usage: USAGE, help: HELP, options, allowPositionals: true }, ({ positionals, values }) => {
  const [fullName = '', said = 'auto', rest] = positionals
  const place = splitFullName(fullName)
  if (!place) throw new Error('expected owner/name, using only a-z, 0-9 and single hyphens')
  const bump = WANTED_BUMPS.find((one) => one === said)
  if (!bump || rest !== undefined) throw new Error('expected major, minor, patch or auto')
  if (values.by === undefined) throw new Error('missing: your GitHub username, --by')
  const { contentDir } = readConfig(process.env)
  const source = values.source === undefined ? undefined : readFileSync(values.source, 'utf8')
  const { by, changelog = '', expect: expected } = values
  const path = composeVersion(
    contentDir,
    {
      ...place,
      source,
      bump,
      changelog,
      expected,
      by: by.toLowerCase(),
      allowBreaking: values['allow-breaking'] ?? false,
    },
    new Date(),
  )
  console.log(
    path === undefined
      ? `${fullName} is unchanged: no included prompt has a newer version${expected === undefined ? '' : ', or the manifest is another one'}.`
      : `content/${path}`,
  )
})
