// Attacks with texts of the permitted length that take quadratic time or produce many findings, if a hub lets them.
import { setTimeout as sleep } from 'node:timers/promises'
import { EXPORT_FORMATS } from '../../src/domain/api/export-formats.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { ask, inTurn, publish, type Target } from './hostile-clients.ts'
import { README_COPIES, type READMES } from './hostile-readmes.ts'

const MOST = LIMITS.contentBytes
/** The lines of each compared version: as many as are still compared. */
const LINES = 9_999

/** Exports a version in every format. */
async function exportEach(target: Target, name: string, content: string): Promise<void> {
  const version = await publish(target, name, { content })
  if (!version) throw new Error(`attacker/${name} was not published.`)
  const paths = Object.keys(EXPORT_FORMATS).map(
    (format) => `/api/v1/repos/attacker/${name}/versions/${version}/export/${format}`,
  )
  await inTurn(3 * paths.length, 8, (number) => ask(target, paths[number % paths.length]!))
}

/** Reads the page of each prompt that has one of the readmes. Each page is rendered once. */
function readPages(target: Target, readme: keyof typeof READMES): Promise<void> {
  return inTurn(README_COPIES, 8, (number) => ask(target, `/attacker/${readme}-${number}`))
}

/** The attacks by name. */
export const TEXT_ATTACKS: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  'exports of 262,144 backslashes in every format': (target) => exportEach(target, 'backslashes', '\\'.repeat(MOST)),
  'exports of 262,144 spaces in every format': (target) => exportEach(target, 'spaces', `${' '.repeat(MOST - 1)}a`),
  'exports of 131,072 opening braces in every format': (target) => exportEach(target, 'braces', '{'.repeat(MOST)),
  'pages with a readme of hashes and spaces': (target) => readPages(target, 'hashes'),
  'pages with a readme of table rows': (target) => readPages(target, 'tables'),
  'dry runs of 36,500 placeholders, one of them declared': async (target) => {
    const content = Array.from({ length: 36_500 }, (_, at) => `{{${at.toString(36).replace(/^\d/, 'z')}}}`).join('')
    const fields = { content: content.slice(0, MOST), variables: [{ name: 'a' }], dry_run: true }
    await inTurn(12, 12, () => publish(target, 'placeholders', fields))
  },
  'publishes of 87,381 hidden characters': (target) =>
    inTurn(8, 8, (number) => publish(target, 'hidden', { content: `${number}${'\u200b'.repeat(87_380)}` })),
  '12 comparisons of 9,999 lines': async (target) => {
    const versions: string[] = []
    for (let version = 0; version < 4; version++) {
      const content = Array.from({ length: LINES }, (_, line) => `${(line * (version + 7)) % 13} ${line % 5}`).join(
        '\n',
      )
      versions.push((await publish(target, 'compared', { content })) ?? '')
    }
    const shows = () => target.shows('attacker/compared', versions.at(-1)!)
    for (let waited = 0; waited < 60 && !(await shows()); waited++) await sleep(1_000)
    const pairs = versions.flatMap((from) => versions.flatMap((to) => (from === to ? [] : [`${from}...${to}`])))
    await inTurn(pairs.length, 12, (number) => ask(target, `/attacker/compared/compare/${pairs[number]}`))
  },
}
