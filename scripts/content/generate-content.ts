// `npm run generate`: writes a synthetic catalogue for benchmarks. It satisfies every content rule, and the same seed produces the same bytes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { filesInto } from '../../src/content/write-files.ts'
import { formatPath } from '../../src/domain/content/content-path.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { isOwner, type RepositoryPlace } from '../../src/domain/values/names.ts'
import { nextVersion } from '../../src/domain/values/versions.ts'
import { openProgress } from '../progress.ts'
import { runCommand } from '../run-command.ts'
import { createLanguage, type Language } from './language.ts'
import { drawLogNormal, pick, type Random, randomInteger, seedRandom, zipf } from './random.ts'

const USAGE = 'Usage: npm run generate -- --repos N --versions V --out DIR [--seed S]'

interface SyntheticCatalogue {
  repositories: number
  /** Number of versions per repository. */
  versions: number
  seed: number
  /** The target folder; emptied if this command created its contents, rejected if it contains anything else. */
  dir: string
}

/** An owner without repositories, whose profile marks folders created by this command. A separate marker file is impossible, because content may contain only prompts and profiles. */
const MAKER = 'synthetic'
const MADE_BY = 'Made by `npm run generate -- '

/** Dates are derived from this fixed day instead of the clock, so that the same seed produces the same bytes next year. */
export const LAST_DAY = '2026-11-01'
const SPAN_MS = 1_000 * 86_400_000

/** Realistic prompt lengths: half of the prompts have fewer words than the median, and one in a hundred has ten times as many. */
export const CONTENT_WORDS = { median: 150, sigma: 0.95, most: 20_000 }

/**
 * Writes a synthetic catalogue, file by file.
 *
 * @returns the counts; `owners` includes the owner that marks the folder
 * @throws Error if the folder contains anything that this command did not create
 */
export function generateContent(
  { repositories, versions, seed, dir }: SyntheticCatalogue,
  onRepository: (done: number) => void = () => {},
) {
  emptyFolder(dir)
  const write = filesInto(dir)
  const random = seedRandom(seed)
  const language = createLanguage(random)
  const bio = `${MADE_BY}--repos ${repositories} --versions ${versions} --seed ${seed}\`, which replaces this whole folder.`
  write(formatPath({ kind: 'owner', owner: MAKER }), `---\nname: Synthetic catalogue\n---\n${bio}\n`)
  const places = generatePlaces(repositories, random, language)
  const owners = new Set(places.map(({ owner }) => owner))
  for (const owner of owners) {
    const profile = `---\nname: ${language.title()}\nmembers: [${owner}]\n---\n${language.sentence()}\n`
    write(formatPath({ kind: 'owner', owner }), profile)
  }
  const tags = Array.from({ length: 400 }, () => language.name(1))
  const drawTag = zipf(random, { ranks: tags.length, offset: 5 })
  for (const [done, place] of places.entries()) {
    onRepository(done)
    const made = generateVersions(versions, place.owner, random, language)
    for (const [version, file] of made) write(formatPath({ kind: 'version', ...place, version }), file)
    const own = new Set(Array.from({ length: randomInteger(random, 0, 6) }, () => tags[drawTag()]!))
    const index = { versions: [...made.keys()], tags: [...own], place, other: pick(random, places) }
    write(formatPath({ kind: 'repository', ...place }), generateIndex(index, random, language))
  }
  return { owners: owners.size + 1, repositories, files: 1 + owners.size + repositories * (versions + 1) }
}

function emptyFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true })
  } catch (cause) {
    throw new Error(`${dir}: No folder can be created there. Choose a new or empty folder.`, { cause })
  }
  if (readdirSync(dir).length === 0) return
  const profile = join(dir, formatPath({ kind: 'owner', owner: MAKER }))
  if (!existsSync(profile) || !readFileSync(profile, 'utf8').includes(MADE_BY))
    throw new Error(`${dir} contains files that \`npm run generate\` did not create. Choose a new or empty folder.`)
  rmSync(dir, { recursive: true })
}

/** Generates owners and names. The number of prompts per owner is long-tailed: a few publish hundreds, most publish one. */
function generatePlaces(count: number, random: Random, language: Language): RepositoryPlace[] {
  const handles = new Set<string>()
  while (handles.size < Math.ceil(count / 3)) {
    const handle = language.name(randomInteger(random, 1, 2))
    if (isOwner(handle)) handles.add(handle)
  }
  const owners = [...handles]
  const drawOwner = zipf(random, { ranks: owners.length, offset: 4 })
  const places = new Map<string, RepositoryPlace>()
  while (places.size < count) {
    const place = { owner: owners[drawOwner()]!, name: language.name(randomInteger(random, 2, 3)) }
    places.set(`${place.owner}/${place.name}`, place)
  }
  return [...places.values()]
}

