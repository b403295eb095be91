// `npm run new -- <owner>/<name>` and `npm run bump -- <owner>/<name> [major|minor|patch|auto]`: creates files to edit; in a terminal, it asks for missing values.
import { createInterface } from 'node:readline/promises'
import { readConfig } from '../../src/config.ts'
import { requireFree, requireVersions, scaffoldPrompt, scaffoldVersion } from '../../src/content/scaffold.ts'
import { splitFullName, titleFromName } from '../../src/domain/values/names.ts'
import { WANTED_BUMPS } from '../../src/domain/values/versions.ts'
import { runCommand } from '../run-command.ts'

const DEFAULT_LICENSE = 'CC0-1.0'

const USAGE = [
  'Usage: npm run new -- <owner>/<name> --by login --description text [--title text] [--tags a,b] [--license MIT]',
  '       npm run bump -- <owner>/<name> [major|minor|patch|auto] --changelog text [--by login]',
].join('\n')

const HELP = `${USAGE}

Creates the files for a new prompt, or for the next version of one. In a terminal, it asks for missing values.

  --by login          your GitHub username
  --description text  what the prompt is for
  --title text        default: the name as words
  --tags a,b          tags, separated by commas
  --license MIT       SPDX expression; default: ${DEFAULT_LICENSE}
  --changelog text    what changed in this version

The number is increased by a patch unless you say major or minor, because the draft has the content of the highest
version. After you edit it, npm run check:content says whether the number is too small for what changed.`

const text = { type: 'string' } as const
const options = { by: text, title: text, description: text, tags: text, license: text, changelog: text }
await runCommand({ usage: USAGE, help: HELP, options, allowPositionals: true }, async ({ positionals, values }) => {
  const [verb, ...rest] = positionals
  const isNew = verb === 'new'
  if (rest.length > (isNew ? 1 : 2)) throw new Error(`unexpected argument: ${rest.at(-1)}`)
  const fullName = splitFullName(rest[0] ?? (await ask('owner/name')))
  if (!fullName) throw new Error('expected owner/name, using only a-z, 0-9 and single hyphens')
  const { contentDir } = readConfig(process.env)
  const made = await (isNew ? makePrompt : makeVersion)(contentDir, fullName)
  for (const path of made) console.log(`content/${path}`)
  console.log('Edit the files, then run: npm run check:content')

  async function makePrompt(dir: string, { owner, name }: { owner: string; name: string }): Promise<string[]> {
    requireFree(dir, { owner, name })
    const by = (values.by ?? (await ask('your GitHub username, --by'))).toLowerCase()
    const description = values.description ?? (await ask('description, --description'))
    const { title = titleFromName(name), license = DEFAULT_LICENSE } = values
    if (values.license === undefined)
      console.error(
        `License: ${license}, which lets everyone use the prompt without conditions. Use --license to choose another.`,
      )
    const tags = (values.tags ?? '').split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]))
    return scaffoldPrompt(dir, { owner, name, by, title, description, tags, license }, new Date())
  }

  async function makeVersion(dir: string, { owner, name }: { owner: string; name: string }): Promise<string[]> {
    requireVersions(dir, { owner, name })
    const said = rest[1] ?? 'auto'
    const bump = WANTED_BUMPS.find((one) => one === said)
    if (!bump) throw new Error(`expected major, minor, patch or auto, got ${said}`)
    const changelog = values.changelog ?? (await ask('changelog, --changelog'))
    return scaffoldVersion(dir, { owner, name, bump, by: values.by?.toLowerCase(), changelog }, new Date())
  }
})

/** Asks for a value in a terminal; otherwise, a missing value is an error. */
async function ask(what: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error(`missing: ${what}`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(`${what}: `)).trim()
  } finally {
    terminal.close()
  }
}
