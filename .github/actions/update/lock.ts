// Updates the prompts in prompts.lock, and opens one pull request with the changes.
import { describeOutdated } from '../../../clients/typescript/source/commands/project.ts'
import { openLock } from '../../../clients/typescript/source/files.ts'
import { parseDays } from '../../../clients/typescript/source/lifetime.ts'
import { updateLock } from '../../../clients/typescript/source/updating.ts'
import { asksGit, git } from '../git.ts'
import { fail, input, show, stop } from '../job.ts'
import { cut, propose, readDifferences } from './pull.ts'

/** GitHub accepts a body of 65,536 characters, some of which are needed for the rest of the text. */
const MAX_CHANGES = 20_000
const MAX_DIFFERENCES = 40_000
const LOCK = 'prompts.lock'

export async function updateProject(): Promise<void> {
  const [branch, age] = [input('branch'), input('min-age')]
  // The branch is overwritten, so its name must be valid, and must not be the base branch.
  if (branch.startsWith('-') || !(await asksGit('check-ref-format', `refs/heads/${branch}`)))
    stop('branch: expected a valid branch name.')
  const base = process.env.GITHUB_REF_NAME || (await git('symbolic-ref', '--short', 'HEAD'))
  if (branch === base) stop(`branch: ${branch} is the branch that this workflow runs on; choose another branch.`)
  process.chdir(input('directory') || '.')
  const { lock } = await openLock(LOCK)
  readFrom(lock.hub, input('hub').replace(/\/$/, ''))
  const { reviewed, blocked } = await updateLock(LOCK, [], { minAgeDays: parseDays(age, 'min-age') })
  const paths = reviewed.flatMap(({ locked }) => locked.places)
  await git('add', '--', LOCK, ...paths.map(({ path }) => path))
  for (const { message } of blocked) fail(message)
  if (await asksGit('diff', '--cached', '--quiet')) {
    if (blocked.length > 0) return
    show(`Every prompt is at the newest version in its range that has been out for ${age}.`)
    return
  }
  for (const { name, locked, wanted } of reviewed)
    if (wanted !== locked.version)
      for (const { path } of locked.places) show(`${name} ${locked.version} -> ${wanted} ${path}`)
  const found = await describeOutdated(LOCK, reviewed)
  const { fence, text } = await readDifferences(MAX_DIFFERENCES, JSON.stringify(found))
  const stays = blocked.map(({ message }) => ({ message }))
  const all = describe({ ...found, problems: [...stays, ...found.problems] }, fence)
  const changes = cut(all, MAX_CHANGES)
  const rest = changes === all ? '' : `\n${fence}\n\nThe list is truncated; see the diff below.\n`
  const about = `Newer versions of the prompts in \`${LOCK}\`, each the highest version in its range that has been out for ${age}.`
  const breaks = found.outdated.some(({ changes }) => changes.some(({ breaking }) => breaking.length > 0))
  const title = breaks ? 'Update prompts, and what calls them' : 'Update prompts'
  await propose(branch, base, title, `${about}\n\n${changes}${rest}${text}`)
}

/** Lets the client read from a mirror: its requests go there in place of the hub in the lock. */
function readFrom(hub: string, mirror: string): void {
  if (mirror === '') return
  const ask = globalThis.fetch
  globalThis.fetch = (given, options) => {
    const url = String(given)
    return ask(url.startsWith(`${hub}/`) ? mirror + url.slice(hub.length) : url, options)
  }
}

/** Lists what is new, as Markdown. */
function describe(
  {
    outdated,
    problems,
  }: { outdated: Awaited<ReturnType<typeof describeOutdated>>['outdated']; problems: readonly { message: string }[] },
  fence: string,
): string {
  const line = (text: string) => text.replace(/\p{Cc}/gu, ' ').slice(0, 2_000)
  const notes = problems.map(({ message }) => `Note: \`${line(message).replaceAll('`', "'")}\`\n\n`)
  const updates = outdated
    .filter(({ version, wanted }) => version !== wanted)
    .map(({ name, version, wanted, changes }) => {
      const lines = changes.flatMap((change) => [
        `${change.version}${change.yanked ? ' (yanked)' : ''}: ${line(change.changelog)}`,
        ...change.breaking.map((reason) => `  Callers must change: ${line(reason)}`),
      ])
      return `### \`${name}\` ${version} to ${wanted}\n\n${fence}\n${lines.join('\n')}\n${fence}\n\n`
    })
  return [...notes, ...updates].join('')
}
