// The forms of settings that are secrets, and reading them from files, as Docker and systemd pass them.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'

/** Parses a setting: returns its value, or what was expected instead. The message never contains the given string, because it may be a secret. */
export type Form<Value> = (text: string) => { value: Value } | { expected: string }

/** A secret file that is larger than this is the wrong file. */
const MAX_SECRET_BYTES = 65_536

/** Files that were read. Each is read once per process, so that a hub keeps running if the file is removed after the start. */
const known = new Map<string, string>()

/** Reads a secret from a file. One newline at the end, which editors and `echo` add, is not part of it. @param path as given in the setting `NAME_FILE` */
export const secretFile: Form<string> = (path) => {
  const before = known.get(path)
  if (before !== undefined) return { value: before }
  try {
    const text = readSecretFile(path)
    if (text === undefined) return { expected: `expected a file of at most ${MAX_SECRET_BYTES / 1024} KiB` }
    const secret = text.replace(/\r?\n$/, '')
    if (secret === '') return { expected: 'expected a file that contains the secret, got an empty file' }
    known.set(path, secret)
    return { value: secret }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { expected: `expected the path of a file that the hub's user can read (${code})` }
  }
}

/** @returns undefined if it is not an ordinary file, or too large */
function readSecretFile(path: string, maxBytes = MAX_SECRET_BYTES): string | undefined {
  const file = openSync(path, 'r')
  try {
    const state = fstatSync(file)
    return state.isFile() && state.size <= maxBytes ? readFileSync(file, 'utf8') : undefined
  } finally {
    closeSync(file)
  }
}

const PEM = /-----BEGIN ([A-Z ]{0,40}PRIVATE KEY)-----([\s\S]+?)-----END \1-----/
/** PEM lines have 64 characters. https://www.rfc-editor.org/rfc/rfc7468#section-2 */
const PEM_LINE = /.{1,64}/g

/** Parses a private key: the lines of a `.pem` file, the same on one line with `\n` between them, or the file in base64, because many dashboards and env files allow only one line. */
export const privateKey: Form<string> = (text) => {
  const [, label, body] = PEM.exec(text) ?? PEM.exec(Buffer.from(text, 'base64').toString('latin1')) ?? []
  const lines = body?.replace(/\\[nr]|\s/g, '').match(PEM_LINE) ?? []
  const pem = `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
  try {
    createPrivateKey(pem)
    return { value: pem }
  } catch {
    return {
      expected:
        'expected a private key in PEM format: the whole .pem file, with its line breaks, on one line with \\n, or in base64',
    }
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g
/** A system's whole list of authorities has a quarter of this. */
const MAX_CERTIFICATES_BYTES = 1_048_576

/** Reads the certificates in a PEM file. @param path as given */
export const certificates: Form<readonly string[]> = (path) => {
  const expected = { expected: 'expected the path of a PEM file with certificates, which the hub’s user can read' }
  try {
    const found = readSecretFile(path, MAX_CERTIFICATES_BYTES)?.match(CERTIFICATE) ?? []
    for (const one of found) new X509Certificate(one)
    return found.length > 0 ? { value: found } : expected
  } catch {
    return expected
  }
}

/** Parses the URL of a PostgreSQL database. A password with unescaped special characters would move the host, or make the URL invalid. */
export const databaseAddress: Form<string> = (text) => {
  // The driver accepts an empty host, as in postgresql://user@/database?host=/run/postgresql.
  const url = /^postgres(?:ql)?:\/\/\S+$/.test(text)
    ? (URL.parse(text) ?? URL.parse(text.replace('@/', '@host/')))
    : null
  if (url && !`${url.pathname}${url.search}${url.hash}`.includes('@') && canDecode(url.username + url.password))
    return { value: text }
  return {
    expected:
      'expected a URL such as postgresql://user:password@host/database; if the password contains special characters such as / or @, leave it out and set DATABASE_PASSWORD',
  }
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Adds the password to a database URL. @returns undefined if the URL has no user, or already has a password */
export function addPassword(url: string, password: string): string | undefined {
  const [, start, rest] = /^([a-z]+:\/\/[^/?#@:]+)(@.*)$/.exec(url) ?? []
  return start === undefined ? undefined : `${start}:${encodeURIComponent(password)}${rest}`
}
