// Tests what the account pages and the editor render from the values that their handlers decide on: no value can add an
// element, and without values there is no page.
import { expect, test } from 'vitest'
import type { AccountPageView } from '../../src/account/views.ts'
import type { Repository, VersionRecord } from '../../src/domain/api/schema.ts'
import { DEFAULT_OWNER_FILE } from '../../src/domain/content/prompt-file.ts'
import type { EditorPageView } from '../../src/editor/views.ts'
import { loadPageCode, showView } from '../hubs/page-code.ts'
import { makeProfile } from '../hubs/profile.ts'

/** Would add an element in an element, an attribute, a textarea or a template. */
const BAD = `"'><img src=x></textarea></template></code>{{x}}&lt;`
const TRUSTED = '<p>ready <b>HTML</b></p>'
const TIME = '2026-01-02T03:04:05.000Z'
const said = { sentences: [BAD, BAD], link: { href: BAD, text: BAD } }
const notes = {
  problems: ['content', 'title', ''].map((field) => ({ field, sentence: BAD, words: BAD })),
}
const token = {
  id: BAD,
  name: BAD,
  scope: BAD,
  permissions: ['publish' as const],
  last_four: BAD,
  created_at: TIME,
  expires_at: '2020-01-01T00:00:00.000Z',
  last_used_at: null,
  created_by: BAD,
  owner: BAD,
  user_id: '1',
  login: BAD,
}
const repository = {
  owner: BAD,
  name: BAD,
  full_name: BAD,
  title: BAD,
  description: BAD,
  tags: [BAD],
  license: BAD,
  readme: BAD,
  labels: { [BAD]: { version: BAD, split: { version: BAD, percent: BAD, salt: BAD } } },
  status: 'active',
  status_message: BAD,
  replaced_by: BAD,
  moved_to: BAD,
  latest_version: BAD,
} as unknown as Repository
const version = { version: BAD, previous_version: BAD, raw_url: BAD, published_by: BAD, changelog: BAD }
const record = version as unknown as VersionRecord
const proposal = {
  id: BAD,
  url: BAD,
  raw_url: BAD,
  html_url: BAD,
  full_name: BAD,
  proposed_by: BAD,
  by_token: BAD,
  by_workflow: BAD,
  changelog: BAD,
  created_at: TIME,
  expires_at: TIME,
  decided_by: BAD,
  decided_at: TIME,
  reason: BAD,
  version: BAD,
  status: 'open' as const,
  would_be: BAD,
  unchanged: true,
  breaking: true,
  changes: null,
  draft: null,
  fields: [],
  labels: [],
  warnings: [],
  refusal: null,
}
const target = { version: BAD, split: { version: BAD, percent: 1 } }
const person = {
  user_id: 'oidc-0',
  login: BAD,
  oidc: { issuer: 'https://id.example', subject: BAD, email: BAD, name: BAD },
}
const { title } = { title: BAD }

