// Posts the content review as a comment on a pull request, or updates the existing comment, and sets the labels that show its status.
import { isObject } from '../../../clients/typescript/source/records.ts'
import { askGitHub, input, runAction, show, stop } from '../job.ts'

/** Every review comment begins with this marker. Untrusted text can contain it only inside a fence. */
const MARK = '<!-- prompt-hub: content review -->'
const PER_PAGE = 100
const MAX_PAGES = 20
const WAITS = {
  name: 'waits for a maintainer',
  color: 'fbca04',
  description: 'The author is not a member of an owner whose prompts are changed',
}

const ask = (method: string, path: string, body?: object, accepted?: readonly number[]) =>
  askGitHub({ method, path, body, accepted }, 'The job needs "permissions: {pull-requests: write}".')

const removeLabel = (issue: string, name: string) =>
  ask('DELETE', `${issue}/labels/${encodeURIComponent(name)}`, undefined, [404])

/** Finds the comment that begins with the marker and was written by this account, because anybody can write the marker. */
async function findComment(issue: string): Promise<number | undefined> {
  const by = input('by')
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { list } = await ask('GET', `${issue}/comments?per_page=${PER_PAGE}&page=${page}`)
    const comments = Array.isArray(list) ? list.filter(isObject) : []
    const mine = comments.find(
      ({ user, body }) => isObject(user) && user.login === by && typeof body === 'string' && body.startsWith(MARK),
    )
    if (mine && !Number.isSafeInteger(mine.id)) stop('GitHub returned a comment without a number.')
    if (mine) return Number(mine.id)
    if (comments.length < PER_PAGE) return undefined
  }
}

await runAction(async () => {
  const [number, hasContent, isApproved] = [input('number'), input('content') === 'true', input('approved') === 'true']
  const report = hasContent
    ? input('report')
    : `${MARK}\n\n### Content review\n\nNothing in \`content/\` changes any more.`
  if (!/^[1-9]\d{0,9}$/.test(number) || !report.startsWith(MARK))
    stop('expected the number of a pull request and a report.')
  const issue = `issues/${number}`
  const id = await findComment(issue)
  if (!hasContent && id === undefined) {
    show('The pull request changes no content.')
    return
  }
  const body = { body: report }
  const posted =
    id === undefined ? await ask('POST', `${issue}/comments`, body) : await ask('PATCH', `issues/comments/${id}`, body)
  show(String(posted.html_url ?? ''))
  if (hasContent && input('owner') === 'waits') {
    // A label that exists is not changed.
    await ask('POST', 'labels', WAITS, [403, 422])
    await ask('POST', `${issue}/labels`, { labels: [WAITS.name] })
  } else await removeLabel(issue, WAITS.name)
  // Commits may have been added since the label was set, and these were not approved.
  if (!isApproved) await removeLabel(issue, 'owner approved')
})
