// The contract of reading, checked by requests alone: aimed at an address, the same lines hold for every way to serve the hub.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  DETAIL,
  type Described,
  EXPOSED,
  expectError,
  expectPromises,
  expectShape,
  FOREVER,
  LISTED_VERSION,
  openSchemas,
  SHORT,
  SUMMARY,
  TAG,
  USER,
  VARIABLE,
  VERSION_RECORD,
} from './answers.ts'
import { type Answer, type Ask, type Json, openClient } from './client.ts'
import {
  byNumber,
  DAY,
  makeContent,
  type Repository,
  ranked,
  readContent,
  temporaryFolder,
  type Version,
  variablesOf,
} from './content.ts'
import type { Server, Target } from './targets.ts'

type Meta = { page: number; pages: number; total: number; matched?: { exact: number } }
type List = { data: Json[]; meta: Meta }
type Single = { data: Json }

const SORTS = ['top', 'trending', 'new'] as const
const NO_ITEMS = { data: [], meta: { page: 1, pages: 0, total: 0 } }
const LIMIT = 12
const encode = encodeURIComponent
const names = (answer: Answer) => (answer.json() as List).data.map((record) => String(record.full_name))
const meta = (answer: Answer) => (answer.json() as List).meta
const data = (answer: Answer) => (answer.json() as Single).data
const times = (words: string, count: number) => Array.from({ length: count }, () => words).join('')

