// Shared helpers for the read tests: the hub under test, its content, and comparisons.
import { rmSync } from 'node:fs'
import { expect } from 'vitest'
import { type Run, startProcess } from '../../hubs/processes.ts'
import { type Described, expectError, expectPromises, openSchemas } from '../answers.ts'
import { type Answer, type Ask, type Json, openClient } from '../client.ts'
import { byNumber, type Content, type Repository, readContent, type Version, variablesOf } from '../content.ts'
import { makeContent } from '../made-content.ts'

type Meta = { page: number; pages: number; total: number; matched?: { exact: number } }
export type List = { data: Json[]; meta: Meta }

export const SORTS = ['top', 'trending', 'new'] as const
export const NO_ITEMS = { data: [], meta: { page: 1, pages: 0, total: 0 } }
/** Accessors for the parts of a response: the full names in a list, its `meta`, and a single record. */
export const names = (answer: Answer) => (answer.json() as List).data.map((record) => String(record.full_name))
export const meta = (answer: Answer) => (answer.json() as List).meta
export const data = (answer: Answer) => (answer.json() as { data: Json }).data

/** The hub to which the read test suite sends its requests. */
export interface Reading {
  content: Content
  /** The repositories that appear in lists, tags and search results. */
  listed: Repository[]
  /** The starter catalogue's ordinary repositories. */
  starter: Repository[]
  /** The first ordinary repository, and its latest version. */
  first: Repository & { latest: Version }
  /** The repositories whose versions are checked one by one. */
  looked: Repository[]
  /** Every tag with the number of listed repositories that have it, highest count first. */
  tags: { name: string; count: number }[]
  /** The base URL, once the hub is running. */
  readonly base: string
  /** Checks a response against openapi.json, once the hub is running. */
  readonly described: Described
  open(): Promise<void>
  close(): Promise<void>
  /** Sends a request without checking the response. */
  send: Ask
  /** Sends a request, and checks what must be true of every API response. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>
  /** Requests a path that must return 200. */
  found(path: string): Promise<Answer>
  /** Requests a path that must return 404 or 400. @returns the error message */
  missing(path: string): Promise<string>
  refused(path: string): Promise<string>
  /** Runs the same check for many rows, four at a time. */
  each<T>(rows: readonly T[], look: (row: T) => Promise<unknown>): Promise<void>
  /** Returns the full names of prompts in the order in which the hub lists all of them. */
  order(sort: string, of: (repository: Repository) => boolean): Promise<string[]>
  /** Returns the expected summary of a repository, and the record of one of its versions. */
  record(repository: Repository): Json
  versionRecord(repository: Repository, version: Version): Json
  expectVariables(variables: unknown, version: Version, where: string): void
  expectBytes(answer: Answer, expected: Buffer): void
  /** Returns the `Link` header as paths on this hub, keyed by relation. */
  links(answer: Answer): { next?: string; prev?: string }
}

