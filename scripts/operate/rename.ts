// `npm run rename -- acme acme-labs`, `npm run rename -- acme/review nina/review`: gives an owner or a prompt another name, in one commit, after which the old addresses redirect.
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { editKeys, parseOwnerFile, parseRepositoryFile } from '../../src/domain/content/prompt-file.ts'
import { countOf } from '../../src/domain/text/plain-text.ts'
import { formatProblems } from '../../src/domain/text/problems.ts'
import { isName, isOwner, isPortableName, splitFullName } from '../../src/domain/values/names.ts'
import { findServedContent } from '../../src/hosts/node/own-catalogue.ts'
import { commitChange } from '../content/commit-change.ts'
import { type ContentTree, openContentTree } from '../content/content-tree.ts'
import { readIfThere } from '../content/read-if-there.ts'
import { runCommand } from '../run-command.ts'

const USAGE = `Usage: npm run rename -- OLD_OWNER NEW_OWNER         renames an owner, with all its prompts
       npm run rename -- OWNER/NAME OWNER/NAME       gives a prompt another name or another owner`
const EMPTY = '---\n---\n'

await runCommand({ usage: USAGE, allowPositionals: true }, async ({ positionals }) => {
  const [before = '', now = '', ...more] = positionals
  const names = more.length > 0 ? undefined : readNames(before, now)
  if (!names) throw new Error('expected two owners, or two prompts such as acme/review, in lower case')
  const config = readConfig(process.env)
  if (config.keepsClone)
    throw new Error(
      'This hub follows a repository on GitHub and never changes its own clone. Clone the repository, and set CONTENT_DIR to the content folder of that clone.',
    )
  await rename(await openContentTree(findServedContent(config)), names)
})

/** What is renamed: a prompt, or an owner. */
interface Names {
  before: string
  now: string
  isOwner: boolean
}

function readNames(before: string, now: string): Names | undefined {
  if (before === now) return undefined
  if (isOwner(before) && isOwner(now)) return { before, now, isOwner: true }
  const [from, to] = [splitFullName(before), splitFullName(now)]
  const areValid = from && to && isOwner(to.owner) && isName(to.name) && isPortableName(to.name)
  return areValid ? { before, now, isOwner: false } : undefined
}

async function rename(tree: ContentTree, names: Names): Promise<void> {
  const { folder, prefix } = tree
  const { before, now, isOwner: isWholeOwner } = names
  const content = join(folder, prefix)
  const moves = isWholeOwner ? listPrompts(content, names) : [[before, now] as const]
  const files = [...moves.flatMap(([from, to]) => edits(content, from, to)), ...ownerEdits(content, names)]
  const paths = [...new Set([...moves.flat(), ...files.map(({ path }) => path)])].map((path) => `${prefix}${path}`)
  const made = [...moves.map(([, to]) => to), ...files.map(({ path }) => path)]
    .filter((path) => !existsSync(join(content, path)))
    .map((path) => `${prefix}${path}`)
  const write = () => {
    for (const [from, to] of moves) cpSync(join(content, from), join(content, to), { recursive: true })
    for (const { path, text } of files) writeFileSync(join(content, path), text)
  }
  const commit = await commitChange(tree, { message: `Rename ${before} to ${now}`, paths, made, write })
  const count = isWholeOwner ? `, with ${countOf(moves.length, 'prompt')},` : ''
  console.log(`Renamed ${before} to ${now}${count} in commit ${commit}. Versions, labels and results are the same.

1. Push the commit. From the next build on, the old addresses redirect.
2. Create tokens for ${now}: those for ${before} publish only there, and are told the new name.
3. Tell those who lock ${before}: their locks stay valid, and clients name ${now}.
4. Keep the folder content/${before}: the redirects come from it.`)
}

/** The prompts of an owner, with the names that they get. */
function listPrompts(content: string, { before, now }: Names): (readonly [from: string, to: string])[] {
  const folder = join(content, before)
  const names = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const found = names.filter((one) => one.isDirectory() && isName(one.name))
  // What was renamed before stays, because its addresses redirect already, and what was taken down has only its numbers.
  const kept = found
    .filter(({ name }) => existsSync(join(folder, name, 'versions')))
    .filter(({ name }) => readPrompt(content, `${before}/${name}`).moved_to === null)
  if (kept.length === 0) throw new Error(`There is no prompt to rename in content/${before}.`)
  return kept.map(({ name }) => [`${before}/${name}`, `${now}/${name}`] as const)
}

function readPrompt(content: string, fullName: string) {
  const { value, problems } = parseRepositoryFile(readIfThere(join(content, fullName, 'index.md')) || EMPTY)
  if (problems) throw new Error(`content/${fullName}/index.md: ${formatProblems(problems)}. Fix it first.`)
  return value
}

/** The old prompt names the new one. */
function edits(content: string, from: string, to: string): { path: string; text: string }[] {
  if (!existsSync(join(content, from, 'versions'))) throw new Error(`There is no prompt content/${from}.`)
  if (existsSync(join(content, to))) throw new Error(`content/${to} exists already. Choose another name.`)
  const { moved_to } = readPrompt(content, from)
  if (moved_to !== null) throw new Error(`${from} has moved to ${moved_to}. Rename that.`)
  const path = `${from}/index.md`
  const text = readIfThere(join(content, path)) || EMPTY
  return [{ path, text: editKeys(text, [{ path: ['moved_to'], value: to }]) }]
}

/** The new owner has the profile and the rules of the old one. Without members, the old handle's own login goes on having rights. */
function ownerEdits(content: string, { before, now, isOwner: isWholeOwner }: Names): { path: string; text: string }[] {
  const path = `${now}/index.md`
  if (!isWholeOwner || existsSync(join(content, path))) return []
  const text = readIfThere(join(content, before, 'index.md')) || EMPTY
  const { value, problems } = parseOwnerFile(text)
  if (problems) throw new Error(`content/${before}/index.md: ${formatProblems(problems)}. Fix it first.`)
  return [{ path, text: value.members?.length ? text : editKeys(text, [{ path: ['members'], value: [before] }]) }]
}
