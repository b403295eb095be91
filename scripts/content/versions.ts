// Generates the versions of a synthetic repository: a first version and edited versions of it, with numbers, dates and variables.
import { type Bump, nextVersion } from '../../src/domain/values/versions.ts'
import { type Prose, toAscii } from './prose.ts'
import { drawLogNormal, pick, type Random, randomInteger } from './random.ts'

/** A version number and the complete version file. */
export interface SyntheticVersion {
  version: string
  file: string
}

/** Dates are derived from this fixed day instead of the clock, so that the same seed produces the same bytes next year. */
export const LAST_DAY = '2026-11-01'
const SPAN_DAYS = 1_000
const DAY_MS = 86_400_000

/** Realistic prompt lengths: half of the prompts have fewer words than the median, and one in a hundred has ten times as many. */
export const CONTENT_WORDS = { median: 150, sigma: 0.95, most: 20_000 }

/** A repository's variables: name → its lines in the front matter. */
type Variables = Map<string, string[]>

/** What to generate; all randomness comes from `random`, in a fixed order. */
interface VersionsWanted {
  count: number
  /** Handle of the publisher. */
  publisher: string
  random: Random
  prose: Prose
}

/** Generates the versions of one repository, lowest first. */
export function generateVersions({ count, publisher, random, prose }: VersionsWanted): SyntheticVersion[] {
  const words = Math.min(CONTENT_WORDS.most, drawLogNormal(random, CONTENT_WORDS))
  const blocks: string[] = [`You are a ${prose.topic()} of ${prose.topic()} and ${prose.topic()}.`]
  for (let written = 0; written < words; ) {
    const block = generateBlock(random, prose)
    written += block.split(' ').length
    blocks.push(block)
  }
  const variables: Variables = new Map()
  for (let more = randomInteger(random, 0, 4); more > 0; more--) addVariable(variables, random, prose)
  const isDeclared = random() < 0.85
  const parameters =
    random() < 0.4 ? ['parameters:', '  model: example-1', `  temperature: ${randomInteger(random, 0, 10) / 10}`] : []
  const versions: SyntheticVersion[] = []
  for (const published of generateDates(count, random)) {
    const last = versions.at(-1)
    if (last) editBlocks(blocks, random, prose)
    if (last && random() < 0.1) addVariable(variables, random, prose)
    const front = [
      `published_at: "${published}"`,
      `published_by: ${publisher}`,
      ...(last ? [`changelog: ${prose.sentence()}`] : []),
      ...(isDeclared && variables.size > 0 ? ['variables:', ...[...variables.values()].flat()] : []),
      ...parameters,
    ]
    const inputs = [...variables.keys()].map((name) => `<${name}>\n{{${name}}}\n</${name}>`)
    const content = [...blocks, ...inputs].join('\n\n')
    versions.push({
      version: nextVersion(last ? [last.version] : [], generateBump(random)),
      file: `---\n${front.join('\n')}\n---\n${content}\n`,
    })
  }
  return versions
}

/** Generates a few sentences, or a list of them. */
function generateBlock(random: Random, prose: Prose): string {
  const sentences = Array.from({ length: randomInteger(random, 2, 5) }, () => prose.sentence())
  return random() < 0.3 ? sentences.map((sentence) => `- ${sentence}`).join('\n') : sentences.join(' ')
}

/** Makes a typical edit, which leaves most of the text unchanged. */
function editBlocks(blocks: string[], random: Random, prose: Prose): void {
  for (let edits = Math.ceil(blocks.length / 10); edits > 0; edits--) {
    blocks[randomInteger(random, 1, blocks.length - 1)] = generateBlock(random, prose)
  }
}

function addVariable(variables: Variables, random: Random, prose: Prose): void {
  const name = random() < 0.3 ? `${toAscii(prose.topic())}_${toAscii(prose.topic())}` : toAscii(prose.topic())
  const kind = random()
  const options = [prose.topic(), prose.topic()]
  const typed =
    kind < 0.7 || options[0] === options[1]
      ? ['type: string', `example: ${prose.title()}`]
      : kind < 0.85
        ? ['type: enum', `options: [${options.join(', ')}]`, `example: ${options[0]}`]
        : ['type: integer', `default: ${randomInteger(random, 1, 20)}`, `example: ${randomInteger(random, 1, 20)}`]
  const lines = [`description: ${prose.sentence()}`, ...typed, `required: ${random() < 0.8}`]
  variables.set(name, [`  - name: ${name}`, ...lines.map((line) => `    ${line}`)])
}

function generateDates(count: number, random: Random): string[] {
  const end = Date.parse(`${LAST_DAY}T00:00:00Z`)
  const age = random() * SPAN_DAYS * DAY_MS
  const times = Array.from({ length: count }, () => Math.floor((end - random() * age) / 1000) * 1000)
  return times.sort((a, b) => a - b).map((time) => new Date(time).toISOString().replace('.000Z', 'Z'))
}

function generateBump(random: Random): Bump {
  return pick(random, ['patch', 'patch', 'patch', 'patch', 'patch', 'minor', 'minor', 'minor', 'major'])
}
