// Checks incremental builds: whatever was edited in between, their data files are identical to those of a clean build,
// byte for byte.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { writeData } from '../../src/build/write-data.ts'
import { openSearchIndex } from '../../src/search/open-index.ts'
import { editSearchIndex, startSearchIndex } from '../../src/search/write-index.ts'
import { readTree } from '../hubs/build-site.ts'
import { openHostSite } from '../hubs/host-site.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeFiles } from '../write-files.ts'

/** The number of random edits, which follow one of each kind: `EDITS=200 PROMPTS=100` makes a long run. */
const EDITS = Number(process.env.EDITS ?? 0)
const PROMPTS = Number(process.env.PROMPTS ?? 6)

const root = temporaryFolder('prompt-hub-incremental-')
const contentDir = join(root, 'content')
const baseUrl = 'https://hub.test'
let day = '2026-11-20'
let count = 0

beforeAll(() => {
  for (let index = 0; index < PROMPTS; index++) writePrompt(`owner-${index % 4}`, `prompt-${index}`)
})

function put(path: string, text: string): void {
  writeFiles(contentDir, { [path]: text })
}

function writeVersion(owner: string, name: string, version: string, content: string): void {
  const at = new Date(Date.UTC(2026, 9, 1 + (count++ % 60), 0, count % 60)).toISOString()
  const by = count % 3 === 0 ? 'owner-1' : 'somebody'
  put(
    `${owner}/${name}/versions/${version}.md`,
    `---\npublished_at: "${at}"\npublished_by: ${by}\nchangelog: "Change ${count}"\n---\n${content} {{word_${count}}}\n`,
  )
}

function writeIndex(owner: string, name: string, more: string): void {
  put(`${owner}/${name}/index.md`, `---\ntitle: Title ${count++} of ${name}\n${more}---\nReadme ${count}.\n`)
}

function writePrompt(owner: string, name: string): void {
  writeVersion(owner, name, '1.0.0', `Content of ${name}`)
  writeIndex(owner, name, `tags: [tag-${count % 3}]\n`)
}

const prompts = () =>
  readdirSync(contentDir)
    .filter((owner) => owner !== 'usage.json')
    .flatMap((owner) =>
      readdirSync(join(contentDir, owner))
        .filter((name) => name !== 'index.md')
        .map((name) => ({ owner, name, versions: versionsOf(owner, name) })),
    )
const versionsOf = (owner: string, name: string) =>
  readdirSync(join(contentDir, owner, name, 'versions'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3))

/** Publishes a version with files, some of which other versions have too. */
function writeSkill(owner: string, name: string, choice: number): void {
  const version = `1.${count}.0`
  const folder = `${owner}/${name}/versions/${version}`
  put(
    `${folder}.md`,
    `---\npublished_at: "2026-10-02T00:00:00Z"\npublished_by: somebody\nskill:\n  description: Does it.\n---\nSkill ${count++}\n`,
  )
  put(`${folder}/scripts/same.py`, 'print()')
  put(`${folder}/${choice % 2 === 0 ? 'a' : 'b'}.md`, `File ${choice % 3}`)
}

/** Changes, adds or removes a file of a skill by hand. */
function editSkillFile(kind: 'skill-file' | 'skill-file-away', choice: number): void {
  const paths = readdirSync(contentDir, { recursive: true, encoding: 'utf8' })
  const scripts = paths.filter((path) => path.endsWith('same.py')).sort()
  const path = scripts[choice % Math.max(1, scripts.length)]
  if (path === undefined) return
  if (kind === 'skill-file-away') rmSync(join(contentDir, path, '..'), { recursive: true })
  else if (choice % 2 === 0) put(path, `print(${count++})`)
  else put(path.replace('same.py', `more-${count++}.bin`), '\0')
}

/** A single change by a person or a publish. After each change, the content is valid. */
const EDIT_KINDS = [
  'publish',
  'add',
  'change',
  'yank',
  'label',
  'archive',
  'tags',
  'delete',
  'rename',
  'owner',
  'usage',
  'day',
  'join',
  'leave',
  'skill',
  'skill-file',
  'skill-file-away',
  'nothing',
] as const
type Edit = { kind: (typeof EDIT_KINDS)[number]; choice: number }

/**
 * Each edit once, and those that depend on another in their order. Those of a round change different prompts, so that the
 * second does not repair what went wrong with the first.
 */
const BEGINNING: readonly (readonly Edit['kind'][])[] = [
  ['nothing'],
  ['join', 'tags'],
  ['leave', 'skill'],
  ['skill-file', 'archive'],
  ['skill-file', 'yank'],
  ['skill-file-away', 'label'],
  ['publish', 'add'],
  ['change', 'owner'],
  ['usage', 'rename'],
  ['day', 'delete'],
  ['nothing'],
]

