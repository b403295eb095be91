// Compares the workflows that published two versions of a prompt. docs/lock-file.md.

/** The workflow that published a version. It is taken from the hub. */
export interface Publisher {
  repository: string
  /** The path of its file, without a ref. */
  workflow: string
  /** Whether the version has an attestation of that workflow, which the hub has verified. */
  attested: boolean
}

/** The names of a publisher: printable ASCII. */
const TEXT = /^[!-~]{1,500}$/

/** Reads the publisher from a version's record. @returns undefined for a token or a person, and for names that no hub would send */
export function readPublisher({ publisher, attestations }: Readonly<Record<string, unknown>>): Publisher | undefined {
  if (typeof publisher !== 'object' || publisher === null) return undefined
  return toPublisher({ ...publisher, attested: Array.isArray(attestations) && attestations.length > 0 })
}

/** Reads a publisher, with its keys in order. @returns undefined for anything else */
export function toPublisher(value: object): Publisher | undefined {
  const { repository, workflow, attested } = value as Partial<Record<keyof Publisher, unknown>>
  if (typeof repository !== 'string' || typeof workflow !== 'string' || typeof attested !== 'boolean') return undefined
  return TEXT.test(repository) && TEXT.test(workflow) ? { repository, workflow, attested } : undefined
}

/**
 * Returns why a version must not replace the locked one: the same workflow must have published it, with an attestation if the locked one has any.
 *
 * @param what names the prompt and its new version
 */
export function refusePublisher(
  what: string,
  before: Publisher | undefined,
  after: Publisher | undefined,
): string | undefined {
  if (!before) return undefined
  const isSame = after?.repository === before.repository && after.workflow === before.workflow
  if (isSame && (after?.attested || !before.attested)) return undefined
  const by = after ? say(after) : 'a token, a person or a pull request'
  return `${what} was published by ${by}; the locked version by ${say(before)}. If that is right, use --accept-publisher`
}

/** Returns why a locked version must not be installed where attestations are required. */
export function refuseUnattested(what: string, publisher: Publisher | undefined): string | undefined {
  return publisher?.attested ? undefined : `${what} has no attestation, and --require-attestation is given`
}

const say = ({ workflow, attested }: Publisher) => `${workflow}${attested ? '' : ', without an attestation'}`