/** Prepares the suite; the result's `open` starts the hub. */
export function openReading(): Reading {
  const contentDir = makeContent()
  const content = readContent(contentDir)
  const listed = content.repositories.filter((repository) => repository.listed)
  const rare = content.repositories.filter(
    ({ owner, listed, versions, active, status }) =>
      /^zz-(suite|plain|rated)$/.test(owner) || !listed || active.length < versions.length || status !== 'active',
  )
  const starter = content.repositories.filter((one) => !one.owner.startsWith('zz-') && !rare.includes(one))
  const [first] = starter
  if (!first?.latest) throw new Error('no starter catalogue')
  const tags = [...new Set(listed.flatMap((repository) => repository.tags))]
    .map((name) => ({ name, count: listed.filter((repository) => repository.tags.includes(name)).length }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))

  let run: Run | undefined
  let base = ''
  let client: Ask
  let described: Described

  const get: Reading['get'] = async (path, headers = {}, method = 'GET') =>
    expectPromises(
      await client(path, { method, headers }).catch((error: Error) => {
        throw new Error(`${method} ${path}: ${error.message}\n${run?.log().slice(-2000)}`)
      }),
      described,
    )
  const versionRecord: Reading['versionRecord'] = (repository, version) => ({
    owner: repository.owner,
    name: repository.name,
    full_name: repository.full_name,
    version: version.version,
    previous_version:
      repository.versions.find((other) => byNumber(other.version, version.version) < 0)?.version ?? null,
    content: version.text,
    content_sha256: version.sha256,
    size_bytes: version.bytes.length,
    parameters: version.parameters,
    changelog: version.changelog,
    published_at: version.published_at,
    published_by: version.published_by,
    provenance: version.provenance,
    url: `${base}/api/v1/repos/${repository.full_name}/versions/${version.version}`,
    raw_url: `${base}/api/v1/repos/${repository.full_name}/raw?version=${version.version}`,
  })

  return {
    content,
    listed,
    starter,
    first: { ...first, latest: first.latest },
    looked: [...rare, ...starter.slice(0, 12)],
    tags,
    get base() {
      return base
    },
    get described() {
      return described
    },
    async open() {
      const settings = { CONTENT_DIR: contentDir, RATE_LIMIT_PER_MINUTE: '0' }
      ;({ base, run } = await startProcess({ command: ['npm', 'start'], settings }))
      client = openClient(base)
      described = openSchemas((await client('/api/v1/openapi.json')).json())
    },
    async close() {
      await run?.end()
      rmSync(contentDir, { recursive: true, force: true })
    },
    send: (path, options) => client(path, options),
    get,
    async found(path) {
      const answer = await get(path)
      expect(answer.status, `${answer.request}: ${answer.text.slice(0, 300)}`).toBe(200)
      return answer
    },
    missing: async (path) => expectError(await get(path), 404),
    refused: async (path) => expectError(await get(path), 400),
    async each(rows, look) {
      const left = rows.values()
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (const row of left) await look(row)
        }),
      )
    },
    async order(sort, of) {
      const wanted = new Set(listed.filter(of).map(({ full_name }) => full_name))
      const pages = Array.from({ length: Math.ceil(listed.length / 20) }, (_, at) =>
        client(`/data/v1/lists/${sort}/${at + 1}.json`),
      )
      return (await Promise.all(pages)).flatMap(names).filter((name) => wanted.has(name))
    },
    record: (repository) => ({
      owner: repository.owner,
      name: repository.name,
      full_name: repository.full_name,
      title: repository.title,
      description: repository.description,
      tags: repository.tags,
      license: repository.license,
      status: repository.status,
      status_message: repository.status_message,
      latest_version: repository.latest?.version ?? null,
      versions_count: repository.versions.length,
      variables_count: repository.latest ? variablesOf(repository.latest).length : 0,
      format: expect.stringMatching(/^(text|chat)$/),
      kind: expect.stringMatching(/^(?:text|chat|skill)$/),
      has_results: expect.any(Boolean),
      forked_from: null,
      has_provenance: Boolean(repository.latest?.provenance),
      created_at: repository.created_at,
      updated_at: repository.updated_at,
      stats: null,
      url: `${base}/api/v1/repos/${repository.full_name}`,
      html_url: `${base}/${repository.full_name}`,
      raw_url: `${base}/api/v1/repos/${repository.full_name}/raw`,
    }),
    versionRecord,
    expectVariables(variables, version, where) {
      const given = variablesOf(version)
      expect(variables, `variables of ${where}`).toMatchObject(given)
      expect(variables, where).toHaveLength(given.length)
    },
    // If the bytes differ, shows only a short excerpt instead of 200 kB.
    expectBytes: (answer, expected) =>
      expect(
        answer.bytes.equals(expected),
        `bytes of ${answer.request}: ${JSON.stringify(answer.text.slice(0, 80))}`,
      ).toBe(true),
    links(answer) {
      const byRelation: Record<string, string> = {}
      for (const [, address = '', relation = ''] of (answer.headers.link ?? '').matchAll(/<([^>]*)>; ?rel="(\w+)"/g)) {
        const url = new URL(address, base)
        expect(url.origin, answer.request).toBe(new URL(base).origin)
        byRelation[relation] = url.pathname + url.search
      }
      return byRelation
    },
  }
}
