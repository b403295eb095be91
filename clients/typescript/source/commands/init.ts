// The command that writes a workflow of GitHub Actions: it checks prompts in pull requests, and publishes them from the main branch. Its parts are those of the hub's guides, in which the hub has filled in its own address, repository and commit.
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeWhole } from '../files.ts'
import { FULL_NAME } from '../lock.ts'
import { PromptHubError } from '../trouble.ts'
import { type Command, define, invalid } from './define.ts'
import { hubUrl, read } from './hub.ts'
import { complain, say } from './terminal.ts'

const PLACE = '.github/workflows/prompts.yml'
/** The guide with both workflows. */
const GUIDE = '/docs/publishing.md'

/** `init`. */
export const initCommand: Command = define({
  takes: [0, 0],
  options: {
    owner: { type: 'string' },
    files: { type: 'string', default: 'prompts/*.md' },
    force: { type: 'boolean', default: false },
  },
  async run(_, { owner = '', files, force }) {
    if (!FULL_NAME.test(`${owner}/x`))
      throw invalid(`--owner: expected an owner such as acme, got ${owner || 'nothing'}`)
    if (!/^[\w.*/-]{1,200}$/.test(files))
      throw invalid(`--files: expected a pattern such as prompts/*.md, got ${files || 'nothing'}`)
    if (existsSync(PLACE) && !force) throw invalid(`${PLACE} is there already; --force replaces it`)
    const url = hubUrl()
    const { text: guide } = await read(url, GUIDE)
    const [check, publish] = [findPart(guide, 'check prompts', url), findPart(guide, 'publish prompts', url)]
    const text = join(check, publish)
      .replaceAll(/\.github\/workflows\/(?:check|publish)\.yml/g, PLACE)
      .replaceAll('prompts/*.md', files)
      .replaceAll(/\bowner: [a-z0-9-]+/g, `owner: ${owner}`)
    await mkdir(dirname(PLACE), { recursive: true })
    await writeWhole(PLACE, text)
    say(PLACE)
    if (text.includes('@COMMIT'))
      complain(
        `the hub does not know where its code is: in ${PLACE}, replace OWNER/prompt-hub@COMMIT by its repository on GitHub and a commit`,
      )
    complain(`next, let the hub trust the workflow prompts.yml: ${url}/${owner}/settings`)
  },
})

/** A workflow in a guide. */
interface Part {
  /** The lines of `on`, without `workflow_dispatch`. */
  triggers: string
  permissions: string
  /** Empty if it has none. */
  concurrency: string
  job: string
}

/** Finds a workflow in the guide. The one that needs no token is the last of its name. @throws PromptHubError `unavailable` if it is not there */
function findPart(guide: string, name: string, url: string): Part {
  const blocks = guide.matchAll(new RegExp(`^\`\`\`yaml\\n(name: ${name}\\n[^\`]*)^\`\`\`$`, 'gm'))
  const [, block = ''] = [...blocks].at(-1) ?? []
  const partOf = (key: string) => new RegExp(`^${key}:\\n((?: +.*\\n)+)`, 'm').exec(block)?.[1] ?? ''
  const lineOf = (key: string) => new RegExp(`^${key}: .*\\n`, 'm').exec(block)?.[0] ?? ''
  const [, job] = /^ {2}[a-z]+:\n([\s\S]+)$/.exec(partOf('jobs')) ?? []
  if (job === undefined) throw new PromptHubError('unavailable', `${url}${GUIDE} has no workflow; is it a Prompt Hub?`)
  const triggers = partOf('on').replace('  workflow_dispatch:\n', '')
  return { triggers, permissions: lineOf('permissions'), concurrency: lineOf('concurrency'), job }
}

function join(check: Part, publish: Part): string {
  return [
    'name: prompts\non:\n',
    publish.triggers,
    check.triggers,
    `  workflow_dispatch:\n${check.permissions}jobs:\n`,
    `  check:\n    if: github.event_name == 'pull_request'\n${check.job}`,
    `  publish:\n    if: github.event_name != 'pull_request'\n`,
    `    ${publish.permissions}    ${publish.concurrency}${publish.job}`,
  ].join('')
}
