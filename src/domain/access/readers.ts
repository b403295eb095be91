// Decides who may read a hub for readers: parses the setting READERS, and compares people with it. docs/contract.md section 13
import type { Parsed } from '../text/problems.ts'

/** What a sign-in or a trusted proxy has found out about a person. */
export interface Identity {
  /** The login on GitHub; undefined for every other provider, whose users choose their names themselves. */
  login?: string | undefined
  /** The logins of the GitHub organisations that the person is a member of. */
  githubOrgs?: readonly string[] | undefined
  /** The email addresses that the provider has verified. An address that it has not verified must not be here. */
  emails?: readonly string[] | undefined
  /** The subject (`sub`) at an OpenID Connect provider. */
  subject?: string | undefined
  /** The OpenID Connect provider; undefined for GitHub. */
  issuer?: string | undefined
}

/** One entry of READERS. */
export interface ReaderRule {
  kind: 'github-org' | 'github' | 'oidc' | 'email' | 'email-domain'
  /** In lower case, except for a subject, which must match exactly. */
  value: string
}

/** Maximum number of entries. Each check compares all of them. */
const MAX_READERS = 1_000

const LOGIN = /^[a-z0-9](?:-?[a-z0-9]){0,38}$/
/** Printable ASCII alone, because other letters may be equal in lower case to an ASCII letter. */
const EMAIL = /^[!-?A-~]{1,64}@[!-?A-~]{1,253}$/

/** What each kind of entry may contain. */
const FORMS: Readonly<Record<string, (value: string) => ReaderRule | undefined>> = {
  'github-org': (value) => readLogin('github-org', value),
  github: (value) => readLogin('github', value),
  email(value) {
    const text = value.toLowerCase()
    if (!EMAIL.test(text)) return undefined
    const [name, domain = ''] = text.split('@')
    if (name === '*') return { kind: 'email-domain', value: domain }
    return text.includes('*') ? undefined : { kind: 'email', value: text }
  },
  oidc: (value) => (/^[!-~]{1,255}$/.test(value) && value !== '*' ? { kind: 'oidc', value } : undefined),
}

function readLogin(kind: 'github-org' | 'github', value: string): ReaderRule | undefined {
  const login = value.toLowerCase()
  return LOGIN.test(login) ? { kind, value: login } : undefined
}

/** Parses READERS: entries separated by commas, such as `github-org:acme, github:octocat, email:*@acme.example, oidc:00u1abcd`. A problem never contains the text. */
export function parseReaders(text: string): Parsed<readonly ReaderRule[]> {
  const entries = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  const rules = entries.map((entry) => {
    const [kind = '', ...rest] = entry.split(':')
    return Object.hasOwn(FORMS, kind) ? FORMS[kind]!(rest.join(':').trim()) : undefined
  })
  const known = rules.filter((rule) => rule !== undefined)
  if (known.length === rules.length && known.length <= MAX_READERS) return { value: known }
  const message = `expected at most ${MAX_READERS} entries such as github-org:acme, github:octocat, email:*@acme.example or oidc:00u1abcd, separated by commas`
  return { problems: [{ key: 'READERS', message }] }
}

/** Returns whether an entry admits a person. GitHub's names count only if GitHub has vouched for them, and a subject only if another provider has. */
export function isReader(identity: Identity, rules: readonly ReaderRule[]): boolean {
  const isFromGithub = identity.issuer === undefined
  const emails = (identity.emails ?? []).filter((email) => EMAIL.test(email)).map((email) => email.toLowerCase())
  const domains = emails.map((email) => email.split('@')[1])
  const orgs = (identity.githubOrgs ?? []).map((org) => org.toLowerCase())
  return rules.some(({ kind, value }) => {
    if (kind === 'github') return isFromGithub && identity.login?.toLowerCase() === value
    if (kind === 'github-org') return isFromGithub && orgs.includes(value)
    if (kind === 'oidc') return !isFromGithub && identity.subject === value
    return (kind === 'email' ? emails : domains).includes(value)
  })
}
