// Defines the entries of an owner's `members` that are strings; apart from other names, because scripts of pages load those.
import { OWNER_PATTERN } from './names.ts'

/** The format of an entry of `members` that names an account of the OpenID Connect provider: by its subject, which is case-sensitive, or by its email address in lower case. At most 105 characters, so that a file can be named after it. */
const PROVIDER_MEMBER_PATTERN = /^oidc:(?:[!-?A-~]{1,100}|(?=.{3,100}$)[!-?[-~]+@[!-?[-~]+)$/
/** Returns whether an entry of `members` names an account of the OpenID Connect provider. */
export const isProviderMember = (text: string): boolean => PROVIDER_MEMBER_PATTERN.test(text)

/** The format of an entry of `members` that is a string. */
export const MEMBER_PATTERN = new RegExp(`${OWNER_PATTERN.source}|${PROVIDER_MEMBER_PATTERN.source}`)
