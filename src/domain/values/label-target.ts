// What a label points at, and which of its versions a caller gets. It imports no schemas, because reads and pages use it.

/** The share of callers that get a second version. */
interface Split {
  version: string
  /** From 1 to 99. */
  percent: number
  /** What the choice for each caller depends on. */
  salt: string
}

/** The target of a label. */
export interface LabelTarget {
  version: string
  split: Split | null
}

/** The labels of a prompt, by name. */
export type Labels = Readonly<Record<string, LabelTarget>>

/** Finds the target of a label. Only an own property is one: every object inherits `constructor`, which may be asked for like any other name. */
export function targetOf(labels: Labels, label: string): LabelTarget | undefined {
  return Object.hasOwn(labels, label) ? labels[label] : undefined
}

/** Lists the versions that a label may give. */
export function versionsOf({ version, split }: LabelTarget): string[] {
  return split ? [version, split.version] : [version]
}

/** Returns the first version of each label. */
export function firstVersions(labels: Labels): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([label, { version }]) => [label, version]))
}

/** Lists the names of the labels whose first version this is, in the order of the record. */
export function labelsAt(labels: Labels, version: string): string[] {
  return Object.keys(labels).filter((label) => labels[label]!.version === version)
}

/** Lists the names of the labels that may give a version, in the order of the record. */
export function labelsWith(labels: Labels, version: string): string[] {
  return Object.keys(labels).filter((label) => versionsOf(labels[label]!).includes(version))
}

/** Returns a target as `index.md` has it. */
export const formatTarget = (target: LabelTarget): string | LabelTarget =>
  target.split === null ? target.version : target

/** Lists the versions that a label may give now; none for a label that is not there. */
export function versionsAt(labels: Labels, label: string): string[] {
  const target = targetOf(labels, label)
  return target ? versionsOf(target) : []
}

/** Lists the labels that may give a version, with the share of callers if it is the second one, such as `production 10 %`. */
export function marksOf(labels: Labels, version: string): string[] {
  return labelsWith(labels, version).map((label) => {
    const { split } = labels[label]!
    return split?.version === version ? `${label} ${split.percent} %` : label
  })
}

/** Describes a target, such as `1.4.0, 1.5.0 for 10 %`. */
export function describeTarget({ version, split }: { version: string; split: Omit<Split, 'salt'> | null }): string {
  return split ? `${version}, ${split.version} for ${split.percent} %` : version
}

/** Chooses the version of a caller; without a key, the first one. docs/splits.md */
export async function chooseVersion({ version, split }: LabelTarget, key: string): Promise<string> {
  if (!split || key === '') return version
  return (await numberOf(split.salt, key)) < split.percent ? split.version : version
}

/** The number of a caller, from 0 to 99, which stays the same as long as the salt does. */
export async function numberOf(salt: string, key: string): Promise<number> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${salt}\n${key}`))
  return Math.floor((new DataView(digest).getUint32(0) * 100) / 2 ** 32)
}
