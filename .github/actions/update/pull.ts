// Commits what is staged, pushes it to a branch, and opens a pull request or updates the open one.
import { isObject } from '../../../clients/typescript/source/records.ts'
import { asksGit, git } from '../git.ts'
import { askGitHub, show, stop } from '../job.ts'

const BOT = ['user.name=github-actions[bot]', 'user.email=41898282+github-actions[bot]@users.noreply.github.com']

/** Proposes what is staged. @param text the body of the pull request */
export async function propose(branch: string, base: string, title: string, text: string): Promise<void> {
  const { GITHUB_REPOSITORY: repository = '' } = process.env
  // On a detached HEAD, so that the checked-out branch is unchanged for later steps of the job.
  await git('checkout', '--quiet', '--detach')
  await git(...BOT.flatMap((setting) => ['-c', setting]), 'commit', '--quiet', '--message', title)
  // If the branch already has the same change on the same base, pushing it again would only rerun every check.
  const isThere =
    (await asksGit('fetch', '--quiet', '--depth=2', 'origin', `refs/heads/${branch}`)) &&
    (await asksGit('diff', '--quiet', 'FETCH_HEAD', 'HEAD')) &&
    (await git('rev-parse', 'FETCH_HEAD^')) === (await git('rev-parse', 'HEAD^'))
  if (isThere) show('The branch already contains this update.')
  else await git('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`)
  const head = encodeURIComponent(`${repository.split('/')[0]}:${branch}`)
  const { list } = await ask('GET', `pulls?state=open&head=${head}&base=${encodeURIComponent(base)}`)
  const [open] = Array.isArray(list) ? list : []
  const number: unknown = isObject(open) ? open.number : undefined
  if (open !== undefined && !Number.isSafeInteger(number)) stop('GitHub returned a pull request without a number.')
  const { html_url: page } =
    open === undefined
      ? await ask('POST', 'pulls', { title, body: text, head: branch, base })
      : await ask('PATCH', `pulls/${number}`, { title, body: text })
  show(`Proposed in ${page}`)
}

const ask = (method: string, path: string, body?: object) =>
  askGitHub(
    { method, path, body },
    'The job needs "permissions: {contents: write, pull-requests: write}", and the repository must let workflows open pull requests.',
  )

/** The staged differences, in a code fence. */
export interface Differences {
  /** Longer than any run of backticks in the text: prompts and changelogs are untrusted, and text in it can then neither become a link, an image or a mention, nor end the fence. */
  fence: string
  text: string
}

/** Reads the staged differences. @param most a number of bytes @param other more such text */
export async function readDifferences(most: number, other: string): Promise<Differences> {
  const all = await git('diff', '--cached', '--no-color', '--no-ext-diff')
  const shown = cut(all, most)
  const longest = [...`${shown}${other}`.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 3)
  return { fence, text: `<details><summary>Diff</summary>\n\n${fence}diff\n${shown}\n${fence}\n\n</details>\n` }
}

/** Cuts a text to a number of bytes, at the end of a character. */
export const cut = (text: string, most: number): string =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true })
