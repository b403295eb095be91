// `npm run takedown -- acme/review@1.1.0 "reason"`: removes a version, or a whole prompt, in one commit, and prints where copies may remain.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { readContentDir } from '../../src/content/content-dir.ts'
import { formatPath } from '../../src/domain/content/content-path.ts'
import { editKeys, parseRepositoryFile } from '../../src/domain/content/prompt-file.ts'
import { formatProblems } from '../../src/domain/text/problems.ts'
import type { KeyChange } from '../../src/domain/text/yaml-edit.ts'
import { labelsWith } from '../../src/domain/values/label-target.ts'
import { splitFullName, splitVersionAddress } from '../../src/domain/values/names.ts'
import { line } from '../../src/domain/values/values.ts'
import { findServedContent } from '../../src/hosts/node/own-catalogue.ts'
import { runCommand } from '../run-command.ts'
import { commitChange } from './commit-change.ts'
import { type ContentTree, openContentTree } from './content-tree.ts'
import { readIfThere } from './read-if-there.ts'

const USAGE = `Usage: npm run takedown -- OWNER/NAME@VERSION "REASON"   removes one version
       npm run takedown -- OWNER/NAME "REASON"           removes a prompt with all its versions`
const REASON = line(500).min(1)

/** What is taken down: a version, or without one, the prompt with all its versions. */
interface Target {
  owner: string
  name: string
  version?: string
}

interface Edit {
  path: string
  text: string
  /** What the edit changes besides `removed`. */
  also: string[]
}

await runCommand({ usage: USAGE, allowPositionals: true }, ({ positionals }) => takeDown(positionals))

async function takeDown([address = '', reason = '', ...more]: readonly string[]): Promise<void> {
  const target: Target | undefined = splitVersionAddress(address) ?? splitFullName(address)
  if (!target || more.length > 0) throw new Error('expected a prompt, or a version such as acme/review@1.1.0')
  if (!REASON.safeParse(reason).success)
    throw new Error('expected a reason on one line, which is written to index.md and visible to everyone')
  const config = readConfig(process.env)
  if (config.keepsClone)
    throw new Error(
      'This hub follows a repository on GitHub and never changes its own clone. Clone the repository, and set CONTENT_DIR to the content folder of that clone.',
    )
  const tree = await openContentTree(findServedContent(config))
  const removed = await listFiles(tree, target)
  const renamed = listRenamed(tree, target)
  const edits =
    target.version === undefined ? await editPrompt(tree, target, reason) : await editIndex(tree, target, reason)
  const commit = await commitRemoval(tree, `Take down ${address}`, removed, edits)
  const also = edits.flatMap((edit) => edit.also)
  const numbers = target.version === undefined ? 'Its numbers are' : 'Its number is'
  console.log(`Removed ${address} in commit ${commit}${also.length === 0 ? '' : `, with ${also.join(', ')}`}.
${numbers} never used again.

1. Push the commit. The hub returns 404 from its next build on.
2. If the text contains a secret, revoke it: assume that somebody has read it.
3. Remove the copies that remain:
${[...describeRenamed(renamed), ...describeIncluding(listIncluding(tree, target)), ...describeCopies(removed)].map((text) => `   - ${text}\n`).join('')}`)
}

function describeIncluding(versions: readonly string[]): string[] {
  if (versions.length === 0) return []
  const named = versions.slice(0, 10).join(', ') + (versions.length > 10 ? ` and ${versions.length - 10} more` : '')
  return [`${named} include this text: publish without it, then take down these versions too`]
}

/** Lists the same texts under the names that the prompt had before `npm run rename`. */
function listRenamed({ folder, prefix }: ContentTree, { owner, name, version }: Target): string[] {
  const { tree } = readContentDir(join(folder, prefix))
  return Array.from(tree.repositories)
    .filter(([, { file }]) => file?.moved_to === `${owner}/${name}`)
    .filter(([, { versions }]) => version === undefined || versions.some((one) => one.version === version))
    .map(([fullName]) => (version === undefined ? fullName : `${fullName}@${version}`))
}

function describeRenamed(addresses: readonly string[]): string[] {
  return addresses.length === 0 ? [] : [`${addresses.join(', ')}, the old name, has the text as well: take it down too`]
}

function describeCopies(removed: readonly string[]): string[] {
  return [
    `git history: git filter-repo --invert-paths ${removed.map((path) => `--path ${path}`).join(' ')}`,
    'clones, forks and pull requests: ask their owners, and the git host, to delete the old commits',
    'the hub’s store: a text published in the last 24 hours, until it expires',
    'caches: purge the CDN; browsers and proxies may keep a version for a year',
    'mirrors: copies of /data/v1 have it until they are updated',
    'users: lock files, vendored prompts and the caches of clients have it',
    'backups of the content, of .hub and of the database',
  ]
}

/** Lists the versions that include what is taken down, and so contain its text, such as `acme/review@1.0.0`. */
function listIncluding({ folder, prefix }: ContentTree, { owner, name, version }: Target): string[] {
  const { tree } = readContentDir(join(folder, prefix))
  return Array.from(tree.repositories).flatMap(([fullName, { versions }]) =>
    versions
      .filter(({ includes = [] }) =>
        includes.some(
          (part) => part.repository === `${owner}/${name}` && (version === undefined || part.version === version),
        ),
      )
      .map((one) => `${fullName}@${one.version}`),
  )
}

