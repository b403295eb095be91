// `npm run models -- [--source URL] LIST`: adds the announced ends in a provider's list of models to content/models.yml.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeModels, readModelList } from '../../src/catalogue/model-list.ts'
import { formatModelsFile, parseModelsFile } from '../../src/catalogue/models-file.ts'
import { readConfig } from '../../src/config.ts'
import { replaceFile } from '../../src/content/write-files.ts'
import { formatProblems } from '../../src/domain/text/problems.ts'
import { runCommand } from '../run-command.ts'
import { readIfThere } from './read-if-there.ts'

const USAGE = `Usage: npm run models -- [--source URL] LIST
LIST is a file, a URL or - for standard input: the response of a provider's "list models" call, in which a model has
shutdown_date or retires_at; or /data/v1/models.json of another hub. A list that needs a key can be piped in:
  curl -H "Authorization: Bearer $KEY" https://api.example/v1/models | npm run models -- --source https://… -`
/** Long lists have some hundred kilobytes. */
const MAX_LIST_BYTES = 8 * 1024 * 1024
const MAX_WAIT_MS = 30_000

const options = { source: { type: 'string' } } as const
await runCommand({ help: USAGE, options, allowPositionals: true }, async ({ values, positionals }) => {
  const [list] = positionals
  if (list === undefined || positionals.length > 1) throw new Error(USAGE)
  const target = join(readConfig(process.env).contentDir, 'models.yml')
  const before = readExisting(target)
  const listed = readModelList(await readList(list), values.source ?? null)
  const { models, added, changed, removed } = mergeModels(before.models, listed)
  const text = formatModelsFile(models.values(), before.comment)
  const { problems } = parseModelsFile(text)
  if (problems) throw new Error(`The list cannot be used. ${formatProblems(problems)}`)
  replaceFile(target, text)
  console.log(`${models.size} models in ${target}: ${added} added, ${changed} changed, ${removed} removed.`)
})

function readExisting(path: string) {
  const text = readIfThere(path)
  const { value, problems } = text === '' ? { value: new Map(), problems: undefined } : parseModelsFile(text)
  if (problems) throw new Error(`${path} has errors. Correct them first: ${formatProblems(problems)}`)
  return { models: value, comment: /^(?:#.*\n)*/.exec(text)?.[0] ?? '' }
}

async function readList(list: string): Promise<string> {
  if (!/^https?:\/\//.test(list)) return readFileSync(list === '-' ? 0 : list, 'utf8')
  const response = await fetch(list, { signal: AbortSignal.timeout(MAX_WAIT_MS) })
  if (!response.ok) throw new Error(`${list} returned ${response.status}. If it needs a key, pipe the list in instead.`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_LIST_BYTES) throw new Error(`${list} is longer than ${MAX_LIST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
