// Parses the Dockerfile and .dockerignore. Unknown instructions are errors.

/** A Dockerfile instruction. */
export interface Step {
  word: string
  /** Flags such as `--from=packages`. */
  flags: Readonly<Record<string, string>>
  /** The list in the exec form, or the words in the shell form. For RUN, this is the whole command line. */
  args: readonly string[]
  line: number
}

/** Everything from one FROM instruction to the next. */
export interface Stage {
  base: string
  name: string | undefined
  steps: readonly Step[]
}

const WORDS = new Set([
  ...['ARG', 'COPY', 'RUN', 'WORKDIR', 'ENV', 'USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
])

/** Splits a Dockerfile into stages. @throws Error for syntax that this parser does not support */
export function readDockerfile(text: string): Stage[] {
  const stages: (Stage & { steps: Step[] })[] = []
  let given: string[] = []
  for (const { line, text: instruction } of listInstructions(text)) {
    const [, word = '', rest = ''] = /^(\w+)\s+([\s\S]*)$/.exec(instruction) ?? []
    if (word === 'FROM') {
      const [, base = '', , name] = /^(\S+)(\s+AS\s+(\S+))?$/.exec(rest) ?? []
      stages.push({ base: base === `\${${given[0]}}` ? given[1]! : base, name, steps: [] })
      continue
    }
    const stage = stages.at(-1)
    if (!stage && word === 'ARG') {
      given = rest.split('=')
      continue
    }
    if (!stage || !WORDS.has(word)) throw new Error(`Dockerfile:${line}: ${word} is not known here`)
    stage.steps.push({ word, line, ...readArguments(word, rest) })
  }
  return stages
}

function listInstructions(text: string): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = []
  let isContinued = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    if (isContinued) found.at(-1)!.text += ` ${line.replace(/\\$/, '').trim()}`
    else found.push({ line: index + 1, text: line.replace(/\\$/, '').trim() })
    isContinued = line.endsWith('\\')
  }
  return found
}

function readArguments(word: string, rest: string): Pick<Step, 'flags' | 'args'> {
  const flags: Record<string, string> = {}
  let left = rest
  for (let flag = /^--([\w-]+)=(\S+)\s+/.exec(left); flag; flag = /^--([\w-]+)=(\S+)\s+/.exec(left)) {
    flags[flag[1]!] = flag[2]!
    left = left.slice(flag[0].length)
  }
  if (word === 'HEALTHCHECK') left = left.replace(/^CMD\s+/, '')
  if (left.startsWith('[')) return { flags, args: JSON.parse(left) as string[] }
  return { flags, args: word === 'RUN' ? [left] : left.split(/\s+/) }
}

/**
 * Returns the files that Docker receives. For each file, the last pattern that matches it or a parent folder decides.
 * @param files paths from the root
 */
export function listContext(ignore: string, files: readonly string[]): string[] {
  const patterns = ignore.split('\n').filter((line) => /^[^#\s]/.test(line))
  return files.filter((file) => {
    const places = file.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
    let isIn = true
    for (const pattern of patterns) {
      const bare = pattern.replace(/^!/, '')
      if (places.some((place) => toExpression(bare).test(place))) isIn = pattern.startsWith('!')
    }
    return isIn
  })
}

/**
 * Matches as Go's `filepath.Match` does, but supports only `*`, which matches within a folder, including names that
 * start with a dot, and `**` + `/` at the beginning, which matches any folders.
 */
function toExpression(pattern: string): RegExp {
  const [folders, name] = pattern.startsWith('**/') ? ['(?:.*/)?', pattern.slice(3)] : ['', pattern]
  return new RegExp(`^${folders}${name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')}$`)
}
