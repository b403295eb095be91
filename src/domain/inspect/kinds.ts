// The kinds of capability, their severities, and the date of the rules. docs/contract.md section 4.

/** When the rules were last changed: with other rules, the same bytes may have other capabilities. */
export const RULES_DATE = '2026-11-30'

/** What a version can do, or makes an agent do. */
export const CAPABILITY_KINDS = [
  'network',
  'shell',
  'interpreter',
  'install',
  'download-and-run',
  'encoded',
  'outside-folder',
  'secrets',
  'fetches-instructions',
  'hides',
  'agent-settings',
  'sends-data',
  'prerequisite',
  'permissions',
] as const
/** A kind of capability. */
export type CapabilityKind = (typeof CAPABILITY_KINDS)[number]

/** How unusual a capability is: usual for skills, worth reading, or something that few good skills do. */
export const CAPABILITY_SEVERITIES = ['info', 'notice', 'danger'] as const
/** How unusual a capability is. */
export type CapabilitySeverity = (typeof CAPABILITY_SEVERITIES)[number]

/** How the text of an entry begins that only counts others. */
export const MORE = 'and '

/** Something that a version can do, with the first place in a file that says so. */
export interface Capability {
  kind: CapabilityKind
  severity: CapabilitySeverity
  /** The path of the file; `content` for the content of a prompt that is no skill. */
  path: string
  /** 1-based. */
  line: number
  /** The words that were found; of `network`, the host or the call. */
  text: string
}
