// Read tests of labels: all of an owner's prompts at a label, and a label at a time.
import { describe, expect, test } from 'vitest'
import { data, type List, type Reading } from './hub.ts'

export function labels({ content, found, send, get, missing, refused }: Reading): void {
  const labelled = (owner: string, label: string) =>
    content.repositories
      .filter(
        (repository) => repository.listed && repository.owner === owner && Object.hasOwn(repository.labels, label),
      )
      .map((repository) => ({ repository, version: repository.labels[label]! }))
      .toSorted((a, b) => (a.repository.name < b.repository.name ? -1 : 1))

  describe('labels', () => {
    test('all of an owner at a label, as the API and the data file say', async () => {
      const answer = await found('/api/v1/users/zz-suite/labels/production')
      const list = answer.json() as List
      const expected = labelled('zz-suite', 'production')
      expect(expected.length).toBeGreaterThan(0)
      expect(list.meta).toEqual({ page: 1, pages: 1, total: expected.length })
      expect(list.data).toEqual(
        expected.map(({ repository: { name, full_name, versions }, version }) => ({
          name,
          full_name,
          version,
          content_sha256: versions.find((one) => one.version === version)!.sha256,
          url: expect.stringMatching(new RegExp(`/api/v1/repos/${full_name}/versions/${version}$`)),
          raw_url: expect.stringMatching(new RegExp(`/api/v1/repos/${full_name}/raw\\?version=${version}$`)),
        })),
      )
      expect((await send('/data/v1/users/zz-suite/labels/production.json')).json()).toEqual(list)
      expect(data(await found(new URL(String(list.data[0]!.url)).pathname)).version).toBe(expected[0]!.version)
    })

    test('a label that nobody has is an empty list, an unknown owner is not found', async () => {
      const empty = (await found('/api/v1/users/zz-suite/labels/nobody-has-it')).json()
      expect(empty).toEqual({ data: [], meta: { page: 1, pages: 0, total: 0 } })
      await missing('/api/v1/users/zz-nobody/labels/production')
      expect((await send('/data/v1/users/zz-suite/labels/nobody-has-it.json')).status).toBe(404)
    })

    test('a label at a time that the history does not reach says since when it is known', async () => {
      const answer = await get('/api/v1/repos/zz-suite/highest-yanked/raw?label=production&at=2025-02-02T00:00:00Z')
      expect(answer.status).toBe(404)
      expect([answer.status, (answer.json() as { error: { message: string } }).error.message]).toEqual([
        404,
        expect.stringMatching(
          /^zz-suite\/highest-yanked: where label production pointed at 2025-02-02T00:00:00Z is not known\. Its changes are known since \d{4}-\d\d-\d\dT[\d:]+Z\.$/,
        ),
      ])
    })

    test('a malformed time, one to come, and a time without a label are refused', async () => {
      const raw = '/api/v1/repos/zz-suite/highest-yanked/raw'
      for (const query of [
        ...['label=production&at=yesterday', 'label=production&at=2025-02-30T00:00:00Z', 'at=2025-02-02T00:00:00Z'],
        ...['label=production&at=2999-01-01T00:00:00Z', 'label=production&at=2025-02-02', 'at=2025-02-02T00:00:00'],
      ])
        await refused(`${raw}?${query}`)
    })
  })
}
