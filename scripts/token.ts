// `npm run token -- <owner>[/<name>] [--days N] [--label text]`: makes a token on our own host and prints it, and nothing else, on standard output.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseScope, TOKEN_DAYS } from '../src/domain/access/token-record.ts'
import { BLOBS_DIR } from '../src/host/serve-sites.ts'
import { startLocalBlobs } from '../src/stores/blob-store-local.ts'
import { createToken } from '../src/stores/tokens-blobs.ts'

const USAGE = 'Usage: npm run token -- <owner>[/<name>] [--days N] [--label text]'

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { days: { type: 'string' }, label: { type: 'string' } },
  })
  const [target = ''] = positionals
  const scope = target.includes('/') ? target : `${target}/*`
  if (positionals.length !== 1 || !parseScope(scope))
    throw new Error(`expected one owner, or owner/name, got "${positionals.join(' ')}"`)
  const days = values.days === undefined ? TOKEN_DAYS.usual : Number(values.days)
  if (!Number.isInteger(days) || days < TOKEN_DAYS.least || days > TOKEN_DAYS.most)
    throw new Error(`--days: expected a whole number from ${TOKEN_DAYS.least} to ${TOKEN_DAYS.most}`)
  const name = values.label ?? `npm run token, ${new Date().toISOString().slice(0, 10)}`
  const { blobs, close } = await startLocalBlobs(resolve(BLOBS_DIR))
  try {
    const { token } = await createToken(blobs, { holder: { kind: 'operator' }, name, scope, days }, new Date())
    console.log(token)
  } finally {
    await close()
  }
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
  process.exitCode = 1
}
