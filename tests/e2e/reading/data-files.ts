// Read tests that compare the static files below /data/v1 with the API responses.
import { describe, expect, test } from 'vitest'
import { FOREVER, READERS, SHORT } from '../answers.ts'
import type { Answer } from '../client.ts'
import { data, type List, type Reading, SORTS } from './hub.ts'

export function dataFiles(hub: Reading): void {
  const { content, listed, looked, tags, send, found, each, order, versionRecord, expectBytes } = hub

  describe('static files under /data/v1', () => {
    const file = async (path: string, media: RegExp): Promise<Answer> => {
      const answer = await send(path)
      expect(answer.status, answer.request).toBe(200)
      expect(answer.headers['content-type'], answer.request).toMatch(media)
      expect(answer.headers['access-control-allow-origin'], answer.request).toMatch(READERS)
      expect(answer.headers['x-content-type-options'], answer.request).toBe('nosniff')
      expect(answer.headers.etag, answer.request).toBeDefined()
      expect([SHORT, FOREVER], answer.request).toContain(answer.headers['cache-control'])
      return answer
    }
    const json = (path: string) => file(path, /^application\/json/)
    const plain = (path: string) => file(path, /^text\/plain; ?charset=utf-8$/i)
    const same = async (path: string, address: string) =>
      expect((await json(path)).json(), path).toEqual((await found(address)).json())

    test('index.json: all summaries in one list, in the top order', async () => {
      const all = (await json('/data/v1/index.json')).json() as List
      expect(all.data.map((one) => one.full_name)).toEqual(await order('top', () => true))
      expect(all.meta).toEqual({ page: 1, pages: 1, total: listed.length })
    })

    test('lists/{sort}/{page}.json: every page of every sort order, and none after the last', async () => {
      const pages = Array.from({ length: Math.ceil(listed.length / 20) }, (_, i) => i + 1)
      for (const sort of SORTS) {
        await each(pages, (page) =>
          same(`/data/v1/lists/${sort}/${page}.json`, `/api/v1/repos?sort=${sort}&page=${page}`),
        )
        expect((await send(`/data/v1/lists/${sort}/${pages.length + 1}.json`)).status).toBe(404)
      }
    })

    test('tags.json and tags/{tag}/{sort}/{page}.json', async () => {
      await same('/data/v1/tags.json', '/api/v1/tags')
      const rows = tags
        .slice(0, 12)
        .flatMap(({ name, count }) =>
          SORTS.flatMap((sort) =>
            Array.from({ length: Math.ceil(count / 20) }, (_, i) => ({ name, sort, page: i + 1 })),
          ),
        )
      await each(rows, ({ name, sort, page }) =>
        same(`/data/v1/tags/${name}/${sort}/${page}.json`, `/api/v1/repos?tag=${name}&sort=${sort}&page=${page}`),
      )
      await each(tags, ({ name }) => json(`/data/v1/tags/${name}/top/1.json`))
    })

    test('users/{handle}.json', async () => {
      const handles = [...new Set(listed.map((one) => one.owner))]
      await each(handles, (handle) => same(`/data/v1/users/${handle}.json`, `/api/v1/users/${handle}`))
    })

    test('repos/{owner}/{name}: record, version list, version, content', async () => {
      await each(looked, async (repository) => {
        const { full_name, versions, latest } = repository
        const [files, api] = [`/data/v1/repos/${full_name}`, `/api/v1/repos/${full_name}`]
        await same(`${files}.json`, api)
        await same(`${files}/versions/pages/1.json`, `${api}/versions`)
        if (latest) expectBytes(await plain(`${files}/raw.txt`), latest.bytes)
        else expect((await send(`${files}/raw.txt`)).status).toBe(404)
        for (const version of versions) {
          expectBytes(await plain(`${files}/raw/${version.version}.txt`), version.bytes)
          const single = data(await json(`${files}/versions/${version.version}.json`))
          expect(single).toMatchObject(versionRecord(repository, version))
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
}
