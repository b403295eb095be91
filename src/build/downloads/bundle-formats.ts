// Bundles the formats of other tools for the npm package `prompt-hub`, with the packages that they need: one module for Node 20 and newer. The result is kept next to the code, so that a running hub need not load the bundler.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { listFiles } from '../list-files.ts'

const ENTRY = 'packages/prompt-import/prompt-import.ts'
const SOURCES = ['packages/prompt-formats/source', 'packages/prompt-import', 'src/domain', 'src/files']
const KEPT = '.clients/formats'

/** What the code uses and Node 20 lacks. */
const ADDED = `{
  const iterators = Object.getPrototypeOf(Object.getPrototypeOf([].values()))
  const add = (to, name, value) => name in to || Object.defineProperty(to, name, { value, writable: true, configurable: true })
  add(Map, 'groupBy', (items, keyOf) => {
    const groups = new Map()
    let index = 0
    for (const item of items) {
      const key = keyOf(item, index++)
      if (groups.has(key)) groups.get(key).push(item)
      else groups.set(key, [item])
    }
    return groups
  })
  add(RegExp, 'escape', (text) => text.replace(/[\\\\^$.*+?()[\\]{}|\\/-]/g, '\\\\$&'))
  add(iterators, 'take', function* (most) {
    let left = most
    if (left > 0) for (const item of this) {
      yield item
      if (--left <= 0) return
    }
  })
  for (const name of ['map', 'filter', 'flatMap', 'some', 'every', 'find', 'forEach', 'reduce'])
    add(iterators, name, function (...given) {
      return [...this][name](...given)
    })
  add(iterators, 'toArray', function () {
    return [...this]
  })
}`

/** Returns the module. @param root the project's folder */
export async function bundleFormats(root: string): Promise<string> {
  const digest = createHash('sha256').update(await readFile(join(root, 'package-lock.json')))
  const paths = SOURCES.flatMap((folder) => listFiles(join(root, folder)).map((path) => `${folder}/${path}`))
  for (const path of paths.filter((path) => !path.endsWith('.test.ts')).sort())
    digest.update(`\0${path}\0`).update(await readFile(join(root, path)))
  const name = `${digest.update(ADDED).digest('hex')}.js`
  const kept = await readFile(join(root, KEPT, name), 'utf8').catch(() => undefined)
  if (kept !== undefined) return kept
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    // A relative path without ./ would be the name of a package.
    input: resolve(root, ENTRY),
    cwd: resolve(root),
    platform: 'node',
    tsconfig: false,
    transform: { target: 'node20' },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true, banner: ADDED, codeSplitting: false })
  await bundle.close()
  await keep(join(root, KEPT), name, output[0].code).catch(() => {
    // The user who runs a hub need not be able to write to its code. `npm ci` has usually kept it.
  })
  return output[0].code
}

/** Writes the file at once, and removes the ones of other code. */
async function keep(dir: string, name: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  const others = await readdir(dir)
  const part = `${name}-${randomUUID()}`
  await writeFile(join(dir, part), text)
  await rename(join(dir, part), join(dir, name))
  for (const other of others) if (other !== name) await rm(join(dir, other), { force: true })
}
