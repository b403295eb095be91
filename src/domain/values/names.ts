// The patterns for all names: owners, repositories, versions, tags, variables and proposals. This file imports no schemas, so that read requests load none.
import { PAGE_LIMITS } from '../page-limits.ts'

/** The ID of a proposal, which only those know who may read it: 128 random bits in hex. */
export const PROPOSAL_ID = /^[0-9a-f]{32}$/

/** Returns whether a segment of a path is the ID of a proposal. */
export const isProposalId = (text: string): boolean => PROPOSAL_ID.test(text)

/** The format of a handle. */
export const OWNER_PATTERN = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}$/
/** The format of a repository’s name. */
export const NAME_PATTERN = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}$/
/** The format of a version number. */
export const VERSION_PATTERN = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/
/** The format of a tag, except for its length. */
export const TAG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** The format of a variable’s name. */
export const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** First path segments that the site itself uses, and words that break file systems or programs. docs/contract.md section 1. */
const RESERVED_OWNERS: ReadonlySet<string> = new Set([
  ...['404', 'api', 'assets', 'auth', 'badges', 'cli', 'clients', 'data', 'docs', 'healthz', 'index', 'mcp', 'metrics'],
  ...['login', 'npm', 'owners', 'rate-limited', 'readyz', 'search', 'settings', 'sign-in', 'signin', 'skills', 'tags'],
  ...['admin', 'me', 'new', 'null', 'undefined'],
])

/** Words below an owner's page that the site itself uses. docs/contract.md section 1. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['settings'])

/** Device names, which Windows does not accept as folder names: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const DEVICE_NAME = /^(?:con|prn|aux|nul|(?:com|lpt)[1-9])$/

/** Returns whether a repository's name is a valid folder name on Windows, so that everyone can check out the content. Required for new repositories. */
export const isPortableName = (name: string): boolean => !DEVICE_NAME.test(name)
/** Returns whether a handle is reserved. */
export const isReserved = (handle: string): boolean => RESERVED_OWNERS.has(handle) || DEVICE_NAME.test(handle)
/** Returns whether a string has the format of a handle; reserved words have this format too. */
export const hasOwnerForm = (text: string): boolean => OWNER_PATTERN.test(text)
/** Returns whether a string is a valid owner segment of a URL: a handle that is not reserved. */
export const isOwner = (text: string): boolean => OWNER_PATTERN.test(text) && !isReserved(text)
/** Returns whether a string is a valid name segment of a URL: a name that is not reserved. */
export const isName = (text: string): boolean => NAME_PATTERN.test(text) && !RESERVED_NAMES.has(text)
/** Returns whether a string is a version in the form x.y.z, without `v`, pre-release, build metadata or leading zeros. */
export const isVersion = (text: string): boolean => VERSION_PATTERN.test(text)
/** Returns whether a string is a well-formed tag. */
export const isTag = (text: string): boolean => text.length <= PAGE_LIMITS.tagCharacters && TAG_PATTERN.test(text)
/** Returns whether a label has a valid name: a tag that clients read neither as a range (such as `1` or `x`) nor as the latest version. docs/lock-file.md */
export const isLabel = (text: string): boolean => isTag(text) && !/^(?:x|0|[1-9]\d{0,5}|latest)$/.test(text)
/** Returns whether a string is a valid name of a test suite: that of a name, and a file name on every operating system. */
export const isSuite = (text: string): boolean => NAME_PATTERN.test(text) && isPortableName(text)
/** Returns whether a string is a well-formed variable name. */
export const isVariableName = (text: string): boolean => VARIABLE_NAME_PATTERN.test(text)

/** The format of a repository on GitHub, `owner/name`. */
export const GITHUB_REPOSITORY = /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/

/** Derives a title from a name: `code-review` becomes "Code review". */
export function titleFromName(name: string): string {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The owner and name of a repository. */
export interface RepositoryPlace {
  owner: string
  name: string
}

/** A version of a prompt. */
export interface VersionPlace extends RepositoryPlace {
  version: string
}

/** Splits `owner/name`; returns undefined if it is invalid. */
export function splitFullName(fullName: string): RepositoryPlace | undefined {
  const [owner = '', name = '', rest] = fullName.split('/')
  return rest === undefined && isOwner(owner) && isName(name) ? { owner, name } : undefined
}

/** Splits `owner/name@x.y.z`; returns undefined if it is invalid. */
export function splitVersionAddress(address: string): { owner: string; name: string; version: string } | undefined {
  const [fullName = '', version = '', rest] = address.split('@')
  const parts = splitFullName(fullName)
  return rest === undefined && parts && isVersion(version) ? { ...parts, version } : undefined
}

/** Returns the full name of the repository in a version address, such as `acme/code-review` in `acme/code-review@1.2.0`. */
export function nameOfOriginal(address: string): string {
  return address.split('@')[0]!
}
