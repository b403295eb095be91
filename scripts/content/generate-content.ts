// `npm run generate`: writes a synthetic catalogue for benchmarks. It satisfies every content rule, and the same seed produces the same bytes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatPath } from '../../src/domain/content/content-path.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { isOwner } from '../../src/domain/values/names.ts'
import { openProgress } from '../progress.ts'
import { createProse, type Prose, toAscii } from './prose.ts'
import { pick, type Random, randomInteger, seedRandom, zipf } from './random.ts'
import { generateVersions, type SyntheticVersion } from './versions.ts'

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
  const write = writerBelow(dir)
  const random = seedRandom(seed)
  const prose = createProse(random)
  const bio = `${MADE_BY}--repos ${repositories} --versions ${versions} --seed ${seed}\`, which replaces this whole folder.`
  write(formatPath({ kind: 'owner', owner: MAKER }), `---\nname: Synthetic catalogue\n---\n${bio}\n`)
  const places = generatePlaces(repositories, random, prose)
  const owners = new Set(places.map(({ owner }) => owner))
  for (const owner of owners) write(formatPath({ kind: 'owner', owner }), generateProfile(owner, random, prose))
  const tags = createTagGenerator(random, prose)
  for (const [done, place] of places.entries()) {
    onRepository(done)
    const made = generateVersions({ count: versions, publisher: place.owner, random, prose })
    for (const { version, file } of made) write(formatPath({ kind: 'version', ...place, version }), file)
    const other = pick(random, places)
    write(
      formatPath({ kind: 'repository', ...place }),
      generateIndex({ made, tags: tags(), other, place, random, prose }),
    )
  }
  return { owners: owners.size + 1, repositories, files: 1 + owners.size + repositories * (versions + 1) }
}

interface RepositoryPlace {
  owner: string
  name: string
}

function emptyFolder(dir: string): void {
  if (!existsSync(dir) || readdirSync(dir).length === 0) return
  const profile = join(dir, formatPath({ kind: 'owner', owner: MAKER }))
  if (!existsSync(profile) || !readFileSync(profile, 'utf8').includes(MADE_BY))
    throw new Error(`${dir} contains files that \`npm run generate\` did not create. Choose a new or empty folder.`)
  rmSync(dir, { recursive: true })
}

function writerBelow(dir: string): (path: string, file: string) => void {
  let folder: string | undefined
  return (path, file) => {
    // Files are written folder by folder, so remembering the last folder avoids nearly every call of `mkdirSync`.
    if (dirname(path) !== folder) {
      folder = dirname(path)
      mkdirSync(join(dir, folder), { recursive: true })
    }
    writeFileSync(join(dir, path), file)
  }
}

/** Generates owners and names. The number of prompts per owner is long-tailed: a few publish hundreds, most publish one. */
function generatePlaces(count: number, random: Random, prose: Prose): RepositoryPlace[] {
  const handles = new Set<string>()
  while (handles.size < Math.ceil(count / 3)) {
    const handle = generateName(prose, randomInteger(random, 1, 2)).slice(0, LIMITS.ownerCharacters)
    if (isOwner(handle) && handle !== MAKER) handles.add(handle)
  }
  const owners = [...handles]
  const drawOwner = zipf(random, { ranks: owners.length, offset: 4 })
  const places = new Map<string, RepositoryPlace>()
  while (places.size < count) {
    const owner = owners[drawOwner()]!
    const name = generateName(prose, randomInteger(random, 2, 3))
    places.set(`${owner}/${name}`, { owner, name })
  }
  return [...places.values()]
}

/** Generates a name of at most three words with four syllables each, which is well below every limit except that for owners. */
function generateName(prose: Prose, words: number): string {
  return Array.from({ length: words }, () => toAscii(prose.topic())).join('-')
}

/** Creates a generator of tags, whose frequencies are also long-tailed. */
function createTagGenerator(random: Random, prose: Prose): () => string[] {
  const pool = [...new Set(Array.from({ length: 400 }, () => generateName(prose, 1)))]
  const drawTag = zipf(random, { ranks: pool.length, offset: 5 })
  return () => [...new Set(Array.from({ length: randomInteger(random, 0, 6) }, () => pool[drawTag()]!))]
}

function generateProfile(owner: string, random: Random, prose: Prose): string {
  return [
    '---',
    `name: ${prose.title()}`,
    ...(random() < 0.5 ? [`website: https://${owner}.example.org/`] : []),
    `members: [${owner}]`,
    '---',
    `${prose.sentence()} ${prose.sentence()}`,
    '',
  ].join('\n')
}

interface IndexParts {
  made: readonly SyntheticVersion[]
  tags: readonly string[]
  place: RepositoryPlace
  /** The prompt that this prompt may name as its replacement. */
  other: RepositoryPlace
  random: Random
  prose: Prose
}

function generateIndex({ made, tags, place, other, random, prose }: IndexParts): string {
  const yanked = made.length > 1 && random() < 0.05 ? pick(random, made).version : undefined
  const labelled = made.findLast(({ version }) => version !== yanked)!.version
  const fate = random()
  const license = pick(random, ['MIT', 'MIT', 'CC-BY-4.0', 'CC0-1.0', 'Apache-2.0', undefined])
  const readme = Array.from({ length: random() < 0.3 ? 0 : randomInteger(random, 3, 12) }, () => prose.sentence())
  return [
    '---',
    `title: ${prose.title()}`,
    `description: ${prose.sentence()} ${prose.sentence()}`.slice(0, LIMITS.descriptionCharacters),
    `tags: [${tags.join(', ')}]`,
    ...(license ? [`license: ${license}`] : []),
    ...(fate < 0.02 ? ['status: archived', `status_message: ${prose.sentence()}`] : []),
    ...(fate > 0.97 ? ['status: deprecated', `status_message: ${prose.sentence()}`] : []),
    ...(fate > 0.985 && other !== place ? [`replaced_by: ${other.owner}/${other.name}`] : []),
    ...(yanked ? ['yanked:', `  ${yanked}: ${prose.sentence()}`] : []),
    ...(random() < 0.15 ? ['labels:', `  production: ${labelled}`] : []),
    '---',
    readme.join('\n'),
    '',
  ].join('\n')
}

function readFlags(): SyntheticCatalogue {
  const { values } = parseArgs({
    options: {
      repos: { type: 'string' },
      versions: { type: 'string' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string' },
    },
  })
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

if (import.meta.main) {
  try {
    const flags = readFlags()
    const started = performance.now()
    const progress = openProgress()
    const { files, repositories, owners } = generateContent(flags, (done) =>
      progress.show('Writing repositories', done, flags.repositories),
    )
    progress.end()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `Wrote ${files} files for ${repositories} repositories and ${owners} owners to ${flags.dir} in ${seconds} s.`,
    )
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.error('Usage: npm run generate -- --repos N --versions V --out DIR [--seed S]')
    process.exitCode = 1
  }
}
