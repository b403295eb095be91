// Tests the pages of a prompt with as many versions as there can be, each with as long a changelog: their size, and the
// way to every version. See docs/contract.md section 10.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { BuiltSite } from './built-site.ts'

const PAGE = '/mallory/long'
const MAX_PAGE_BYTES = 300_000

/** Writes the prompt, of an owner of its own. */
export function writeManyVersions(contentDir: string): void {
  const dir = join(contentDir, 'mallory/long/versions')
  mkdirSync(dir, { recursive: true })
  for (let minor = 0; minor < 1_000; minor++)
    writeFileSync(
      join(dir, `1.${minor}.0.md`),
      `---\npublished_at: "2026-0${1 + (minor % 9)}-20T10:00:00Z"\npublished_by: mallory\nchangelog: "${'\u{1f600}'.repeat(490)}${minor}"\n---\nText ${minor}\n`,
    )
}

/** Adds the tests. @param opened returns the site; called once the site is open */
export function testManyVersions(opened: () => BuiltSite): void {
  let site: BuiltSite
  beforeAll(() => {
    site = opened()
  })

  const read = async (path: string) => {
    const response = await fetch(site.origin + path)
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  test.each([PAGE, `${PAGE}/versions`, `${PAGE}/versions/20`, `${PAGE}/v/1.0.0`, `${PAGE}/compare/1.998.0...1.999.0`])(
    '%s has at most 300 kB',
    async (path) => {
      const { status, bytes } = await read(path)
      expect(status).toBe(200)
      expect(bytes.length).toBeLessThanOrEqual(MAX_PAGE_BYTES)
    },
  )

  test('leads from the newest 20 versions to all of them, page by page, each compared with the one below', async () => {
    const shown = (html: string) =>
      [...html.matchAll(/<h4><a [^>]*>([\d.]+)<\/a><\/h4>/g)].map(([, version]) => version!)
    const linksOf = (html: string, words: string) =>
      [...html.matchAll(new RegExp(`<a [^>]*href="([^"]+)"[^>]*>${words}<`, 'g'))].map(([, href]) => href)
    const newest = (await read(PAGE)).bytes.toString()
    expect(shown(newest)).toHaveLength(20)
    expect(linksOf(newest, 'All 1,000 versions')).toContain(`${PAGE}/versions`)
    const seen: string[] = []
    for (let number = 1; number <= 20; number++) {
      const html = (await read(number === 1 ? `${PAGE}/versions` : `${PAGE}/versions/${number}`)).bytes.toString()
      seen.push(...shown(html))
      // The last row of each page is compared with the first one of the next.
      const last = 1_000 - number * 50
      if (last > 0) expect(html).toContain(`href="${PAGE}/compare/1.${last - 1}.0...1.${last}.0"`)
      expect(linksOf(html, 'Next page')).toEqual(number < 20 ? [`${PAGE}/versions/${number + 1}`] : [])
      const before = number === 2 ? `${PAGE}/versions` : `${PAGE}/versions/${number - 1}`
      expect(linksOf(html, 'Previous page')).toEqual(number > 1 ? [before] : [])
    }
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => `1.${999 - index}.0`))
  })

  test.each(['0', '1', '01', '21', 'x', '1.0.0'])('there is no page %s of the versions', async (number) => {
    expect((await read(`${PAGE}/versions/${number}`)).status).toBe(404)
  })
}
