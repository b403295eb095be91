// Packs the package prompt-formats, and uses it from a folder outside of the repository, with its dependencies alone.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'

const PROGRAM = `
import { detectFormat, EXPORT_FORMATS, IMPORT_FORMATS, readPrompts, writePrompt } from 'prompt-formats'

const source = '---\\nmodel: googleai/gemini\\nconfig:\\n  temperature: 0.2\\n---\\nReview this {{language}} code.\\n'
const format = detectFormat('prompts/review.prompt', source)
const { prompts: [prompt], findings } = readPrompts(format, source, 'review')
const files = ['prompty', 'github'].map((name) => writePrompt(name, prompt).file)
const again = readPrompts('prompty', files[0].text, 'review').prompts[0]
console.log(JSON.stringify({
  format, findings, lists: [IMPORT_FORMATS.includes(format), EXPORT_FORMATS.includes('prompty')],
  names: files.map(({ name }) => name), github: files[1].text, body: again.body, parameters: again.parameters,
}))
`

/** Packs a copy, because other tests read the sources at the same time. The compiler finds the dependencies above it. */
function pack(folder: string): void {
  mkdirSync('.hub', { recursive: true })
  const copy = mkdtempSync(resolve('.hub/prompt-formats-'))
  try {
    for (const path of ['packages/prompt-formats', 'src/domain', 'tsconfig.json'])
      cpSync(path, join(copy, path), { recursive: true })
    const cwd = join(copy, 'packages/prompt-formats')
    // Its script finds this compiler first, which takes a seventh of the processor time.
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    symlinkSync(resolve('tests/node_modules/typescript-7/bin/tsc'), join(cwd, 'node_modules/.bin/tsc'))
    execFileSync('npm', ['pack', '--pack-destination', folder], { cwd, stdio: 'pipe' })
  } finally {
    rmSync(copy, { recursive: true })
  }
}

test('npm packs a package that reads and writes prompts anywhere', () => {
  const folder = temporaryFolder('prompt-formats-')
  const modules = join(folder, 'node_modules')
  const place = join(modules, 'prompt-formats')
  mkdirSync(place, { recursive: true })
  pack(folder)
  execFileSync('tar', ['-xzf', join(folder, 'prompt-formats-1.0.0.tgz'), '--strip-components=1', '-C', place])
  const { dependencies, exports } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(resolve('node_modules', name), join(modules, name))
  }
  writeFileSync(join(folder, 'use.mjs'), PROGRAM)

  const output = execFileSync(process.execPath, ['use.mjs'], { cwd: folder, encoding: 'utf8' })
  expect(JSON.parse(output)).toEqual({
    format: 'dotprompt',
    findings: [],
    lists: [true, true],
    names: ['review.prompty', 'review.prompt.yml'],
    github: expect.stringContaining('Review this {{language}} code.'),
    body: { format: 'text', text: 'Review this {{language}} code.\n' },
    parameters: { model: 'googleai/gemini', temperature: 0.2 },
  })
  expect(readFileSync(join(place, exports['.'].types), 'utf8')).toContain('export declare function readPrompts(')
  const packed = readdirSync(place, { recursive: true, encoding: 'utf8' })
  expect(packed.filter((path) => /\.test\.|\/src\/(?!domain)/.test(path))).toEqual([])
  expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
})
