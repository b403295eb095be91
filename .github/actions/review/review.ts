// Fetches a pull request as git objects only, and reviews the content that it changes: none of its files is written, and none of its code is run.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { asksGit, git } from '../git.ts'
import { input, installPackages, output, runAction, show, stop } from '../job.ts'

const COMMIT = /^[0-9a-f]{40,64}$/
/** The exit code of git for an option that it does not know. */
const GIT_USAGE = 129

await runAction(async () => {
  const [base, head, number] = [input('base'), input('head'), input('number')]
  if (![base, head].every((sha) => COMMIT.test(sha))) stop('expected the commits of a pull request.')
  if (!/^[1-9]\d{0,9}$/.test(number)) stop('expected the number of a pull request.')
  await fetchPull(number, head)
  if (!(await changesContent(base, head))) {
    show('The pull request changes no content.')
    output({ content: 'false', problems: '0', owner: 'agrees' })
    return
  }
  await installPackages('review the content')
  const { reviewPull } = await import('../../../src/review/review-pull.ts')
  const { report, problems, waits, changed } = await reviewPull('.', {
    ...process.env,
    BASE_SHA: base,
    HEAD_SHA: head,
    AUTHOR: input('author'),
    AUTHOR_ID: input('author-id'),
    APPROVED: input('approved'),
  })
  output({ content: 'true', report, problems: String(problems), owner: waits ? 'waits' : 'agrees' })
  show(
    `${changed} files changed, ${problems} problems, ${waits ? 'owner approval pending' : 'no owner approval pending'}.`,
  )
})

/** Fetches the head of a pull request. The token is needed for private repositories; only this git gets it, in its environment, so it appears in no argument and no file. */
async function fetchPull(number: string, head: string): Promise<void> {
  const { GITHUB_SERVER_URL: server = 'https://github.com' } = process.env
  const token = input('token')
  const access = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${server}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
  }
  const fetching = ['-c', 'transfer.fsckObjects=true', 'fetch', '--quiet', '--no-tags', '--no-recurse-submodules']
  await promisify(execFile)('git', [...fetching, 'origin', `+refs/pull/${number}/head:refs/remotes/pull/head`], {
    env: { ...process.env, ...(token !== '' && access) },
  })
  if ((await git('rev-parse', 'refs/remotes/pull/head')) !== head)
    stop('The pull request has changed since this run started; the next run will review it.')
}

/** Compares the base with the result of the merge. Two histories can have several merge bases, and compared with only one of these, a deletion can look like no change. */
async function changesContent(base: string, head: string): Promise<boolean> {
  const merged = await git('merge-tree', '--write-tree', '--no-messages', base, head).catch(
    ({ code }: { code?: number }) => {
      if (code === GIT_USAGE) stop('The review needs git 2.38 or newer.')
    },
  )
  const options = ['--quiet', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']
  // With a conflict, there is no result, and the review reports it.
  return merged === undefined || !(await asksGit('diff', ...options, base, merged, '--', 'content'))
}