const VIEWS: readonly (AccountPageView | EditorPageView)[] = [
  { page: 'sign-in', kind: 'offer', title, links: [{ name: BAD, url: BAD }], notice: BAD },
  { page: 'sign-in', kind: 'link-needed', title, notice: BAD },
  { page: 'sign-in', kind: 'off', title },
  { page: 'sign-in', kind: 'again', title, path: BAD, login: BAD, typed: new URLSearchParams({ [BAD]: BAD }) },
  { page: 'sign-in', kind: 'invitation-needed', title, notice: BAD, isUsed: true },
  { page: 'sign-in', kind: 'invited', title, login: BAD, key: BAD },
  { page: 'device-link', title, link: BAD, minutes: 15 },
  { page: 'sign-in', kind: 'signed-out', title, provider: BAD, url: BAD },
  { page: 'sign-in', kind: 'local', title, state: BAD, key: BAD },
  { page: 'error', title, status: 404, code: BAD, message: BAD, link: { href: BAD, text: BAD } },
  { page: 'new-token', title, token: BAD, scope: BAD, days: 1 },
  {
    page: 'account',
    title,
    login: BAD,
    notice: BAD,
    tab: 'prompts',
    owners: [BAD],
    prompts: [{ owner: BAD, prompts: [{ ...repository, updated_at: TIME } as never], listed: 60 }],
  },
  {
    page: 'account',
    title,
    login: BAD,
    tab: 'tokens',
    formId: BAD,
    csrf: { 'create-token': BAD, 'revoke-token': BAD },
    owners: [BAD],
    tokens: [token as never],
    operatorTokens: [token as never],
    now: new Date(TIME),
    refused: { problems: [BAD], form: { name: BAD, owner: BAD, repository: BAD, permissions: [BAD], days: BAD } },
  },
  {
    page: 'account',
    title,
    login: BAD,
    tab: 'session',
    session: { person, created_at: TIME, expires_at: TIME },
    csrf: { 'add-device': BAD, 'sign-out': BAD, 'sign-out-everywhere': BAD },
  },
  {
    page: 'version',
    title,
    start: { login: BAD, prompt: repository, base: record, source: record },
    isStranger: true,
    suggestion: BAD,
  },
  { page: 'version', title, start: { login: BAD, owners: [BAD] }, isStranger: false, suggestion: undefined },
  { page: 'published', title, repository, record },
  {
    page: 'proposal',
    title,
    owner: BAD,
    name: BAD,
    proposal: { ...proposal, fields: [BAD], labels: [BAD], warnings: [{ code: 'secret', message: BAD, line: 1 }] },
    record,
    base: record,
    seen: BAD,
    person: { login: BAD, csrf: BAD, isMember: true },
    canSignIn: true,
    problem: said,
  },
  {
    page: 'proposal',
    title,
    owner: BAD,
    name: BAD,
    proposal: { ...proposal, status: 'rejected', refusal: { code: BAD, message: BAD } },
    record,
    base: undefined,
    seen: BAD,
    person: undefined,
    canSignIn: true,
  },
  {
    page: 'manage',
    title,
    csrf: BAD,
    repository,
    proposals: [proposal],
    notice: BAD,
    problem: said,
    review: { label: BAD, from: target, to: target, isBreaking: true, changes: [BAD] },
    now: new Date(0),
    versions: [{ ...version, yanked: false } as never, { ...version, yanked: true } as never],
    typed: new URLSearchParams({ change: 'label', label: BAD, version: BAD }),
  },
  {
    page: 'owner-settings',
    title,
    person,
    csrf: BAD,
    owner: BAD,
    commit: BAD,
    notice: BAD,
    file: {
      ...DEFAULT_OWNER_FILE,
      name: BAD,
      website: BAD,
      avatar_url: BAD,
      bio: BAD,
      members: [BAD, 'bob'],
      trusted_publishers: [
        { repository: BAD, workflow: BAD, ref: BAD, repos: [BAD], permissions: ['publish'] } as never,
      ],
      protected_labels: [BAD, { label: BAD, requires: [BAD] }],
    },
    rejected: {
      form: new URLSearchParams({ change: 'profile', bio: BAD, name: BAD }),
      notes,
      sentences: [BAD],
    },
  },
]

test.each(VIEWS.map((view, place) => [`${place}: ${view.page}`, view] as const))(
  '%s shows values as text',
  async (_, view) => {
    const page = await showView(view)
    const outside = page.replace(/="[^"]*"/g, '')
    expect(outside).not.toContain('<img')
    expect(outside.split('&lt;img').length).toBeGreaterThan(1)
    expect(page.includes(TRUSTED)).toBe('preview' in view)
  },
)

test('without a view, the address of these pages has no page', async () => {
  const { render } = await loadPageCode()
  const answer = await render('/settings', { profile: makeProfile('https://hub.example'), path: '/settings' })
  expect([answer.status, (await answer.text()).includes('Page not found')]).toEqual([404, true])
})
