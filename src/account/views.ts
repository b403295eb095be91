// What the account pages show, as plain values: a handler decides on them, and the components in src/account/pages render them.
import type { ListedToken, Session } from '../domain/access/account.ts'
import type { PageView } from '../site/rendering.ts'
import type { OwnPrompts } from './own-prompts.ts'
import type { Said } from './words-for-people.ts'

/** The values of the page with this name. */
export type View<Page extends string, Values = object> = PageView & { page: Page } & Values

/** What a page for somebody who is not signed in says. */
type SignInWords =
  | { kind: 'link-needed'; notice?: string | undefined }
  /** One link for each provider. */
  | { kind: 'offer'; links: readonly { name: string; url: string }[]; notice?: string | undefined }
  /** Of a hub where people sign in with invitations. `isUsed`: somebody opened a link that is no longer open. */
  | { kind: 'invitation-needed'; notice?: string | undefined; isUsed?: boolean }
  /** The button of an invitation. */
  | { kind: 'invited'; login: string; key: string }
  | { kind: 'off' }
  /** Of the editor, for a form from another session. */
  | { kind: 'again'; path: string; login: string; typed: URLSearchParams }
  /** After signing out, for somebody whom the provider may still sign in without asking. */
  | { kind: 'signed-out'; provider: string; url: string }
  /** The form of local mode: anyone with the printed link can sign in with any username. */
  | { kind: 'local'; state: string; key: string }

/** A page for somebody who is not signed in. */
export type SignInView = View<'sign-in', SignInWords>

/** The values to show when the form for a token is shown again. */
export interface TokenForm {
  name: string
  owner: string
  repository: string
  permissions: readonly string[]
  days: string
}

/** What a tab of the account shows. */
type AccountTab =
  | {
      tab: 'prompts'
      /** The owners that the user may publish to; the user's own handle comes first if it can be an owner. */
      owners: readonly string[]
      /** Their prompts. */
      prompts: readonly OwnPrompts[]
    }
  | ({ tab: 'tokens' } & TokensTab)
  | ({ tab: 'session' } & SessionTab)

/** The tokens of the signed-in user. */
export interface TokensTab {
  /** The proof of each form that it is from this session. */
  csrf: Readonly<Record<'create-token' | 'revoke-token', string>>
  owners: readonly string[]
  tokens: readonly ListedToken[]
  /** Tokens that this hub's operators created for these owners. */
  operatorTokens: readonly ListedToken[]
  now: Date
  /** The errors in the submitted form, and the submitted values. */
  refused?: { problems: readonly string[]; form: TokenForm }
  /** The ID of the next form, so that submitting it twice creates only one token. */
  formId: string
}

/** The session of the signed-in user. */
export interface SessionTab {
  session: Pick<Session, 'person' | 'created_at' | 'expires_at'>
  csrf: Readonly<Record<'sign-out' | 'sign-out-everywhere', string>> & {
    /** Undefined where people do not sign in with invitations. */
    'add-device': string | undefined
  }
}

/** The account page of the signed-in user. */
export type AccountView = View<
  'account',
  {
    login: string
    /** A message about the action that was just completed. */
    notice?: string | undefined
  } & AccountTab
>

/** The only page that ever shows the token, with commands that use it. */
export type NewTokenView = View<'new-token', { token: string; scope: string; days: number }>

/** The only page that ever shows a link for a further device. */
export type DeviceLinkView = View<'device-link', { link: string; minutes: number }>

/** An error, and where to go on beside the account page. */
export type ErrorView = View<
  'error',
  { status: number; code: string; message: string; link?: Said['link'] | undefined }
>

/** Every page that this package renders. */
export type AccountPageView = SignInView | AccountView | NewTokenView | DeviceLinkView | ErrorView

/** The title of each page for somebody who is not signed in, where it is not that of the account page. */
const TITLES: Partial<Record<SignInWords['kind'], string>> = {
  again: 'Send the form again',
  offer: 'Sign in',
  'link-needed': 'Sign in',
  'invitation-needed': 'Sign in',
  invited: 'Sign in',
  'signed-out': 'You are signed out',
  local: 'Sign in',
}

/** Returns a page for somebody who is not signed in. */
export const signInPage = (words: SignInWords): SignInView => ({
  page: 'sign-in',
  title: TITLES[words.kind] ?? 'Your account',
  ...words,
})
