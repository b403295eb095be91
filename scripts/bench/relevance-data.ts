// Owns the questions with graded answers and the two catalogues that they are put to.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { readConfig } from '../../src/config.ts'
import { buildCatalogue, type Catalogue } from '../../src/domain/catalogue/catalogue.ts'
import type { ContentTree, RepositoryEntry } from '../../src/domain/content/content-tree.ts'
import { RepositoryFrontMatter } from '../../src/domain/content/front-matter.ts'
import { openCatalogue } from '../../src/site/build/load-catalogue.ts'
import { PROJECT_DIR } from './site.ts'

const FOLDER = `${PROJECT_DIR}tests/relevance`
const DAY = '2026-11-21'
const BASE_URL = 'http://localhost:8888'

const RelevanceQuestion = z.strictObject({
  q: z.string(),
  catalogue: z.enum(['starter', 'second']),
  class: z.string(),
  half: z.enum(['tuning', 'aside']),
  grades: z.record(z.string(), z.int().min(1).max(3)),
})
/** A question and every prompt that a fair judge accepts, with its grade from 1 to 3. */
export type RelevanceQuestion = z.infer<typeof RelevanceQuestion>

const ShortPrompt = z.strictObject({
  owner: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  content: z.string(),
})
/** A prompt of one version. */
export type ShortPrompt = z.infer<typeof ShortPrompt>

/** Reads every question, those that were added for tuning alone too. */
export function readQuestions(): RelevanceQuestion[] {
  return ['questions.json', 'tuning.json'].flatMap((file) =>
    z.array(RelevanceQuestion).parse(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))),
  )
}

/** Both catalogues, with the equivalents that maintainers own. */
export function readCatalogues(): Record<RelevanceQuestion['catalogue'], Catalogue> {
  const settings = { CONTENT_DIR: `${PROJECT_DIR}content`, SITE_URL: BASE_URL }
  const starter = openCatalogue(readConfig(settings)).load().catalogue
  const prompts = z.array(ShortPrompt).parse(JSON.parse(readFileSync(`${FOLDER}/catalogue.json`, 'utf8')))
  const repositories = new Map(prompts.map((prompt) => [`${prompt.owner}/${prompt.name}`, toRepository(prompt)]))
  const tree: ContentTree = { owners: new Map(), usage: new Map(), repositories, equivalents: starter.equivalents }
  return { starter, second: buildCatalogue(tree, { baseUrl: BASE_URL, day: DAY }) }
}

/** What the catalogue takes such a prompt for. */
export function toRepository(
  { owner, name, title, description, tags, content }: ShortPrompt,
  readme = '',
): RepositoryEntry {
  return {
    owner,
    name,
    file: { ...RepositoryFrontMatter.parse({ title, description, tags }), readme },
    versions: [
      {
        version: '1.0.0',
        published_at: `${DAY}T00:00:00Z`,
        published_by: owner,
        changelog: '',
        variables: [],
        parameters: {},
        content,
        content_sha256: hash('sha256', content),
        size_bytes: Buffer.byteLength(content),
      },
    ],
  }
}