function apply({ kind, choice }: Edit): void {
  const all = prompts()
  const chosen = all[choice % all.length]!
  const { owner, name, versions } = chosen
  if (kind === 'publish') writeVersion(owner, name, `1.${count}.0`, `Newer content of ${name}`)
  else if (kind === 'add') writePrompt(choice % 2 === 0 ? `new-owner-${choice % 5}` : owner, `added-${count}`)
  else if (kind === 'change') writeVersion(owner, name, versions[0]!, `Edited by hand`)
  else if (kind === 'yank') writeIndex(owner, name, `yanked: {${versions.at(-1)}: It leaks}\n`)
  else if (kind === 'label') writeIndex(owner, name, `labels: {production: ${versions[0]}}\n`)
  else if (kind === 'archive') writeIndex(owner, name, 'status: archived\n')
  else if (kind === 'tags')
    writeIndex(owner, name, `tags: [tag-${choice % 4}, only-${choice % 7}]\ndescription: Words ${choice}\n`)
  else if (kind === 'delete' && all.length > 3) rmSync(join(contentDir, owner, name), { recursive: true })
  else if (kind === 'rename') {
    cpSync(join(contentDir, owner, name), join(contentDir, owner, `renamed-${count++}`), { recursive: true })
    rmSync(join(contentDir, owner, name), { recursive: true })
  } else if (kind === 'owner')
    put(`${owner}/index.md`, `---\nname: Name ${count++}\nmembers: [member-${choice % 3}]\n---\nBio.\n`)
  else if (kind === 'usage')
    put('usage.json', JSON.stringify({ [`${owner}/${name}`]: { downloads_7d: choice, downloads_90d: choice } }))
  // Only a user with prompts of their own has a page, and every page that shows one of their versions links to it. When
  // their prompts are gone, the page disappears.
  else if (kind === 'skill') writeSkill(owner, name, choice)
  else if (kind === 'skill-file' || kind === 'skill-file-away') editSkillFile(kind, choice)
  else if (kind === 'join') writePrompt('somebody', 'first')
  else if (kind === 'leave') rmSync(join(contentDir, 'somebody'), { recursive: true, force: true })
  else if (kind === 'day') day = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

const QUESTIONS = ['content', 'edited', 'newer', 'words', 'renamed', 'title prompt', 'contnet']

async function askAll(path: string): Promise<unknown> {
  const index = openSearchIndex(path, { isEdited: true })
  const answers = await Promise.all(
    ([undefined, 'top', 'trending', 'new'] as const).flatMap((sort) =>
      ['', ...QUESTIONS].map((text) => index.find({ text, tags: [], sort, offset: 0, limit: 1000 })),
    ),
  )
  index.close()
  return answers
}

test(`incremental data files match a clean build after an edit of each kind and ${EDITS} random edits`, {
  timeout: 3_600_000,
}, async () => {
  const edits = fc.sample(fc.record({ kind: fc.constantFrom(...EDIT_KINDS), choice: fc.nat(1000) }), {
    numRuns: EDITS,
    seed: Number(process.env.SEED ?? 7),
  })
  const index = join(root, 'search.db')
  const path = join(root, 'kept/site.db')
  let site = openHostSite(path, { contentDir, baseUrl })
  let edition = 0
  const beginning = BEGINNING.map((kinds) => kinds.map((kind, at): Edit => ({ kind, choice: at + 1 })))
  for (const [round, some] of [...beginning, ...edits.map((edit) => [edit])].entries()) {
    // A restarted process and a running one must reach the same result.
    if (round % 5 === 4) {
      site.close()
      site = openHostSite(path, { contentDir, baseUrl })
    }
    const named = `round ${round}: ${some.map(({ kind, choice }) => `${kind} ${choice}`).join(', ')}`
    for (const edit of some) {
      apply(edit)
      const { catalogue, changed, removed, isDifferent, problems } = await site.makeBuild(day)
      expect(problems).toEqual([])
      if (round === 0) startSearchIndex(index, catalogue, ++edition)
      else if (isDifferent) editSearchIndex(index, catalogue, [...changed, ...removed], ++edition).commit()
      if (edit.kind === 'nothing' && round > 0) expect(isDifferent, named).toBe(false)
    }
    const clean = join(root, 'clean')
    const places = { siteDir: clean, indexPath: join(root, 'clean-search.db') }
    await writeData({ contentDir, baseUrl, buildDay: day }, places)
    const [ours, theirs] = [site.readAll(), readTree(clean)]
    expect([...ours.keys()], named).toEqual([...theirs.keys()])
    for (const [path, text] of theirs)
      if (ours.get(path) !== text) expect(ours.get(path), `${named}: ${path}`).toBe(text)
    expect(await askAll(index), named).toEqual(await askAll(places.indexPath))
    rmSync(clean, { recursive: true })
  }
  site.close()
})
