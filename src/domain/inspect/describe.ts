// Says in words what a version can do, and what it can do now that it could not before.
import { compareCapabilities } from './compare.ts'
import { CAPABILITY_KINDS, CAPABILITY_SEVERITIES, type Capability, type CapabilityKind, MORE } from './kinds.ts'

/** What each kind means, as the end of a sentence about a version. */
const WORDS: Readonly<Record<CapabilityKind, string>> = {
  network: 'contacts',
  shell: 'runs a shell',
  interpreter: 'runs programs',
  install: 'installs packages',
  'download-and-run': 'runs what it downloads',
  encoded: 'has parts that nobody can read',
  'outside-folder': 'uses places outside of its folder',
  secrets: 'reads secrets',
  'fetches-instructions': 'follows instructions from elsewhere',
  hides: 'hides something from the user',
  'agent-settings': 'touches the agent’s settings',
  'sends-data': 'sends data away',
  prerequisite: 'needs a download first',
  permissions: 'asks for more rights',
}

/** How many hosts a sentence names. */
const MAX_HOSTS = 3

/** Capabilities of one kind, in words. */
export interface DescribedKind {
  kind: CapabilityKind
  /** The most unusual. */
  severity: Capability['severity']
  /** Such as “contacts a.example and b.example”. */
  words: string
  all: readonly Capability[]
}

/** Describes capabilities by kind, the most unusual first. */
export function describeKinds(capabilities: readonly Capability[]): DescribedKind[] {
  const kinds = CAPABILITY_KINDS.flatMap((kind) => {
    const all = capabilities.filter((one) => one.kind === kind)
    const severity = CAPABILITY_SEVERITIES.findLast((severity) => all.some((one) => one.severity === severity))
    return severity === undefined ? [] : { kind, severity, words: sayKind(kind, all), all }
  })
  const rank = ({ severity }: DescribedKind) => CAPABILITY_SEVERITIES.indexOf(severity)
  return kinds.sort((a, b) => rank(b) - rank(a))
}

function sayKind(kind: CapabilityKind, all: readonly Capability[]): string {
  if (kind !== 'network') return WORDS[kind]
  // A call that contacts a host does not say which.
  const hosts = [...new Set(all.map(({ text }) => text))].filter((text) => !text.includes('('))
  if (hosts.length === 0)
    return `${WORDS.network} ${all.some(({ text }) => text.startsWith(MORE)) ? 'other hosts' : 'what its code names'}`
  const more = hosts.length > MAX_HOSTS ? [`${hosts.length - MAX_HOSTS} more`] : []
  const named = [...hosts.slice(0, MAX_HOSTS), ...more]
  return `${WORDS.network} ${[named.slice(0, -1).join(', '), ...named.slice(-1)].filter((part) => part !== '').join(' and ')}`
}

/** Says what a version can do that another cannot, such as “now contacts x.example; now runs a shell”. @returns an empty string if there is nothing new */
export function summariseAdded(from: readonly Capability[], to: readonly Capability[]): string {
  const before = new Map(describeKinds(from).map((one) => [one.kind, one.severity]))
  return describeKinds(compareCapabilities(from, to).added)
    .map(({ kind, severity, words }) => {
      const isKnown = before.get(kind) === severity && kind !== 'network'
      const said = isKnown ? `${words} in more ways` : `now ${words}`
      return severity === 'danger' ? `${said} (danger)` : said
    })
    .join('; ')
}
