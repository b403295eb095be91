// Read tests of prompts whose model retires: records, the data file, pages and the feed.
import { describe, expect, test } from 'vitest'
import { data, type List, type Reading } from './hub.ts'

export function models({ found, send }: Reading): void {
  describe('models that retire', () => {
    const RETIRED = {
      model: 'zz-retired',
      retires_at: '2026-01-02',
      replaced_by: 'zz-far',
      source: 'https://suite.example/',
    }
    const FAR = { model: 'zz-far', retires_at: '2999-12-31', replaced_by: null, source: null }

    test('records say when the model of each version retires', async () => {
      expect(data(await found('/api/v1/repos/zz-suite/retiring')).model_status).toEqual(FAR)
      const list = (await found('/api/v1/repos/zz-suite/retiring/versions')).json() as List
      expect(list.data.map(({ version, model_status }) => [version, model_status])).toEqual([
        ['1.1.0', FAR],
        ['1.0.0', RETIRED],
      ])
      expect(data(await found('/api/v1/repos/zz-suite/retiring/versions/1.0.0'))).not.toHaveProperty('model_status')
    })

    test('models.json lists the models with their prompts', async () => {
      const list = (await send('/data/v1/models.json')).json() as List
      const own = list.data.filter(({ model }) => String(model).startsWith('zz-'))
      expect(own).toEqual([
        { ...RETIRED, prompts_count: 0, prompts: [] },
        { ...FAR, prompts_count: 1, prompts: ['zz-suite/retiring'] },
      ])
    })

    test('a page says that the model has retired, and nothing about one that retires later than in 90 days', async () => {
      const page = await send('/zz-suite/retiring/v/1.0.0')
      expect(page.text).toContain('<strong>The model zz-retired retired on 2 Jan 2026.</strong>')
      expect(page.text).toContain('Its provider recommends zz-far.')
      expect((await send('/zz-suite/retiring')).text).not.toContain('The model')
    })

    test('the feed has the models that listed prompts use', async () => {
      const feed = await send('/models.xml')
      expect(feed.headers['content-type']).toBe('text/xml; charset=utf-8')
      expect(feed.text.match(/<title>zz-[^<]*<\/title>/g)).toEqual(['<title>zz-far retires on 31 Dec 2999</title>'])
      expect(feed.text).toContain('/zz-suite/retiring&quot;&gt;zz-suite/retiring&lt;')
    })
  })
}