/** Generates the files of the versions of one repository: a first version, and edits that leave most of its text unchanged. @returns them by number, lowest first */
function generateVersions(count: number, publisher: string, random: Random, language: Language): Map<string, string> {
  const words = Math.min(CONTENT_WORDS.most, drawLogNormal(random, CONTENT_WORDS))
  const blocks = [`You are a ${language.name(1)}.`]
  for (let written = 0; written < words; ) {
    const block = generateBlock(random, language)
    written += block.split(' ').length
    blocks.push(block)
  }
  const names = new Set(Array.from({ length: randomInteger(random, 0, 4) }, () => language.name(1)))
  const variables = Array.from(names, (name) => generateVariable(name, random, language))
  const parameters = random() < 0.4 ? ['parameters:', '  model: example-1', '  temperature: 0.7'] : []
  const inputs = Array.from(names, (name) => `<${name}>\n{{${name}}}\n</${name}>`)
  const versions = new Map<string, string>()
  for (const publishedAt of generateTimes(count, random)) {
    const isFirst = versions.size === 0
    for (let edits = isFirst ? 0 : Math.ceil(blocks.length / 10); edits > 0; edits--)
      blocks[randomInteger(random, 1, blocks.length - 1)] = generateBlock(random, language)
    const front = [
      `published_at: "${publishedAt}"`,
      `published_by: ${publisher}`,
      ...(isFirst ? [] : [`changelog: ${language.sentence()}`]),
      ...(variables.length > 0 ? ['variables:', ...variables.flat()] : []),
      ...parameters,
    ]
    const bump = pick(random, ['patch', 'patch', 'patch', 'minor', 'major'] as const)
    const content = [...blocks, ...inputs].join('\n\n')
    versions.set(nextVersion([...versions.keys()], bump), `---\n${front.join('\n')}\n---\n${content}\n`)
  }
  return versions
}

/** Generates a few sentences, or a list of them. */
function generateBlock(random: Random, language: Language): string {
  const sentences = Array.from({ length: randomInteger(random, 2, 5) }, language.sentence)
  return random() < 0.3 ? sentences.map((sentence) => `- ${sentence}`).join('\n') : sentences.join(' ')
}

/** Generates the lines of a variable in the front matter. */
function generateVariable(name: string, random: Random, language: Language): string[] {
  const [first, second] = [language.name(1), language.name(2)]
  const typed = random() < 0.8 ? ['type: string'] : ['type: enum', `options: [${first}, ${second}]`]
  const lines = [`description: ${language.sentence()}`, ...typed, `example: ${first}`, 'required: true']
  return [`  - name: ${name}`, ...lines.map((line) => `    ${line}`)]
}

function generateTimes(count: number, random: Random): string[] {
  const end = Date.parse(`${LAST_DAY}T00:00:00Z`)
  const times = Array.from({ length: count }, () => Math.floor(end - random() * SPAN_MS))
  return times.sort((a, b) => a - b).map((time) => `${new Date(time).toISOString().slice(0, 19)}Z`)
}

interface IndexParts {
  versions: readonly string[]
  tags: readonly string[]
  place: RepositoryPlace
  /** The prompt that this prompt may name as its replacement. */
  other: RepositoryPlace
}

function generateIndex({ versions, tags, place, other }: IndexParts, random: Random, language: Language): string {
  const yanked = versions.length > 1 && random() < 0.05 ? pick(random, versions) : undefined
  const labelled = versions.findLast((version) => version !== yanked)!
  const fate = random()
  const license = pick(random, ['MIT', 'CC-BY-4.0', 'CC0-1.0', 'Apache-2.0'])
  const readme = Array.from({ length: random() < 0.3 ? 0 : randomInteger(random, 3, 12) }, language.sentence)
  return [
    '---',
    `title: ${language.title()}`,
    `description: ${language.sentence()} ${language.sentence()}`.slice(0, LIMITS.descriptionCharacters),
    `tags: [${tags.join(', ')}]`,
    `license: ${license}`,
    ...(fate < 0.02 ? ['status: archived', `status_message: ${language.sentence()}`] : []),
    ...(fate > 0.97 ? ['status: deprecated', `status_message: ${language.sentence()}`] : []),
    ...(fate > 0.985 && other !== place ? [`replaced_by: ${other.owner}/${other.name}`] : []),
    ...(yanked ? ['yanked:', `  ${yanked}: ${language.sentence()}`] : []),
    ...(random() < 0.15 ? ['labels:', `  production: ${labelled}`] : []),
    '---',
    readme.join('\n'),
    '',
  ].join('\n')
}

const text = { type: 'string' } as const
const OPTIONS = { repos: text, versions: text, out: text, seed: { ...text, default: '1' } }

function readFlags(values: { [Flag in keyof typeof OPTIONS]?: string | undefined }): SyntheticCatalogue {
  const whole = (flag: 'repos' | 'versions' | 'seed', least: number, most: number) => {
    const given = values[flag] ?? ''
    if (/^\d{1,10}$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given)
    throw new Error(`--${flag}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(given)}`)
  }
  if (!values.out) throw new Error('Missing required option: --out')
  return {
    repositories: whole('repos', 1, 1_000_000),
    versions: whole('versions', 1, LIMITS.versionsPerRepository),
    seed: whole('seed', 0, 2 ** 32 - 1),
    dir: values.out,
  }
}

if (import.meta.main)
  await runCommand({ usage: USAGE, options: OPTIONS }, ({ values }) => {
    const flags = readFlags(values)
    const progress = openProgress()
    const { files, repositories, owners } = generateContent(flags, (done) =>
      progress.show('Writing repositories', done, flags.repositories),
    )
    progress.end()
    console.log(`Wrote ${files} files for ${repositories} repositories and ${owners} owners to ${flags.dir}.`)
  })