export function readSuite(target: Target): void {
  const own = target.address === undefined
  const contentDir = own ? makeContent() : 'content'
  const content = readContent(contentDir)
  const listed = content.repositories.filter((repository) => repository.listed)
  const rare = content.repositories.filter(
    ({ owner, listed, versions, active, status }) =>
      /^zz-(suite|plain|rated)$/.test(owner) || !listed || active.length < versions.length || status !== 'active',
  )
  const starter = content.repositories.filter((one) => !one.owner.startsWith('zz-') && !rare.includes(one))
  const looked = [
    ...rare.filter(({ full_name }) => !target.netlify || !/^zz-rated\/(?!vouched|described$)/.test(full_name)),
    ...starter.slice(0, target.sample),
  ]
  const tags = [...new Set(listed.flatMap((repository) => repository.tags))]
    .map((name) => ({ name, count: listed.filter((repository) => repository.tags.includes(name)).length }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  /** Every row, but one in so many of the local Netlify server, where a call costs up to a second. */
  const some = <const T>(rows: readonly T[], step = 6) => rows.filter((_, i) => !target.netlify || i % step === 0)
  const firstDay = Math.floor(Date.now() / DAY)

  let server: Server | undefined
  let base = target.address ?? ''
  let send: Ask
  let described: Described

  /** Asks and checks what holds for every answer of the API. */
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    expectPromises(
      await send(path, { method, headers }).catch((error: Error) => {
        throw new Error(`${method} ${path}: ${error.message}\n${server?.log().slice(-2000)}`)
      }),
      described,
    )
  const missing = async (path: string) => expectError(await get(path), 404)
  const refused = async (path: string) => expectError(await get(path), 400)
  const found = async (path: string): Promise<Answer> => {
    const answer = await get(path)
    expect(answer.status, `${answer.request}: ${answer.text.slice(0, 300)}`).toBe(200)
    return answer
  }
  /** The same answers at once as the machine has room for. */
  const each = async <T>(rows: readonly T[], look: (row: T) => Promise<unknown>) => {
    const left = rows.values()
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (const row of left) await look(row)
      }),
    )
  }
  /** Every order that today allows: the one of the day on which the server was built, or of a midnight just passed. */
  const orders = (sort: string, of: (repository: Repository) => boolean = () => true) =>
    [firstDay, Math.floor(Date.now() / DAY)].map((day) =>
      ranked(content, sort, day)
        .filter(of)
        .map((repository) => repository.full_name),
    )

  const record = (repository: Repository) => ({
    owner: repository.owner,
    name: repository.name,
    full_name: repository.full_name,
    title: repository.indexed ? repository.title : expect.stringMatching(new RegExp(`^${repository.title}$`, 'i')),
    description: repository.description,
    tags: repository.tags,
    license: repository.license,
    status: repository.status,
    status_message: repository.status_message,
    latest_version: repository.latest?.version ?? null,
    versions_count: repository.versions.length,
    variables_count: repository.latest ? variablesOf(repository.latest).length : 0,
    has_provenance: Boolean(repository.latest?.provenance),
    created_at: repository.created_at,
    updated_at: repository.updated_at,
    stats: null,
    url: `${base}/api/v1/repos/${repository.full_name}`,
    html_url: `${base}/${repository.full_name}`,
    raw_url: `${base}/api/v1/repos/${repository.full_name}/raw`,
  })
  const versionRecord = (repository: Repository, version: Version) => ({
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
  const expectVariables = (variables: unknown, version: Version, where: string) => {
    const given = variablesOf(version)
    expect(variables, `variables of ${where}`).toMatchObject(given)
    expect(variables, where).toHaveLength(given.length)
    for (const variable of variables as Json[]) expectShape(variable, VARIABLE, where)
  }
  /** The bytes of a body, with a hint instead of 200 kB when they differ. */
  const expectBytes = (answer: Answer, expected: Buffer) =>
    expect(
      answer.bytes.equals(expected),
      `bytes of ${answer.request}: ${JSON.stringify(answer.text.slice(0, 80))}`,
    ).toBe(true)

  describe(`reading from ${target.name}`, { timeout: own ? 60_000 : 900_000 }, () => {
    beforeAll(async () => {
      server = own ? await target.start({ contentDir, limit: 0 }) : undefined
      base = (server?.base ?? target.address ?? '').replace(/\/$/, '')
      send = openClient(base, !own)
      described = openSchemas((await send('/api/v1/openapi.json')).json())
    }, 150_000)
    afterAll(async () => {
      await server?.stop()
      if (own) rmSync(contentDir, { recursive: true, force: true })
    }, 60_000)

    describe('a repository', () => {
      test.each(looked.map((one) => [one.full_name, one] as const))('%s', async (fullName, repository) => {
        const { latest } = repository
        const detail = data(await found(`/api/v1/repos/${fullName}`))
        expectShape(detail, DETAIL, fullName)
        expect(detail).toMatchObject({
          ...record(repository),
          content: latest?.text ?? null,
          content_sha256: latest?.sha256 ?? null,
          size_bytes: latest?.bytes.length ?? null,
          labels: repository.labels,
          versions: repository.active.map(({ version }) => version),
        })
        // Only content is promised byte for byte; blank space around the text of a page is not.
        expect(String(detail.readme).trim()).toBe(repository.readme.trim())
        expect(detail.parameters).toEqual(latest?.parameters ?? {})
        if (latest) expectVariables(detail.variables, latest, fullName)
        else expect(detail.variables).toEqual([])
        const raw = await get(`/api/v1/repos/${fullName}/raw`)
        if (!latest) return void expectError(raw, 404)
        expect(raw.status).toBe(200)
        expectBytes(raw, latest.bytes)
        expect(raw.headers['x-prompt-version']).toBe(latest.version)
      })

      test.each(looked.map((one) => [one.full_name, one] as const))(
        '%s: its versions',
        async (fullName, repository) => {
          const answer = (await found(`/api/v1/repos/${fullName}/versions`)).json() as List
          expect(answer.meta).toEqual({ page: 1, pages: 1, total: repository.versions.length })
          expect(answer.data).toHaveLength(repository.versions.length)
          expect(answer.data).toMatchObject(
            repository.versions.map((version) => ({
              version: version.version,
              changelog: version.changelog,
              published_at: version.published_at,
              published_by: version.published_by,
              content_sha256: version.sha256,
              size_bytes: version.bytes.length,
              yanked: version.yank_reason !== null,
              yank_reason: version.yank_reason,
              url: versionRecord(repository, version).url,
              raw_url: versionRecord(repository, version).raw_url,
            })),
          )
          for (const version of answer.data) expectShape(version, LISTED_VERSION, fullName)
          await each(repository.versions, async (version) => {
            const where = `${fullName} ${version.version}`
            const single = data(await found(`/api/v1/repos/${fullName}/versions/${version.version}`))
            expectShape(single, VERSION_RECORD, where)
            expect(single, where).toMatchObject(versionRecord(repository, version))
            expect(single, 'the single record never changes').not.toHaveProperty('yanked')
            expectVariables(single.variables, version, where)
            const raw = await found(`/api/v1/repos/${fullName}/raw?version=${version.version}`)
            expectBytes(raw, version.bytes)
            expect(raw.headers['x-prompt-version']).toBe(version.version)
          })
        },
      )
    })

    describe('lists', () => {
      test.each(SORTS)('%s: every page, by following next, in the order of section 5', async (sort) => {
        const pages = Math.ceil(listed.length / 20)
        const seen: string[] = []
        let path: string | undefined = `/api/v1/repos?sort=${sort}`
        for (let page = 1; path; page++) {
          const answer: Answer = await found(path)
          expect(answer.json().meta).toEqual({ page, pages, total: listed.length })
          for (const summary of (answer.json() as List).data) {
            const repository = listed.find((one) => one.full_name === summary.full_name)
            if (!repository) throw new Error(`${summary.full_name} is in a list`)
            expectShape(summary, SUMMARY, String(summary.full_name))
            expect(summary).toMatchObject(record(repository))
          }
          expect(names(answer)).toHaveLength(page < pages ? 20 : listed.length - 20 * (pages - 1))
          seen.push(...names(answer))
          const { next, prev } = links(answer, base)
          if (page === 1) expect(prev).toBeUndefined()
          else expect(new URL(prev ?? '', base).searchParams.get('page')).toBe(String(page - 1))
          expect(next === undefined, `rel="next" of page ${page} of ${pages}`).toBe(page === pages)
          path = next
        }
        expect(orders(sort)).toContainEqual(seen)
      })

      test('the order is top when none is asked for', async () => {
        expect(names(await found('/api/v1/repos'))).toEqual(names(await found('/api/v1/repos?sort=top')))
      })

      test('a page past the end is empty, not an error', async () => {
        const pages = Math.ceil(listed.length / 20)
        for (const page of [pages + 1, 100_000]) {
          const answer = await found(`/api/v1/repos?page=${page}`)
          expect(answer.json()).toEqual({ data: [], meta: { page, pages, total: listed.length } })
          expect(links(answer, base).next).toBeUndefined()
        }
      })

      test('an archived repository and one without an active version are in no list, tag or search', async () => {
        const hidden = content.repositories.filter((repository) => !repository.listed)
        expect(hidden.length).toBeGreaterThan(0)
        const everything = (await send('/data/v1/index.json')).json() as List
        for (const { full_name, owner, name } of hidden) {
          expect(everything.data.map((one) => one.full_name)).not.toContain(full_name)
          expect(names(await found(`/api/v1/repos?q=${name}`))).not.toContain(full_name)
          const user = data(await found(`/api/v1/users/${owner}`))
          expect((user.repos as Json[]).map((one) => one.full_name)).not.toContain(full_name)
        }
      })
    })

    describe('tags', () => {
      test('all, with how many listed repositories carry each, highest count first, then by name', async () => {
        const answer = (await found('/api/v1/tags')).json() as List
        for (const tag of answer.data) expectShape(tag, TAG, String(tag.name))
        expect(answer.data).toMatchObject(tags.map((tag) => ({ ...tag, url: `${base}/api/v1/repos?tag=${tag.name}` })))
        expect(answer.data).toHaveLength(tags.length)
        expect(answer.meta).toEqual({ page: 1, pages: 1, total: tags.length })
      })

      test('a tag’s address is the list filtered by it', async () => {
        await each(some(tags), async ({ name, count }) => {
          const answer = await found(`/api/v1/repos?tag=${name}`)
          expect(meta(answer).total).toBe(count)
          const carriers = orders('top', (one) => one.tags.includes(name)).map((order) => order.slice(0, 20))
          expect(carriers).toContainEqual(names(answer))
        })
      })

      test('several must all match, in any order of the address', async () => {
        const pairs = listed.flatMap((one) => one.tags.slice(1).map((tag) => [one.tags[0] ?? '', tag] as const))
        await each(some(pairs.slice(0, 24)), async ([one, other]) => {
          const both = orders('new', ({ tags }) => tags.includes(one) && tags.includes(other))
          const path = `/api/v1/repos?tag=${one}&sort=new&tag=${other}`
          expect(both.map((order) => order.slice(0, 20))).toContainEqual(names(await found(path)))
        })
        const repeated = await found(`/api/v1/repos?tag=${tags[0]?.name}&tag=${tags[0]?.name}`)
        expect(meta(repeated).total).toBe(tags[0]?.count)
        const unknown = await found(`/api/v1/repos?tag=${tags[0]?.name}&tag=no-such-tag`)
        expect(unknown.json()).toEqual(NO_ITEMS)
      })

      //  what                     tag
      test.each(
        some(
          [
            ['unknown', 'no-such-tag'],
            ['a property of every object', '__proto__'],
            ['a method of every object', 'tostring'],
            ['blanks', 'Two%20Words'],
            ['upper case', 'WRITING'],
            ['two hyphens', 'a--b'],
            ['a hyphen at the end', 'writing-'],
            ['37 characters', 'a'.repeat(37)],
            ['a path', '..%2F..%2Findex'],
            ['a slash', 'writing%2Ftop'],
            ['NUL', 'writing%00'],
            ['a line end', 'writing%0A'],
            ['a quote', "writing'%20OR%201=1"],
            ['a wildcard', 'writ*'],
          ],
          4,
        ),
      )('%s: an empty list', async (_, tag) => {
        expect((await found(`/api/v1/repos?tag=${tag}`)).json()).toEqual(NO_ITEMS)
        expect((await found(`/api/v1/repos?tag=writing&tag=${tag}&sort=new`)).json()).toEqual(NO_ITEMS)
      })
    })

    describe('users', () => {
      test.each(
        content.owners
          .filter(({ handle }) => listed.some((one) => one.owner === handle))
          .map((owner) => [owner.handle, owner] as const),
      )('%s', async (handle, owner) => {
        const user = data(await found(`/api/v1/users/${handle}`))
        const theirs = listed.filter((one) => one.owner === handle)
        expectShape(user, USER, handle)
        expect(user).toMatchObject({
          handle,
          name: owner.name,
          website: owner.website,
          avatar_url: owner.avatar_url,
          bio: owner.bio === null ? null : expect.any(String),
          html_url: `${base}/${handle}`,
          repos_count: theirs.length,
        })
        expect(String(user.bio ?? '').trim()).toBe((owner.bio ?? '').trim())
        const repos = user.repos as Json[]
        for (const repository of repos) expectShape(repository, SUMMARY, handle)
        expect(repos.map((one) => one.full_name).toSorted()).toEqual(theirs.map((one) => one.full_name).toSorted())
        const updates = repos.map((one) => Date.parse(String(one.updated_at)))
        expect(updates, 'newest update first').toEqual(updates.toSorted((a, b) => b - a))
        for (const repository of theirs) expect(repos).toContainEqual(expect.objectContaining(record(repository)))
      })
    })

    describe('searching', () => {
      const search = async (q: string, more = '') => names(await found(`/api/v1/repos?q=${encode(q)}${more}`))
      const sampled = starter[0] ?? listed[0]
      if (!sampled) throw new Error('no repository at all')

      test('a full name finds its repository first', async () => {
        expect((await search(sampled.full_name))[0]).toBe(sampled.full_name)
      })

      test('a result is a page of summaries like any other', async () => {
        const answer = await found(`/api/v1/repos?q=${encode(sampled.title)}`)
        for (const one of (answer.json() as List).data) expectShape(one, SUMMARY, String(one.full_name))
        const { page, pages, total } = meta(answer)
        expect([page, pages]).toEqual([1, Math.ceil(total / 20)])
        expect((answer.json() as List).data).toContainEqual(expect.objectContaining(record(sampled)))
      })

      test('with a sort, that order; without, best match first', async () => {
        const word = sampled.title.split(' ')[0] ?? ''
        const best = (await found(`/api/v1/repos?q=${encode(word)}`)).json() as List
        for (const sort of SORTS) {
          const sorted = (await found(`/api/v1/repos?q=${encode(word)}&sort=${sort}`)).json() as List
          expect(sorted.meta).toEqual(best.meta)
          // What holds all of the words stands before what holds a part, in every order.
          if (best.meta.pages > 1 || best.meta.matched?.exact !== best.meta.total) continue
          const matches = new Set(best.data.map((one) => one.full_name))
          expect(orders(sort, (one) => matches.has(one.full_name))).toContainEqual(
            sorted.data.map((one) => one.full_name),
          )
        }
      })

      //  what                 q
      test.each(
        some(
          [
            ['only a quote', '"'],
            ['only signs', '*^-+():{}.~'],
            ['an open NEAR', 'NEAR('],
            ['only AND', 'AND'],
            ['a phrase left open', '"review'],
            ['SQL', "'; DROP TABLE prompts; --"],
            ['NUL', '\0'],
            ['NUL in a word', 're\0view'],
            ['line ends', 'review\r\nX-Injected: 1'],
            ['an emoji', '🦄'],
            ['only blanks', '   '],
            ['a property of every object', '__proto__'],
            ['a pattern that would never end', `${times('(a+)+', 20)}$`],
            ['200 letters', 'a'.repeat(200)],
            ['200 code points of four bytes', '🦄'.repeat(200)],
            ['a hundred words', times('a ', 100).slice(0, 200)],
          ],
          4,
        ),
      )('%s is just text', async (_, q) => {
        const answer = await found(`/api/v1/repos?q=${encode(q)}`)
        expect(meta(answer)).toMatchObject({ page: 1, total: expect.any(Number) })
      })

      //  what                 q
      test.each(
        some(
          [
            ['201 letters', 'a'.repeat(201)],
            ['201 code points of four bytes', '🦄'.repeat(201)],
            ['5,000 letters', 'a'.repeat(5000)],
          ],
          2,
        ),
      )('%s: refused', async (_, q) => {
        expect(await refused(`/api/v1/repos?q=${encode(q)}`)).toMatch(/200/)
      })

      test('bytes that are no UTF-8 are text or refused, never an error of the server', async () => {
        expect([200, 400]).toContain((await get('/api/v1/repos?q=%FF%C3')).status)
      })

      if (!own) return

      //  what                                    q                             found
      test.each<[string, string, string[]]>(
        some<[string, string, string[]]>(
          [
            ['a word of the name', 'grobnik', ['grobnik']],
            ['a word of the title', 'flarnholt', ['every-field']],
            ['a word of the description', 'vexpindle', ['every-field']],
            ['a tag', 'wobbletag', ['every-field']],
            ['a word of the readme', 'crundlemire', ['every-field']],
            ['a word of the content', 'snarfblatt', ['every-field']],
            ['words of different fields', 'flarnholt snarfblatt wobbletag', ['every-field']],
            ['the order of words does not matter', 'snarfblatt flarnholt', ['every-field']],
            ['what holds one of two words', 'flarnholt grobnik', ['every-field', 'grobnik']],
            ['the last word as a prefix', 'flarnholt snarf', ['every-field']],
            ['one word is the last word', 'vexpi', ['every-field']],
            ['only the last word as a prefix: another is left out', 'snarf flarnholt', ['every-field']],
            ['case does not matter', 'FLARNholt', ['every-field']],
            ['accents in the text do not matter', 'grunwalder spatzle', ['accents']],
            ['accents in the question do not matter', 'zárreqüin', ['accents']],
            ['the same accents', 'GRÜNWÄLDER', ['accents']],
            ['accents written apart', 'gru\u0308nwa\u0308lder', ['accents']],
            ['a wrong letter', 'flarnhult', ['every-field']],
            ['a missing letter', 'snarfblat flarnholt', ['every-field']],
            ['a letter too many', 'vexppindle', ['every-field']],
            ['two letters swapped', 'vexpnidle', ['every-field']],
            ['a wrong letter in one of two words', 'flarnhult snarfblatt', ['every-field']],
            ['a typo is no excuse where something matches', 'harvestix', ['exact']],
            ['a typo between two words finds both', 'harvestox', ['exact', 'nearly']],
            ['title before content', 'mirthoven', ['in-title', 'in-content']],
            ['name before content', 'plumquist', ['plumquist', 'not-in-name']],
            ['Persian', 'فارسی', ['persian']],
            ['the beginning of a Persian word', 'فار', ['persian']],
            ['Chinese', '代码审查', ['chinese']],
            ['the beginning of a Chinese word', '代码审', ['chinese']],
            ['quoted: the words, not a phrase', '"snarfblatt flarnholt"', ['every-field']],
            ['one quote', 'snarfblatt"', ['every-field']],
            ['a star is no wildcard', 'fl*qqholt', []],
            ['a star at the end', 'snarf*', ['every-field']],
            ['AND is a word', 'snarfblatt AND flarnholt', ['every-field']],
            ['and, where it stands in the text', 'trundlewick AND blimford', ['joined']],
            ['OR is a word', 'snarfblatt OR flarnholt', ['every-field']],
            ['NOT is a word', 'snarfblatt NOT grobnik', ['every-field', 'grobnik']],
            ['NEAR( is a word', 'NEAR(snarfblatt flarnholt)', ['every-field']],
            ['a column name is a word', 'title:flarnholt', ['every-field']],
            ['a caret', '^snarfblatt', ['every-field']],
            ['a minus', '-snarfblatt', ['every-field']],
            ['brackets', '(snarfblatt)', ['every-field']],
            ['a percent sign', 'snarf%blatt', ['every-field']],
            ['blanks around', '  snarfblatt\t ', ['every-field']],
            ['a deprecated repository is found', 'superseededword', ['zz-suite/deprecated']],
            ['an archived one is not', 'mothballedword', []],
            ['one without an active version is not', 'vanishedword', []],
            ['nor is a yanked version’s content', 'retractedword', []],
          ],
          3,
        ),
      )('%s', async (_, q, expected) => {
        const full = expected.map((name) => (name.includes('/') ? name : `zz-search/${name}`))
        const got = await search(q)
        // Of two that are found for one word each, either may be first.
        if (/both|NOT|one of two words$/.test(_)) expect(got.toSorted()).toEqual(full)
        else expect(got).toEqual(full)
      })

      //  what                       q                        total  exact  corrected                     ignored
      test.each<[string, string, number, number, Record<string, string>, string[]]>(
        some<[string, string, number, number, Record<string, string>, string[]]>(
          [
            ['all words as typed', 'flarnholt snarfblatt', 1, 1, {}, []],
            ['a typo', 'flarnhult snarfblatt', 1, 0, { flarnhult: 'flarnholt' }, []],
            ['an unknown word', 'qqxzvk snarfblatt', 1, 0, {}, ['qqxzvk']],
            ['one of two words', 'flarnholt grobnik', 2, 0, {}, []],
            ['nothing that is known', 'qqxzvk', 0, 0, {}, ['qqxzvk']],
            ['no words at all', '"', 0, 0, {}, []],
          ],
          2,
        ),
      )('%s: meta says how the words were taken', async (_, q, total, exact, corrected, ignored) => {
        expect(meta(await found(`/api/v1/repos?q=${encode(q)}`))).toEqual({
          page: 1,
          pages: Math.ceil(total / 20),
          total,
          total_is_exact: true,
          matched: { exact, corrected, ignored },
        })
      })

      test('q and tag combine with AND', async () => {
        expect(await search('snarfblatt', '&tag=wobbletag')).toEqual(['zz-search/every-field'])
        expect(await search('snarfblatt', '&tag=writing')).toEqual([])
        expect(await search('snarfblatt', '&tag=wobbletag&tag=writing')).toEqual([])
        const odd = orders('new', (one) => one.tags.includes('zz-odd'))
        expect(odd.map((order) => order.slice(0, 20))).toContainEqual(await search('pagedword', '&tag=zz-odd&sort=new'))
      })

      test('results come in pages that keep the question', async () => {
        const seen: string[] = []
        let path: string | undefined = '/api/v1/repos?tag=zz-many&q=pagedword&sort=new'
        for (let page = 1; path; page++) {
          const answer: Answer = await found(path)
          expect(meta(answer)).toMatchObject({
            page,
            pages: 3,
            total: 45,
            total_is_exact: true,
            matched: { exact: 45 },
          })
          seen.push(...names(answer))
          path = links(answer, base).next
          if (path) {
            const { searchParams } = new URL(path, base)
            expect(Object.fromEntries(searchParams)).toEqual({
              tag: 'zz-many',
              q: 'pagedword',
              sort: 'new',
              page: String(page + 1),
            })
          }
        }
        expect(orders('new', (one) => one.owner === 'zz-many')).toContainEqual(seen)
      })

      test('best match first goes over pages without a repository twice', async () => {
        const pages = await Promise.all([1, 2, 3].map((page) => search('pagedword', `&page=${page}`)))
        expect(pages.flat().toSorted()).toEqual(
          listed
            .filter((one) => one.owner === 'zz-many')
            .map((one) => one.full_name)
            .toSorted(),
        )
      })

      test('a tag filter comes in pages and keeps several tags', async () => {
        const first = await found('/api/v1/repos?tag=zz-odd&tag=zz-many')
        expect(meta(first)).toEqual({ page: 1, pages: 2, total: 23 })
        const next = links(first, base).next ?? ''
        expect(new URL(next, base).searchParams.getAll('tag').toSorted()).toEqual(['zz-many', 'zz-odd'])
        const second = await found(next)
        expect(meta(second)).toEqual({ page: 2, pages: 2, total: 23 })
        const odd = orders('top', (one) => one.tags.includes('zz-odd'))
        expect(odd).toContainEqual([...names(first), ...names(second)])
      })
    })

    describe('query values', () => {
      const [first] = starter
      if (!first?.latest) throw new Error('no starter catalogue')
      const raw = `/api/v1/repos/${first.full_name}/raw`

      //  page
      test.each(
        some(
          [
            '0',
            '-1',
            '%2B1',
            '01',
            '1.5',
            '1.0',
            '1e3',
            '1e9',
            '0x10',
            'NaN',
            'Infinity',
            'abc',
            '%20',
            '%201',
            '1%20',
            '1%0A',
            '1%00',
            '100001',
            '9007199254740993',
            '%EF%BC%91',
            '%D9%A1',
            '1,2',
            '__proto__',
          ],
          6,
        ),
      )('page=%s: refused', async (page) => {
        expect(await refused(`/api/v1/repos?page=${page}`)).toMatch(/page/i)
      })

      //  sort
      test.each(some(['TOP', 'best', 'relevance', 'top%20', 'new,top', '__proto__', 'constructor', '%00'], 4))(
        'sort=%s: refused',
        async (sort) => {
          expect(await refused(`/api/v1/repos?sort=${sort}`)).toMatch(/sort/i)
        },
      )

      //  version
      const malformed = [
        'v1.0.0',
        '1.0',
        '1',
        '1.0.0.0',
        '01.2.3',
        '1.02.3',
        '1.0.0-rc.1',
        '1.0.0%2Bbuild',
        '1.0.0%0A',
        '1.0.0%00',
        '%201.0.0',
        '-1.0.0',
        '1000000.0.0',
        '9007199254740993.0.0',
        'latest',
        '*',
        '%5E1.0.0',
        '%D9%A1.0.0',
        '__proto__',
      ]
      test.each(some(malformed, 5))('raw?version=%s: refused', async (version) => {
        expect(await refused(`${raw}?version=${version}`)).toMatch(/version/i)
      })
      test('a malformed version in the path, and a number never published: 404', async () => {
        await each(some(malformed, 9), (version) => missing(`/api/v1/repos/${first.full_name}/versions/${version}`))
        await missing(`/api/v1/repos/${first.full_name}/versions/999999.999999.999999`)
        await missing(`${raw}?version=999999.999999.999999`)
      })

      if (own) {
        test('a label stands for the version that it points at', async () => {
          const labelled = '/api/v1/repos/zz-suite/highest-yanked/raw'
          for (const [label, version, content] of [
            ['production', '1.0.0', 'First\n'],
            ['next', '1.0.1', 'Third\n'],
          ] as const) {
            const answer = await found(`${labelled}?label=${label}`)
            expect(answer.text).toBe(content)
            expect(answer.headers['x-prompt-version']).toBe(version)
            expect(answer.headers['cache-control'], 'a label may move').toBe(SHORT)
          }
          const message = await missing(`${labelled}?label=staging`)
          // The local Netlify server asks for other names too before it takes a 404, and passes on what was said of the last one.
          if (!target.netlify) expect(message).toMatch(/production[\s\S]*next|next[\s\S]*production/)
          await missing('/api/v1/repos/zz-suite/bytes/raw?label=production')
          expect(await refused(`${labelled}?label=production&version=1.0.0`)).toMatch(/label/)
          expect((await found(`${labelled}?label=&version=1.0.0`)).headers['x-prompt-version']).toBe('1.0.0')
        })
      }

      test('an empty parameter counts as left out', async () => {
        const bare = await found('/api/v1/repos')
        expect((await found('/api/v1/repos?page=&sort=&q=&tag=')).text).toBe(bare.text)
        expect((await found('/api/v1/repos?page&sort&q&tag')).text).toBe(bare.text)
        const latest = await get(`${raw}?version=`)
        expectBytes(latest, first.latest?.bytes ?? Buffer.alloc(0))
        expect(latest.headers['cache-control']).toBe(SHORT)
      })

      test('of a repeated one the last counts', async () => {
        const list = async (query: string) => (await found(`/api/v1/repos?${query}`)).text
        expect(await list('page=2&page=1')).toBe(await list('page=1'))
        expect(await list('page=nonsense&page=2')).toBe(await list('page=2'))
        expect(await list('sort=top&sort=new')).toBe(await list('sort=new'))
        expect(await list('q=nowhereatall&q=review')).toBe(await list('q=review'))
        await refused('/api/v1/repos?page=1&page=0')
        const version = first.versions.at(-1)
        const last = await found(`${raw}?version=999.0.0&version=${version?.version}`)
        expect(last.headers['x-prompt-version']).toBe(version?.version)
      })

      test('unknown parameters are ignored: the same bytes, the same ETag', async () => {
        const pairs = [
          ['/api/v1/repos', '?limit=1&per_page=5&__proto__=x&utm_source=a%FF'],
          ['/api/v1/repos?sort=new&page=2', '&Page=7&SORT=top'],
          ['/api/v1/tags', '?page=0&sort=nonsense'],
          [`/api/v1/repos/${first.full_name}`, '?version=nonsense&q='],
          [`/api/v1/repos/${first.full_name}/versions`, '?page=0'],
          [raw, '?x=1'],
        ] as const
        for (const [path, more] of pairs) {
          const [bare, with_] = [await found(path), await found(path + more)]
          expect(with_.text, more).toBe(bare.text)
          expect(with_.headers.etag, more).toBe(bare.headers.etag)
        }
      })
    })

    describe('addresses', () => {
      const [first] = starter
      if (!first?.latest) throw new Error('no starter catalogue')
      const { owner, name, full_name } = first
      const version = first.latest.version

      const unknown: string[] = [
        '/api',
        '/api/',
        '/api/v1',
        '/api/v1/',
        '/api/v2/repos',
        '/api/v1/nothing',
        '/api/v1/repos.json',
        '/api/v1/openapi',
        '/api/v1/index.html',
        `/api/v1/repos/${owner}`,
        `/api/v1/repos/${owner}/no-such-name`,
        `/api/v1/repos/no-such-owner/${name}`,
        `/api/v1/repos/no-such-owner/${name}/raw`,
        `/api/v1/repos/no-such-owner/${name}/versions`,
        `/api/v1/repos/no-such-owner/${name}/versions/1.0.0`,
        `/api/v1/repos/${full_name}/nothing`,
        `/api/v1/repos/${full_name}/index.html`,
        `/api/v1/repos/${full_name}/versions/${version}/raw`,
        `/api/v1/repos/${full_name}/raw/${version}`,
        `/api/v1/repos/${full_name}.json`,
        `/api/v1/tags/${tags[0]?.name}`,
        '/api/v1/users',
        '/api/v1/users/no-such-user',
        `/api/v1/users/${owner}/repos`,
        // owners and names outside their pattern
        `/api/v1/repos/-${owner}/${name}`,
        `/api/v1/repos/${owner}-/${name}`,
        `/api/v1/repos/a--b/${name}`,
        `/api/v1/repos/${'a'.repeat(40)}/${name}`,
        `/api/v1/repos/${owner}/${'a'.repeat(65)}`,
        `/api/v1/repos/${'a'.repeat(5000)}/${name}`,
        `/api/v1/repos/${owner}_/${name}`,
        `/api/v1/repos/@${owner}/${name}`,
        `/api/v1/repos/${owner}/${name}.git`,
        `/api/v1/repos/.git/config`,
        `/api/v1/repos/__proto__/constructor`,
        `/api/v1/repos/constructor/prototype`,
        `/api/v1/users/__proto__`,
        `/api/v1/repos/${owner}/*`,
        `/api/v1/repos/${owner}/${name};v=1`,
        // a percent sign is never decoded
        `/api/v1/repos/${owner}%2f${name}`,
        `/api/v1/repos/${owner}/${name}%00`,
        `/api/v1/repos/${owner}/${name}%20`,
        `/api/v1/repos/${owner}/%63${name.slice(1)}`,
        `/api/v1/repos/${owner}/${name}/versions/1%2e0.0`,
        `/api/v1/repos/${owner}/${name}/%72aw`,
        `/api/v1/repos/${owner}/cafe%cc%81`,
        `/api/v1/repos/${owner}/%d0%b0`,
        `/api/v1/users/%61${owner.slice(1)}`,
        // out of the folder
        `/api/v1/repos/../../etc/passwd`,
        `/api/v1/repos/${full_name}/versions/..%2f..`,
        `/api/v1/repos/${owner}/../${owner}`,
        `/api/v1/repos/${owner}/../../../package.json`,
        `/api/v1/repos/${owner}/%2e%2e/%2e%2e/package.json`,
        `/api/v1/repos/${owner}/..%2f..%2fpackage.json`,
        `/api/v1/repos/${owner}/..%5c..%5cpackage.json`,
        // reserved owners
        ...`api auth cli data docs mcp settings tags admin me new null undefined con prn aux nul com1 com9 lpt1 lpt9`
          .split(' ')
          .flatMap((reserved) => [`/api/v1/repos/${reserved}/${name}`, `/api/v1/users/${reserved}`]),
        // plain files
        '/data',
        '/data/',
        '/data/v1',
        '/data/v1/',
        '/data/v1/nothing.json',
        '/data/v1/lists/top/0.json',
        '/data/v1/lists/top/1000.json',
        '/data/v1/lists/best/1.json',
        '/data/v1/lists/',
        '/data/v1/tags/no-such-tag/top/1.json',
        '/data/v1/users/no-such-user.json',
        `/data/v1/repos/${owner}`,
        `/data/v1/repos/${owner}/no-such-name.json`,
        `/data/v1/repos/${full_name}/versions/999.0.0.json`,
        `/data/v1/repos/${full_name}/raw/999.0.0.txt`,
        '/data/v1/../package.json',
        '/data/v1/%2e%2e/package.json',
        '/data/v2/index.json',
      ]
      // A malformed escape ends the local Netlify server, or is answered by its proxy.
      const malformed = ['/api/v1/repos/%/x', '/api/v1/repos/a%zz/x', '/api/v1/users/%E0%A4%A', '/data/v1/%zz.json']

      test('what is unknown, malformed or reserved: a JSON 404', { timeout: own ? 120_000 : 900_000 }, async () => {
        await each(some(unknown, 10), (path) => missing(path))
      })

      if (own && !target.netlify) {
        test.each(malformed)('%s, an escape that means nothing: a JSON 404', async (path) => {
          await missing(path)
        })
      }

      //  what                      path
      test.each(
        some(
          [
            ['a repository', `/api/v1/repos/${full_name}`],
            ['its content', `/api/v1/repos/${full_name}/raw`],
            ['its versions', `/api/v1/repos/${full_name}/versions`],
            ['a version', `/api/v1/repos/${full_name}/versions/${version}`],
            ['a list', '/api/v1/repos'],
            ['tags', '/api/v1/tags'],
            ['a user', `/api/v1/users/${owner}`],
            ['OpenAPI', '/api/v1/openapi.json'],
          ],
          3,
        ),
      )('%s: a trailing slash is ignored', async (_, path) => {
        const [bare, slashed] = [await found(path), await get(`${path}/`)]
        expect(slashed.status).toBe(200)
        expect(slashed.text).toBe(bare.text)
        expect(slashed.headers['cache-control']).toBe(bare.headers['cache-control'])
      })

      const [upper, capital] = [full_name.toUpperCase(), owner[0]?.toUpperCase() + owner.slice(1)]
      //  what                           path                                     lower case
      test.each(
        some(
          [
            ['owner', `/api/v1/repos/${capital}/${name}`, `/api/v1/repos/${full_name}`],
            ['owner and name', `/api/v1/repos/${upper}`, `/api/v1/repos/${full_name}`],
            ['a handle', `/api/v1/users/${capital}`, `/api/v1/users/${owner}`],
            ['the versions', `/api/v1/repos/${upper}/versions`, `/api/v1/repos/${full_name}/versions`],
            ['one version', `/api/v1/repos/${upper}/versions/1.0.0`, `/api/v1/repos/${full_name}/versions/1.0.0`],
            ['the content', `/api/v1/repos/${upper}/raw`, `/api/v1/repos/${full_name}/raw`],
            ['nothing at all', '/api/v1/repos/No-Such/Thing', '/api/v1/repos/no-such/thing'],
            ['a fixed word', '/api/v1/Tags', '/api/v1/tags'],
          ],
          3,
        ),
      )('upper case in %s: 308 to lower case, with the query as it is', async (_, path, lower) => {
        for (const query of ['', '?version=1.0.0&Q=%C3%84&x=A&x=b']) {
          const answer = await get(path + query)
          expect(answer.status, answer.request).toBe(308)
          const location = new URL(answer.headers.location ?? '', base)
          expect(location.origin).toBe(new URL(base).origin)
          expect(location.pathname + location.search).toBe(lower + query)
        }
      })
    })

    describe('methods and headers', () => {
      const [first] = starter
      if (!first?.latest) throw new Error('no starter catalogue')
      const { full_name, owner } = first
      const paths = [
        '/api/v1/repos?sort=new&page=2',
        '/api/v1/repos?q=review',
        `/api/v1/repos/${full_name}`,
        `/api/v1/repos/${full_name}/versions`,
        `/api/v1/repos/${full_name}/versions/${first.latest.version}`,
        `/api/v1/repos/${full_name}/raw`,
        `/api/v1/repos/${full_name}/raw?version=${first.latest.version}`,
        '/api/v1/tags',
        `/api/v1/users/${owner}`,
        '/api/v1/openapi.json',
      ]

      test.each(some(paths, 2))('HEAD %s: as GET, without a body', async (path) => {
        const [body, head] = [await found(path), await get(path, {}, 'HEAD')]
        expect(head.status).toBe(200)
        for (const header of ['content-type', 'cache-control', 'etag', 'link', 'x-prompt-version']) {
          expect(head.headers[header], header).toBe(body.headers[header])
        }
      })

      test('HEAD of what is missing or refused', async () => {
        expect((await get('/api/v1/repos/no-such/thing', {}, 'HEAD')).status).toBe(404)
        expect((await get('/api/v1/repos?page=0', {}, 'HEAD')).status).toBe(400)
      })

      test.each(some(paths, 2))('OPTIONS %s: 204 with what is allowed', async (path) => {
        const answer = await get(
          path,
          { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' },
          'OPTIONS',
        )
        expect(answer.status).toBe(204)
        const allowed = (answer.headers['access-control-allow-methods'] ?? '').split(/, ?/)
        expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD']))
        expect(answer.headers['access-control-expose-headers']).toBe(EXPOSED)
      })

      //  method     path
      test.each(
        some(
          [
            ['POST', '/api/v1/repos'],
            ['PUT', '/api/v1/repos'],
            ['DELETE', `/api/v1/repos/${full_name}`],
            ['PATCH', `/api/v1/repos/${full_name}`],
            ['PUT', `/api/v1/repos/${full_name}/versions`],
            ['DELETE', `/api/v1/repos/${full_name}/versions`],
            ['POST', `/api/v1/repos/${full_name}/versions/${first.latest.version}`],
            ['DELETE', `/api/v1/repos/${full_name}/versions/${first.latest.version}`],
            ['POST', `/api/v1/repos/${full_name}/raw`],
            ['POST', '/api/v1/tags'],
            ['PATCH', `/api/v1/users/${owner}`],
            ['DELETE', '/api/v1/openapi.json'],
          ],
          3,
        ),
      )('%s %s: 405 with what is allowed', async (method, path) => {
        const answer = await get(path, { 'Content-Length': '0' }, method)
        expectError(answer, 405)
        const allowed = (answer.headers.allow ?? '').split(/, ?/)
        expect(allowed).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS']))
        expect(allowed).not.toContain(method)
      })

      test.each(some(paths, 2))('%s: If-None-Match answers 304', async (path) => {
        const { etag = '' } = (await found(path)).headers
        const strong = etag.replace(/^W\//, '')
        const matching = [etag, `W/${strong}`, `"other", ${etag}`, `"a,b" , W/"c",${etag}, "d"`, '*']
        for (const condition of some(matching)) {
          const answer = await get(path, { 'If-None-Match': condition })
          expect(answer.status, `If-None-Match: ${condition}`).toBe(304)
          expect(answer.headers.etag).toBe(etag)
        }
        for (const condition of some(['"other"', strong.slice(1, -1), `"x${strong.slice(1)}`, ''])) {
          expect((await get(path, { 'If-None-Match': condition })).status, `If-None-Match: ${condition}`).toBe(200)
        }
        expect((await get(path, { 'If-None-Match': etag }, 'HEAD')).status).toBe(304)
      })

      test('If-None-Match changes no error', async () => {
        expect((await get('/api/v1/repos/no-such/thing', { 'If-None-Match': '*' })).status).toBe(404)
        expect((await get('/api/v1/repos?page=0', { 'If-None-Match': '*' })).status).toBe(400)
      })

      test('different bytes have different ETags, the same bytes the same', async () => {
        const asked = some(paths, 3)
        const etags = await Promise.all(asked.map(async (path) => (await found(path)).headers.etag))
        const again = await Promise.all(asked.map(async (path) => (await found(path)).headers.etag))
        expect(again).toEqual(etags)
        // The bytes of a version and of the latest content are the same.
        const distinct = etags.filter((_, i) => !asked[i]?.includes('/raw'))
        expect(new Set(distinct).size).toBe(distinct.length)
      })

      test('a version is kept for a year, all else for a minute', async () => {
        const caching = async (path: string) => (await found(path)).headers['cache-control']
        expect(await caching(`/api/v1/repos/${full_name}/versions/${first.latest?.version}`)).toBe(FOREVER)
        expect(await caching(`/api/v1/repos/${full_name}/raw?version=${first.latest?.version}`)).toBe(FOREVER)
        expect(await caching(`/api/v1/repos/${full_name}/raw`)).toBe(SHORT)
        expect(await caching(`/api/v1/repos/${full_name}`)).toBe(SHORT)
      })

      test('an Origin, credentials or headers of a proxy change nothing', async () => {
        const bare = await found('/api/v1/repos')
        const dressed = await get('/api/v1/repos', {
          Origin: 'https://evil.example',
          Cookie: 'session=x',
          Authorization: 'Bearer nonsense',
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-Proto': 'ftp',
          Forwarded: 'host=evil.example',
        })
        expect(dressed.text).toBe(bare.text)
        expect(dressed.headers['access-control-allow-credentials']).toBeUndefined()
      })

      if (own) {
        test('a foreign Host changes no address', async () => {
          const answer = await send('/api/v1/repos', { headers: { Host: 'evil.example' } })
          expect(answer.text).not.toContain('//evil.example')
          expect(answer.headers.link ?? '').not.toContain('evil.example')
        })
      }
    })

    describe('plain files under /data/v1', () => {
      const file = async (path: string, media: RegExp): Promise<Answer> => {
        const answer = await send(path)
        expect(answer.status, answer.request).toBe(200)
        expect(answer.headers['content-type'], answer.request).toMatch(media)
        expect(answer.headers['access-control-allow-origin'], answer.request).toBe('*')
        expect(answer.headers['x-content-type-options'], answer.request).toBe('nosniff')
        expect(answer.headers.etag, answer.request).toBeDefined()
        if (!target.netlify) expect([SHORT, FOREVER], answer.request).toContain(answer.headers['cache-control'])
        return answer
      }
      const json = (path: string) => file(path, /^application\/json/)
      const plain = (path: string) => file(path, /^text\/plain; ?charset=utf-8$/i)
      const same = async (path: string, address: string) =>
        expect((await json(path)).json(), path).toEqual((await found(address)).json())

      test('index.json: all summaries in one list, in the order of top', async () => {
        const all = (await json('/data/v1/index.json')).json() as List
        expect(orders('top')).toContainEqual(all.data.map((one) => one.full_name))
        expect(all.meta).toEqual({ page: 1, pages: 1, total: listed.length })
        for (const one of all.data) expectShape(one, SUMMARY, String(one.full_name))
      })

      test('lists/{sort}/{page}.json: every page of every order, and none after the last', async () => {
        const pages = Array.from({ length: Math.ceil(listed.length / 20) }, (_, i) => i + 1)
        for (const sort of SORTS) {
          await each(some(pages, 3), (page) =>
            same(`/data/v1/lists/${sort}/${page}.json`, `/api/v1/repos?sort=${sort}&page=${page}`),
          )
          expect((await send(`/data/v1/lists/${sort}/${pages.length + 1}.json`)).status).toBe(404)
        }
      })

      test('tags.json and tags/{tag}/{sort}/{page}.json', async () => {
        await same('/data/v1/tags.json', '/api/v1/tags')
        const rows = tags.flatMap(({ name, count }) =>
          SORTS.flatMap((sort) =>
            Array.from({ length: Math.ceil(count / 20) }, (_, i) => ({ name, sort, page: i + 1 })),
          ),
        )
        const seldom = target.netlify ? rows.filter((_, i) => i % 17 === 0) : rows
        await each(seldom, ({ name, sort, page }) =>
          same(`/data/v1/tags/${name}/${sort}/${page}.json`, `/api/v1/repos?tag=${name}&sort=${sort}&page=${page}`),
        )
        await each(rows, ({ name, sort, page }) => json(`/data/v1/tags/${name}/${sort}/${page}.json`))
      })

      test('users/{handle}.json', async () => {
        const handles = [...new Set(listed.map((one) => one.owner))]
        await each(some(handles), (handle) => same(`/data/v1/users/${handle}.json`, `/api/v1/users/${handle}`))
        await each(handles, (handle) => json(`/data/v1/users/${handle}.json`))
      })

      test('repos/{owner}/{name}: record, versions, version, content', async () => {
        await each(looked, async (repository) => {
          const { full_name, versions, latest } = repository
          const [files, api] = [`/data/v1/repos/${full_name}`, `/api/v1/repos/${full_name}`]
          if (!target.netlify || !latest || versions.length > 3) {
            await same(`${files}.json`, api)
            await same(`${files}/versions.json`, `${api}/versions`)
          }
          if (latest) expectBytes(await plain(`${files}/raw.txt`), latest.bytes)
          else expect((await send(`${files}/raw.txt`)).status).toBe(404)
          for (const version of versions) {
            expectBytes(await plain(`${files}/raw/${version.version}.txt`), version.bytes)
            const single = data(await json(`${files}/versions/${version.version}.json`))
            expect(single).toMatchObject(versionRecord(repository, version))
            if (!target.netlify)
              await same(`${files}/versions/${version.version}.json`, `${api}/versions/${version.version}`)
          }
        })
      })

      test('every repository has its files', async () => {
        await each(content.repositories, async ({ full_name, latest }) => {
          expect(data(await json(`/data/v1/repos/${full_name}.json`)).content_sha256).toBe(latest?.sha256 ?? null)
        })
      })
    })

    describe('OpenAPI', () => {
      test('describes every address of reading, each with its parameters', async () => {
        const openapi = (await found('/api/v1/openapi.json')).json()
        expect(openapi.openapi).toMatch(/^3\.1\.\d+$/)
        expect(openapi.servers).toEqual([expect.objectContaining({ url: base })])
        const paths = openapi.paths as Record<string, { get?: { parameters?: { name: string; in: string }[] } }>
        const parameters = (path: string) =>
          (paths[path]?.get?.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`).toSorted()
        const repository = ['header If-None-Match', 'path name', 'path owner']
        expect(parameters('/api/v1/repos')).toEqual([
          'header If-None-Match',
          'query page',
          'query q',
          'query sort',
          'query tag',
        ])
        expect(parameters('/api/v1/repos/{owner}/{name}')).toEqual(repository)
        expect(parameters('/api/v1/repos/{owner}/{name}/versions')).toEqual(repository)
        const single = Object.keys(paths).find((path) => /\/versions\/\{\w+\}$/.test(path)) ?? ''
        expect(parameters(single)).toEqual([...repository, 'path version'])
        expect(parameters('/api/v1/repos/{owner}/{name}/raw')).toEqual([...repository, 'query label', 'query version'])
        expect(paths['/api/v1/tags']?.get).toBeDefined()
        expect(parameters('/api/v1/users/{handle}')).toEqual(['header If-None-Match', 'path handle'])
        expect(paths['/api/v1/openapi.json']?.get).toBeDefined()
      })

      test('declares every promised key as required', async () => {
        const { components } = (await found('/api/v1/openapi.json')).json() as {
          components: { schemas: Record<string, { required: string[] }> }
        }
        const required = Object.values(components.schemas).map((schema) => new Set(schema.required ?? []))
        for (const shape of [SUMMARY, DETAIL, VARIABLE, LISTED_VERSION, VERSION_RECORD, TAG, USER]) {
          const keys = Object.keys(shape)
          expect(
            required.some((names) => keys.every((key) => names.has(key))),
            keys.join(', '),
          ).toBe(true)
        }
      })
    })

    test('the addresses in records are absolute and resolve', async () => {
      const resolve = async (address: unknown) => {
        const url = new URL(String(address))
        expect(url.origin).toBe(new URL(base).origin)
        return found(url.pathname + url.search)
      }
      const list = (await found('/api/v1/repos?page=2')).json() as List
      for (const one of some(list.data, 10)) {
        expect(data(await resolve(one.url)).full_name).toBe(one.full_name)
        expect((await resolve(one.raw_url)).headers['x-prompt-version']).toBe(one.latest_version)
        const versions = (await found(`/api/v1/repos/${one.full_name}/versions`)).json() as List
        for (const version of versions.data) {
          expect(data(await resolve(version.url)).version).toBe(version.version)
          expect((await resolve(version.raw_url)).headers['x-prompt-version']).toBe(version.version)
        }
      }
      const tagged = (await found('/api/v1/tags')).json() as List
      for (const tag of tagged.data.slice(0, 3)) expect(meta(await resolve(tag.url)).total).toBe(tag.count)
    })

    describe('the limit of requests', () => {
      if (own) {
        const empty = temporaryFolder()
        let limited: Server
        let ask: Ask
        beforeAll(async () => {
          await server?.stop()
          server = undefined
          limited = await target.start({ contentDir: empty, limit: LIMIT })
          ask = openClient(limited.base)
        }, 150_000)
        afterAll(async () => {
          await limited?.stop()
          rmSync(empty, { recursive: true, force: true })
        }, 60_000)

        test('plain files of an empty hub: page 1 exists all the same, and nothing counts against the limit', async () => {
          for (let round = 0; round < 3; round++) {
            for (const path of ['index', 'tags', 'lists/top/1', 'lists/trending/1', 'lists/new/1']) {
              const answer = await ask(`/data/v1/${path}.json`)
              expect(answer.status, answer.request).toBe(200)
              expect(answer.json(), answer.request).toEqual(NO_ITEMS)
            }
          }
        })

        test(`${LIMIT} a minute, whatever the client calls itself, then 429 with Retry-After`, async () => {
          const paths = ['/api/v1/repos', '/api/v1/tags', '/api/v1/repos?q=review', '/api/v1/repos/no-such/thing']
          const answers: Answer[] = []
          for (let i = 0; i < LIMIT; i++) {
            const headers = { 'X-Forwarded-For': `192.0.2.${i}`, 'User-Agent': `client ${i}` }
            answers.push(expectPromises(await ask(paths[i % 4] ?? '', { headers }), described))
          }
          expect(answers.map((answer) => answer.status)).toEqual(
            Array.from({ length: LIMIT }, (_, i) => (i % 4 === 3 ? 404 : 200)),
          )
          for (const i of [0, 1]) expect(answers[i]?.json()).toEqual(NO_ITEMS)
          const matched = { exact: 0, corrected: {}, ignored: ['review'] }
          expect(answers[2]?.json()).toEqual({ data: [], meta: { ...NO_ITEMS.meta, total_is_exact: true, matched } })
          for (const path of [...paths, '/api/v1/openapi.json']) {
            expectLimited(
              expectPromises(await ask(path, { headers: { 'X-Forwarded-For': '198.51.100.7' } }), described),
            )
          }
          expect((await ask('/data/v1/index.json')).status, 'a plain file has no limit').toBe(200)
        })
      } else {
        test('more than 120 requests a minute: 429 with Retry-After', { timeout: 300_000 }, async () => {
          const ask = openClient(base)
          let last = await ask('/api/v1/repos?q=0')
          for (let i = 1; i <= 140 && last.status !== 429; i++) last = await ask(`/api/v1/repos?q=${i}`)
          expectLimited(expectPromises(last, described))
        })
      }
    })
  })
}

function expectLimited(answer: Answer): void {
  expectError(answer, 429)
  const wait = answer.headers['retry-after'] ?? ''
  expect(wait).toMatch(/^\d+$/)
  expect(Number(wait)).toBeGreaterThanOrEqual(1)
  expect(Number(wait)).toBeLessThanOrEqual(60)
}

/** The `Link` header as paths of this site by relation. */
function links(answer: Answer, base: string): { next?: string; prev?: string } {
  const found: Record<string, string> = {}
  for (const [, address = '', relation = ''] of (answer.headers.link ?? '').matchAll(/<([^>]*)>; ?rel="(\w+)"/g)) {
    const url = new URL(address, base)
    expect(url.origin, answer.request).toBe(new URL(base).origin)
    found[relation] = url.pathname + url.search
  }
  return found
}
