// Creates the files for a new prompt or its next version. Never overwrites a file.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { formatPath } from '../domain/content/content-path.ts'
import {
  DEFAULT_REPOSITORY_FILE,
  editRepositoryFile,
  formatDraft,
  formatVersionFile,
  listRemoved,
  parseRepositoryFile,
  parseVersionFile,
  undeclaredVariable,
} from '../domain/content/prompt-file.ts'
import { findLicenseProblem } from '../domain/content/rules.ts'
import { STARTER } from '../domain/content/starter-texts.ts'
import { formatProblems } from '../domain/text/problems.ts'
import { isPortableName, type RepositoryPlace } from '../domain/values/names.ts'
import { formatMoment } from '../domain/values/values.ts'
import { nextVersion, sortVersions, type WantedBump } from '../domain/values/versions.ts'
import { listVersions, readFiles, readIndex, readVersion } from './prompt-files.ts'
import { writeContent } from './write-content.ts'

interface NewPrompt {
  owner: string
  name: string
  /** The GitHub login of its author. */
  by: string
  title: string
  description: string
  tags: string[]
  license: string
}

/** Creates `index.md` and version 1.0.0. @returns the created paths, relative to the content folder @throws Error with the reason if nothing was created */
export function scaffoldPrompt(dir: string, { owner, name, by, ...front }: NewPrompt, now: Date): string[] {
  const index = formatPath({ kind: 'repository', owner, name })
  const version = formatPath({ kind: 'version', owner, name, version: '1.0.0' })
  requireFree(dir, { owner, name })
  const indexText = `${editRepositoryFile(undefined, front)}${STARTER.readme}\n`
  const content = `${STARTER.content}\n`
  const variables = [{ ...undeclaredVariable('input'), description: STARTER.variable }]
  const versionText = formatVersionFile({ ...signed(by, now), changelog: '', variables, parameters: {}, content })
  const license = findLicenseProblem(front.license)
  const problems = [
    ...(license === undefined ? [] : [{ key: 'license', message: license }]),
    ...(parseRepositoryFile(indexText).problems ?? []),
    ...(parseVersionFile(versionText).problems ?? []),
  ]
  if (problems.length > 0) throw new Error(formatProblems(problems))
  try {
    writeContent(dir, { path: version, text: versionText })
    writeContent(dir, { path: index, text: indexText })
  } catch (error) {
    rmSync(join(dir, owner, name), { recursive: true, force: true })
    throw error
  }
  return [index, version]
}

/** @throws Error if no prompt can have this name */
export function requireFree(dir: string, { owner, name }: RepositoryPlace): void {
  if (!isPortableName(name)) throw new Error(`The name ${name} is reserved on Windows; choose another`)
  if (existsSync(join(dir, owner, name)))
    throw new Error(`${owner}/${name} already exists; to add a version, use npm run bump`)
}

/** Lists the version numbers of a prompt, in any order. @throws Error if there is no such prompt */
export function requireVersions(dir: string, place: RepositoryPlace): string[] {
  const used = listVersions(dir, place)
  if (used !== undefined) return used
  throw new Error(`Prompt not found: ${place.owner}/${place.name}; create it with npm run new`)
}

/** Creates the next version as a draft of the highest version, with its files. @param by the author's login; by default, the publisher of the highest version @returns the created paths, relative to the content folder */
export function scaffoldVersion(
  dir: string,
  {
    owner,
    name,
    bump,
    by,
    changelog,
  }: { owner: string; name: string; bump: WantedBump; by?: string | undefined; changelog: string },
  now: Date,
): string[] {
  const used = requireVersions(dir, { owner, name })
  const highest = sortVersions(used)[0]
  if (highest === undefined) throw new Error(`${owner}/${name} has no version to start from`)
  const parsed = parseVersionFile(readVersion(dir, { owner, name, version: highest }))
  if (parsed.problems) throw new Error(`${highest}: ${formatProblems(parsed.problems)}`)
  if (parsed.value.includes)
    throw new Error(`${owner}/${name} includes other prompts; use npm run compose, which writes the next version`)
  const before = parsed.value
  const index = readIndex(dir, { owner, name })
  const { license } = (index === undefined ? undefined : parseRepositoryFile(index).value) ?? DEFAULT_REPOSITORY_FILE
  const text = formatDraft(
    // A skill has the license that the repository has when the version is published.
    { ...before, ...(before.skill && { skill: { ...before.skill, license } }) },
    { ...signed(by ?? before.published_by, now), changelog },
  )
  const again = parseVersionFile(text)
  if (again.problems) throw new Error(formatProblems(again.problems))
  // Nothing has changed yet, so a patch is the smallest number that fits.
  const version = nextVersion([...used, ...listRemoved(index)], bump === 'auto' ? 'patch' : bump)
  const files = readFiles(dir, `${owner}/${name}/versions/${highest}`)
  const path = formatPath({ kind: 'version', owner, name, version })
  writeContent(dir, { path, text, files: files.map((file) => ({ ...file, read: () => file.bytes })) })
  return [path, ...files.map((file) => formatPath({ kind: 'file', owner, name, version, path: file.path }))]
}

function signed(by: string, now: Date) {
  return { published_at: formatMoment(now), published_by: by }
}
