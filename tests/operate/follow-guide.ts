// Follows a guide that needs no root: runs its code blocks in order, in a temporary folder.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { COMPILED } from '../compiled.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A machine on which a guide is followed. */
export type GuideMachine = ReturnType<typeof openMachine>

/** A code block of a document. */
export interface Example {
  document: string
  language: string
  text: string
}

/** Returns all code blocks of a document, in order. @param document a guide's name, or a path that ends with `.md` */
export function examplesOf(document: string): Example[] {
  const path = document.endsWith('.md') ? document : `src/pages/docs/${document}.md`
  return [...readFileSync(path, 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language, text]) => ({
    document,
    language: language!,
    text: text!,
  }))
}

/** Returns all code blocks in one language from a guide, in order. */
export const blocksOf = (guide: string, language: string): string[] =>
  examplesOf(guide)
    .filter((example) => example.language === language)
    .map(({ text }) => text)

/** What `npm ci` makes comes from this checkout, and may already be there. So does the code, which Node has compiled before. */
const SHIMS = `
install_here() {
  for name in node_modules .pages .clients netlify packages scripts src; do
    rm -rf "$ROOT/\${PWD#"$ROOT/"}/$name"
    ln -s "$CODE/$name" "$name"
  done
}
npm() { case "$1" in ci) install_here ;; run) shift; npm_run "$@" ;; *) command npm "$@" ;; esac; }
`

/**
 * Opens a machine.
 *
 * @param hubPort the port on which the hub listens, instead of 8888
 * @param publicUrl replaces the hub's public URL
 * @param functions the shell's `npm_run`
 * @param words additional replacements
 */
export function openMachine(
  hubPort: number,
  publicUrl: string,
  functions: string,
  words: Readonly<Record<string, string>> = {},
) {
  const root = temporaryFolder('prompt-hub-guide-')
  const source = makeSource(join(root, 'source'))
  const all: Record<string, string> = {
    ...words,
    'https://github.com/OWNER/prompt-hub': source,
    'https://hub.example.org': publicUrl,
    'localhost:8888': `localhost:${hubPort}`,
  }
  const localise = (text: string) =>
    Object.entries(all).reduce((changed, [word, other]) => changed.replaceAll(word, other), text)
  return {
    /** The folder in which the shell starts. */
    root,
    /** Returns a text adapted to the names and ports on this machine. */
    localise,
    /** Runs code blocks one after another in one shell. @returns their output @throws Error if a block fails */
    follow(blocks: readonly string[]): Promise<string> {
      const script = `set -eu\n${functions}${SHIMS}\n${blocks.map(localise).join('\n')}`
      const { PATH = '', HOME = '' } = process.env
      const given = { ROOT: root, CODE: resolve('.') }
      const env = {
        PATH,
        HOME,
        ...COMPILED,
        ...given,
        RATE_LIMIT_PER_MINUTE: '100000',
        PORT: String(hubPort),
        ASTRO_TELEMETRY_DISABLED: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        // Here, a local folder is the source of the submodule.
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'protocol.file.allow',
        GIT_CONFIG_VALUE_0: 'always',
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@b',
      }
      return new Promise((done, fail) => {
        const shell = spawn('bash', ['-c', script], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
        let [stdout, stderr] = ['', '']
        shell.stdout.on('data', (text) => (stdout += text))
        shell.stderr.on('data', (text) => (stderr += text))
        shell.on('exit', (code) =>
          // The hub that the block started still keeps its output open.
          setTimeout(
            () => (code === 0 ? done(stdout) : fail(new Error(`ended with ${code}\n${stdout}\n${stderr}`))),
            20,
          ),
        )
      })
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}

/** Creates the repository to clone, with this checkout's current files in one commit. @param source its folder */
export function makeSource(source: string): string {
  mkdirSync(source)
  const script = [
    'set -e',
    `git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null | tar --create --files-from=- | tar --extract --directory ${source}`,
    // One pack without compression is written and cloned in a fraction of the time of thousands of files.
    `cd ${source} && git init -q -b main && git -c core.bigFileThreshold=1 -c core.compression=0 add -A && git -c user.name=a -c user.email=a@b commit -qm Source && git tag v1.0.0`,
  ].join('\n')
  execFileSync('sh', ['-c', script], { stdio: 'pipe' })
  return source
}
