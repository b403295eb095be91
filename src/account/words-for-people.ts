// Says the API's errors and warnings in the words of the site's forms: by a field's label, without what only programs need.

import type { ErrorCode } from '../domain/api/errors.ts'
import type { ValueProblem } from '../domain/text/problems.ts'

/** The label of each field that a form of this site sends. */
const LABELS: Readonly<Record<string, string>> = {
  owner: 'Owner',
  name: 'Name',
  title: 'Title',
  description: 'Description',
  tags: 'Tags',
  license: 'License',
  format: 'Format',
  content: 'Prompt',
  variables: 'Variables',
  parameters: 'Parameters',
  skill: 'Agent Skill',
  compose: 'Shared parts',
  recompose: 'Shared parts',
  files: 'Files',
  attestations: 'Attestations',
  changelog: 'What changed',
  bump: 'Version',
  labels: 'Labels',
  allow_breaking: 'Version',
  forked_from: 'Started from',
  label: 'Label',
  version: 'Version',
  reason: 'Reason',
  readme: 'Readme',
  status: 'Status',
  status_message: 'Why, and what to do',
  replaced_by: 'Use instead',
  moved_to: 'Moved to',
  bio: 'Bio',
  website: 'Website',
  avatar_url: 'Picture',
  members: 'Members',
  member: 'New member',
  protected_labels: 'Protected labels',
  requires: 'Test suites',
  min_score: 'Lowest score',
  new_capabilities: 'New capabilities',
  publishing: 'New versions are accepted',
  workflow: 'Workflow',
  repository_id: 'ID of the repository',
  repository_owner_id: 'ID of its owner',
  repos: 'Prompts',
  environment: 'Environment',
  ref: 'Branch or tag',
  trusted_publishers: 'Trusted workflows',
  repository: 'Repository',
  permissions: 'Permissions',
  days: 'Expires after (days)',
  form: 'This form',
}

/** What a page says instead of an error. */
export interface Said {
  /** One sentence, or one for each problem. */
  sentences: readonly string[]
  /** Where to go on. */
  link?: { href: string; text: string }
}

/** An error of the API, with its problems if it has several. */
export interface SaidError {
  code: ErrorCode
  message: string
  problems?: readonly ValueProblem[] | undefined
}

/** What the user was doing when the error occurred. */
interface Doing {
  fullName: string
  /** Whether the form is for a new prompt. */
  isNew?: boolean
  /** The names of the variables in the form, in order. */
  variables?: readonly string[]
}

/** Returns what to say for an error. */
export function sayError({ code, message, problems }: SaidError, { fullName, isNew, variables }: Doing): Said {
  if (code === 'version_conflict' && isNew)
    return {
      sentences: [`${fullName} already exists. Choose another name, or publish your text as its next version.`],
      link: { href: `/${fullName}/edit`, text: `Edit ${fullName}` },
    }
  if (code === 'version_conflict')
    return { sentences: [`${fullName} has changed since you opened this page. Compare, then try again.`] }
  if (problems) return { sentences: problems.map((problem) => sayProblem(problem, variables)) }
  return { sentences: [withoutPaths(message)] }
}

/** Returns a problem in a form, as a sentence. @param variables the names of the variables in the form, in order */
export function sayProblem({ key, message }: ValueProblem, variables: readonly string[] = []): string {
  const field = labelOf(key, variables)
  return `${field === '' ? '' : `${field}: `}${message.replace(/[.]?$/, '.')}`
}

/** Returns a warning as a sentence. @param warning as in the API, so its message starts with a field */
export function sayWarning(
  { message, line }: { message: string; line: number | null },
  variables: readonly string[] = [],
): string {
  const [, key = '', rest = message] = /^([a-z_]+(?:\.[\w.]+)?): ([\s\S]*)$/.exec(message) ?? []
  const words = line === null ? rest : `line ${line}: ${rest}`
  // Without a label before it, the message begins the sentence.
  return sayProblem({ key, message: key === '' ? words.charAt(0).toUpperCase() + words.slice(1) : words }, variables)
}

/** Returns the label of a field. @param key its path in the JSON, such as `variables.1.options` */
function labelOf(key: string, variables: readonly string[]): string {
  const [field = '', place = '', part] = key.split('.')
  const label = (Object.hasOwn(LABELS, field) ? LABELS[field] : undefined) ?? field
  const variable = field === 'variables' ? variables[Number(place || Number.NaN)] : undefined
  if (variable !== undefined) {
    return `Variable ${variable}${part === undefined ? '' : `, ${part}`}`
  }
  return field === 'parameters' && place !== '' ? `${label}, ${key.slice(field.length + 1)}` : label
}

/** Removes the sentences that name a path of the API. */
function withoutPaths(message: string): string {
  return message.replace(/ [A-Z][^.]{0,200}\/api\/[^\s]{0,300}/g, '')
}
