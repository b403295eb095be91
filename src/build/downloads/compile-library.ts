// Compiles the TypeScript library. The result is kept next to the code, so that a running hub need not load the compiler.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageFiles } from './packages.ts'

const SOURCE = 'clients/typescript/source'
/** Where the compiled library is kept: one file, named after the hash of what it was made of. */
const KEPT = '.clients'

/**
 * Returns the compiled modules and their declarations by path, such as `prompt-hub.js`. Reads them if they have been compiled before.
 *
 * @param root the project's folder
 */
export async function compileLibrary(root: string): Promise<PackageFiles> {
  const found = await readdir(join(root, SOURCE), { recursive: true })
  const names = found
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
  const read = async (name: string) => [name, await readFile(join(root, SOURCE, name), 'utf8')] as const
  const sources = await Promise.all(names.map(read))
  const packages = await readFile(join(root, 'package-lock.json'), 'utf8')
  const key = createHash('sha256')
    .update(JSON.stringify([packages, sources]))
    .digest('hex')
  const path = join(root, KEPT, `${key}.json`)
  const kept = await readFile(path, 'utf8').catch(() => undefined)
  if (kept !== undefined) return new Map(JSON.parse(kept) as [string, string][])
  const files = await compile(sources)
  await keep(join(root, KEPT), path, JSON.stringify([...files])).catch(() => {
    // The user who runs a hub need not be able to write to its code. `npm ci` has usually kept it.
  })
  return files
}

/** Compiles each module by itself, which takes a second. `npx tsc` checks the types. */
async function compile(sources: readonly (readonly [string, string])[]): Promise<PackageFiles> {
  const { default: ts } = await import('typescript')
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    stripInternal: true,
  }
  return new Map(
    sources.flatMap(([name, text]): [string, string][] => {
      const given = { compilerOptions, fileName: name, reportDiagnostics: true }
      const code = ts.transpileModule(text, given)
      const types = ts.transpileDeclaration(text, given)
      const problems = [code, types].flatMap(({ diagnostics = [] }) => diagnostics)
      if (problems.length > 0)
        throw new Error(`${SOURCE}/${name}: ${ts.flattenDiagnosticMessageText(problems[0]!.messageText, '\n')}`)
      const base = name.replace(/\.ts$/, '')
      return [
        [`${base}.js`, code.outputText],
        [`${base}.d.ts`, types.outputText],
      ]
    }),
  )
}

/** Writes the file at once, and removes the ones of other code. */
async function keep(dir: string, path: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  const others = (await readdir(dir)).filter((name) => name.endsWith('.json'))
  const part = `${path}-${randomUUID()}`
  await writeFile(part, text)
  await rename(part, path)
  for (const name of others) await rm(join(dir, name), { force: true })
}