function pathOfIndex({ prefix }: ContentTree, { owner, name }: Target): string {
  return `${prefix}${formatPath({ kind: 'repository', owner, name })}`
}

/** Lists the files and folders on the branch: of a version, its file and the folders of its files, results and attestations. */
async function listFiles({ git, prefix }: ContentTree, { owner, name, version }: Target): Promise<string[]> {
  const folder = `${prefix}${owner}/${name}`
  const paths =
    version === undefined
      ? [folder]
      : ['versions/{v}.md', 'versions/{v}', 'results/{v}', 'attestations/{v}'].map(
          (path) => `${folder}/${path.replace('{v}', version)}`,
        )
  const listed = (await git.find(['ls-tree', '--name-only', 'HEAD', '--', ...paths])) ?? ''
  const files = listed.split('\n').filter(Boolean)
  if (files.length > 0) return files
  throw new Error(
    `There is no ${version === undefined ? 'prompt' : `version ${version} of`} ${owner}/${name} on this branch.`,
  )
}

/** Records the number as used up, and removes what points at the version. */
async function editIndex(tree: ContentTree, target: Target, reason: string): Promise<Edit[]> {
  const { version = '' } = target
  const path = pathOfIndex(tree, target)
  const text = readIfThere(join(tree.folder, path)) || '---\n---\n'
  const { value, problems } = parseRepositoryFile(text)
  if (problems) throw new Error(`${path} cannot be read: ${formatProblems(problems)}. Fix it first.`)
  const labels = labelsWith(value.labels, version)
  const changes: KeyChange[] = [
    ...labels.map((label): KeyChange => {
      const { version: first } = value.labels[label]!
      return { path: ['labels', label], value: first === version ? undefined : first }
    }),
    ...(Object.hasOwn(value.yanked, version) ? [{ path: ['yanked', version], value: undefined } as const] : []),
    { path: ['removed', version], value: reason },
  ]
  return [{ path, text: editKeys(text, changes), also: labels.map((label) => `the label ${label}`) }]
}

/** Records all numbers of a prompt as used up, in an `index.md` with nothing else, and removes other prompts' references to it. */
async function editPrompt(tree: ContentTree, target: Target, reason: string): Promise<Edit[]> {
  const { git, folder, prefix } = tree
  const fullName = `${target.owner}/${target.name}`
  const path = pathOfIndex(tree, target)
  const versions = `${prefix}${fullName}/versions/`
  const listed = (await git.find(['ls-tree', '--name-only', 'HEAD', '--', versions])) ?? ''
  const numbers = listed.split('\n').filter((file) => file.endsWith('.md'))
  const before = readIfThere(join(folder, path))
  const removed = {
    // An index that cannot be read is taken down too.
    ...parseRepositoryFile(before || '---\n---\n').value?.removed,
    ...Object.fromEntries(numbers.map((file) => [file.slice(versions.length, -'.md'.length), reason])),
  }
  const isKept = Object.keys(removed).length > 0
  const text = editKeys('---\n---\n', [{ path: ['removed'], value: removed }])
  if (text === before) throw new Error(`${fullName} was taken down before.`)
  return [...(isKept ? [{ path, text, also: [] }] : []), ...(await editReferences(tree, fullName))]
}

async function editReferences({ git, folder, prefix }: ContentTree, fullName: string): Promise<Edit[]> {
  const found = (await git.find(['grep', '-l', '-F', '-e', fullName, 'HEAD', '--', prefix === '' ? '.' : prefix])) ?? ''
  return found
    .split('\n')
    .map((file) => file.replace(/^HEAD:/, ''))
    .filter((path) => /^[^/]+\/[^/]+\/index\.md$/.test(path.slice(prefix.length)))
    .filter((path) => !path.startsWith(`${prefix}${fullName}/`))
    .flatMap((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      const file = parseRepositoryFile(text).value
      const keys = (['moved_to', 'replaced_by'] as const).filter((key) => file?.[key] === fullName)
      if (keys.length === 0) return []
      const other = path.slice(prefix.length, -'/index.md'.length)
      const changes = keys.map((key): KeyChange => ({ path: [key], value: undefined }))
      return [{ path, text: editKeys(text, changes), also: keys.map((key) => `${key} of ${other}`) }]
    })
}

/** Commits the removal and the edits. @returns the start of the commit's ID */
async function commitRemoval(
  tree: ContentTree,
  message: string,
  removed: readonly string[],
  edits: readonly Edit[],
): Promise<string> {
  const edited = edits.map(({ path }) => path)
  const write = () => {
    for (const path of removed) rmSync(join(tree.folder, path), { recursive: true })
    for (const { path, text } of edits) {
      mkdirSync(dirname(join(tree.folder, path)), { recursive: true })
      writeFileSync(join(tree.folder, path), text)
    }
  }
  return commitChange(tree, { message, paths: [...removed, ...edited], made: edited, write })
}
