// Finds every exported function in the modules that work on somebody's text.
// The types of its parameters are those in the source.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { words } from '../words.ts'

/** The folders whose modules are searched. */
const ROOMS = words`
  src/domain src/site src/server src/ports packages/account packages/catalogue packages/editor packages/formats
  packages/review/rules packages/skills
`
/** Modules that need a browser, Astro or a built site to be imported. */
const NOT_LOADABLE =
  /^src\/site\/(?:card|client|docs)\/|^packages\/(?:account\/providers|editor\/browser|formats\/import)\/|\.d\.ts$/

/** An exported function. */
export interface TextFunction {
  /** Its file and name, such as `src/domain/values/chat.ts splitChat`. */
  id: string
  /** The types of its parameters, as written in the source; `?` for an optional parameter, whose default is used. */
  types: string[]
  call: (...given: unknown[]) => unknown
}

/** Lists the exported functions that have parameters. */
export async function listFunctions(): Promise<TextFunction[]> {
  const paths = ROOMS.flatMap((room) =>
    readdirSync(room, { recursive: true })
      .map((name) => join(room, String(name)))
      .filter((path) => path.endsWith('.ts') && !NOT_LOADABLE.test(path)),
  )
  const found = await Promise.all(
    paths.map(async (path) => {
      const module: Record<string, unknown> = await import(pathToFileURL(resolve(path)).href)
      return readSignatures(path).map(({ name, types }) => ({
        id: `${path} ${name}`,
        types,
        call: (...given: unknown[]) => (module[name] as (...given: unknown[]) => unknown)(...given),
      }))
    }),
  )
  return found.flat().filter(({ types }) => types.length > 0)
}

/** Reads the names and parameter types of a module's exported functions. */
function readSignatures(path: string): { name: string; types: string[] }[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ESNext, true)
  return source.statements.flatMap((statement) => {
    const isExported = ts.canHaveModifiers(statement)
      ? ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      : false
    if (!isExported) return []
    if (ts.isFunctionDeclaration(statement)) return [{ name: statement.name!.text, types: typesOf(statement) }]
    if (!ts.isVariableStatement(statement)) return []
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
        ? [{ name: name.getText(), types: typesOf(initializer) }]
        : [],
    )
  })
}

function typesOf({ parameters }: ts.SignatureDeclaration): string[] {
  const types = parameters.map(({ type, questionToken, initializer }) =>
    questionToken || initializer ? '?' : (type?.getText().replaceAll(/\s+/g, ' ') ?? 'unknown'),
  )
  // Optional parameters at the end are omitted from the call.
  while (types.length > 1 && types.at(-1) === '?') types.pop()
  return types
}
