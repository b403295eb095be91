// Lists, creates and revokes the signed-in user's tokens.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Session } from '../domain/access/account.ts'
import { DEFAULT_PERMISSIONS, hasExpired, Permissions, TOKEN_DAYS } from '../domain/access/token.ts'
import { ERRORS, HubError } from '../domain/api/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { parseWithSchema } from '../domain/text/problems.ts'
import { isName, isOwner } from '../domain/values/names.ts'
import { line } from '../domain/values/values.ts'
import { protect, type Visited } from './respond-account.ts'
import { csrfToken } from './session.ts'
import { redirectTo } from './sign-in.ts'
import type { AccountView, NewTokenView } from './views.ts'
import { requireForm, type Visit } from './visit.ts'
import { sayProblem } from './words-for-people.ts'

/** Collects what the account page shows of a user's tokens. */
export async function viewTokens({ deps, now }: Visit, session: Session, notice?: string) {
  const { accounts } = deps
  const { person } = session
  const [owners, tokens] = await Promise.all([deps.ownersOf(person), accounts.listTokens(person.user_id, now)])
  return {
    page: 'account',
    title: 'Your tokens',
    login: person.login,
    tab: 'tokens',
    csrf: {
      'create-token': csrfToken(session, 'create-token'),
      'revoke-token': csrfToken(session, 'revoke-token'),
    },
    owners,
    tokens,
    operatorTokens: await accounts.listOperatorTokens(owners),
    now,
    formId: randomUUID(),
    notice,
  } as const satisfies AccountView
}

const days = `expected a whole number of days from ${TOKEN_DAYS.least} to ${TOKEN_DAYS.most}`
const TokenFormInput = z.object({
  form: z.uuid('expected the unchanged form ID; reload the page'),
  name: line(64).refine((name) => name.trim() !== '', 'expected some text'),
  owner: z.string().refine(isOwner, 'expected an owner that you may publish to'),
  repository: z
    .string()
    .refine(
      (name) => name === '' || isName(name),
      'expected lower-case letters, digits and single hyphens, or nothing',
    ),
  permissions: Permissions,
  days: z
    .string()
    .regex(/^\d{1,3}$/, days)
    .transform(Number)
    .refine((count) => count >= TOKEN_DAYS.least && count <= TOKEN_DAYS.most, days),
})

/** Creates a token, or redisplays the form with its errors. */
export async function createToken(visited: Visit): Promise<Visited> {
  const { request, deps, now } = visited
  const { session, form } = await requireForm(visited, 'create-token')
  const read = (field: string) => form.get(field) ?? ''
  const [owner, repository] = [read('owner'), read('repository').trim()]
  const ticked = form.getAll('permissions')
  const permissions = ticked.length > 0 ? ticked : [...DEFAULT_PERMISSIONS]
  const parsed = parseWithSchema(TokenFormInput, {
    form: read('form'),
    name: read('name').trim(),
    owner,
    repository,
    permissions,
    days: read('days'),
  })
  const view = await viewTokens(visited, session)
  const refuse = (problems: string[]) => {
    const refused = { problems, form: { name: read('name'), owner, repository, permissions, days: read('days') } }
    const again: AccountView = { ...view, refused }
    return protect(again, ERRORS.validation_failed.status, request, deps)
  }
  if (parsed.problems) return refuse(parsed.problems.map((problem) => sayProblem(problem)))
  if (!view.owners.includes(owner))
    return refuse([`Owner: you cannot publish to ${owner}. Ask to be added to members in content/${owner}/index.md.`])
  if (view.tokens.filter((token) => !hasExpired(token, now)).length >= LIMITS.tokensPerPerson)
    return refuse([`You already have ${LIMITS.tokensPerPerson} tokens. Revoke one that you no longer need.`])
  const { owner: _, repository: __, ...rest } = parsed.value
  const made = { ...rest, scope: `${owner}/${repository || '*'}` }
  const token = await deps.accounts.createToken(session.person, made, now)
  if (token === undefined)
    return refuse([
      'You already submitted this form, and its token was shown at that time. If you lost it, revoke it and create another.',
    ])
  const { scope, days } = made
  const shown: NewTokenView = { page: 'new-token', title: 'Your new token', token, scope, days }
  return shown
}

/** Revokes a token. @throws HubError `not_found` */
export async function revokeToken(visited: Visit): Promise<Visited> {
  const { session, form } = await requireForm(visited, 'revoke-token')
  const id = /^[0-9a-f-]{32,36}$/.exec(form.get('id') ?? '')?.[0]
  const isDone = id !== undefined && (await visited.deps.accounts.revokeToken(session.person.user_id, id))
  if (!isDone) throw new HubError('not_found', 'You have no token with this ID.')
  return redirectTo('/settings/tokens?done=revoked')
}
