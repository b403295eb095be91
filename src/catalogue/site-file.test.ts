// Tests `site.yml`: its keys, the rejected values, the colours derived from the accent colour, and the format of the
// logo.
import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../tests/temporary-folder.ts'
import { accentColours, contrast } from '../build/accent-colours.ts'
import { readContentDir } from '../content/content-dir.ts'
import { readHubLook } from '../content/site-settings-file.ts'
import { DEFAULT_LOOK } from '../domain/content/look.ts'
import { openFolder } from '../files/plain-files.ts'
import { parseSiteFile } from './site-file.ts'

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'

function aFolder(files: Record<string, string | Buffer>): string {
  const dir = temporaryFolder('site-file-')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}

test('every key is optional', () => {
  expect(readHubLook(openFolder(aFolder({})))).toEqual(DEFAULT_LOOK)
  expect(readHubLook(openFolder(aFolder({ 'site.yml': 'name: Acme\n' })))).toEqual({ ...DEFAULT_LOOK, name: 'Acme' })
})

test.each(['https://example.com/report?prompt={prompt}', 'mailto:abuse@example.com?subject={prompt}'])(
  'accepts report_url %s',
  (address) => {
    expect(parseSiteFile(`report_url: "${address}"\n`).value?.report_url).toBe(address)
  },
)

test('reads the logo file as base64', () => {
  const dir = aFolder({ 'site.yml': 'logo: logo.svg\n', 'logo.svg': LOGO })
  expect(readHubLook(openFolder(dir)).logo).toEqual({ name: 'logo.svg', data: Buffer.from(LOGO).toString('base64') })
  expect(readContentDir(dir).problems).toEqual([])
})

test.each([
  ['nmae: Acme', 'nmae'],
  ['accent: green', 'accent'],
  ['language: "en us"', 'language'],
  ['logo: ../secret.svg', 'logo'],
  ['footer: [{ text: Home, url: "javascript:alert(1)" }]', 'footer.0.url'],
  ['footer: [{ text: Home, url: "//example.com" }]', 'footer.0.url'],
  ['report_url: "http://example.com/report"', 'report_url'],
  ['report_url: "javascript:alert(1)"', 'report_url'],
  ['report_url: /report', 'report_url'],
  ['report_url: "https://me:secret@example.com/"', 'report_url'],
])('rejects %s', (text, key) => {
  expect(parseSiteFile(text).problems?.map((problem) => problem.key)).toEqual([key])
})

test('reports problems with their file and falls back to the default look', () => {
  const dir = aFolder({ 'site.yml': 'accent: green\n', 'logo.png': LOGO, 'logo.svg': Buffer.alloc(70_000) })
  expect(readContentDir(dir).problems.map(({ file, rule }) => [file, rule])).toEqual([
    ['content/logo.png', 'site'],
    ['content/logo.svg', 'site'],
    ['content/site.yml', 'site'],
  ])
  expect(readHubLook(openFolder(dir))).toEqual(DEFAULT_LOOK)
})

test('never serves a logo that the content check rejects', () => {
  const dir = aFolder({ 'site.yml': 'name: Acme\nlogo: logo.svg\n' })
  for (const target of ['/proc/self/environ', '../secret.svg', 'real.svg']) {
    writeFileSync(join(dir, 'real.svg'), LOGO)
    rmSync(join(dir, 'logo.svg'), { force: true })
    symlinkSync(target, join(dir, 'logo.svg'))
    expect(readHubLook(openFolder(dir))).toEqual({ ...DEFAULT_LOOK, name: 'Acme' })
    expect(readContentDir(dir).problems).toContainEqual(
      expect.objectContaining({ file: 'content/logo.svg', rule: 'regular-file' }),
    )
  }
  rmSync(join(dir, 'logo.svg'))
  writeFileSync(join(dir, 'logo.svg'), 'not an image')
  expect(readHubLook(openFolder(dir)).logo).toBeUndefined()
  rmSync(join(dir, 'logo.svg'))
  execFileSync('mkfifo', [join(dir, 'logo.svg')])
  expect(readHubLook(openFolder(dir)).logo).toBeUndefined()
})

const rgb = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

test('gives every accent enough contrast in light and dark mode', () => {
  for (const accent of ['#000000', '#ffffff', '#ffee00', '#0b6e4f', '#ff0000', '#808080']) {
    const { light, dark } = accentColours(accent)
    for (const ground of ['#f7f7f4', '#ffffff', '#f2f2ee'])
      expect(contrast(rgb(light), rgb(ground))).toBeGreaterThan(4.5)
    for (const ground of ['#0e1013', '#171a1f', '#0a0c0f', '#0b1220'])
      expect(contrast(rgb(dark), rgb(ground))).toBeGreaterThan(4.5)
  }
})
