// Follows a guide: runs its code blocks in order, with every absolute path moved below a temporary folder.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** A machine on which a guide is followed. */
export interface GuideMachine {
  /** The folder that replaces `/`. */
  root: string
  /** Returns a text adapted to the folders, names and ports on this machine. */
  localise(text: string): string
  /** Runs code blocks one after another in one shell. @returns their output @throws Error if a block fails */
  follow(blocks: readonly string[]): Promise<string>
  /** Returns the service's output. */
  log(): string
  remove(): Promise<void>
}

/** Returns all code blocks in one language from a guide, in order. */
export function blocksOf(guide: string, language: string): string[] {
  const text = readFileSync(`src/pages/docs/${guide}.md`, 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block!)
}

/**
 * Replacements for everything that is impossible here: packages come from this checkout, users and file owners stay the
 * same, and a shell function in place of systemd starts and stops the commands from the unit file.
 */
const SHIMS = `
apt-get() { :; }
useradd() { :; }
chown() { :; }
docker() { echo "docker $*" >> "$ROOT/docker"; }
npm() { case "$1" in ci) ln -s "$PACKAGES" node_modules ;; *) command npm "$@" ;; esac; }
hubcli() { sh "$CHECKOUT/clients/hubcli/hubcli" "$@"; }
rsync() { mkdir -p "$4" && cp -R "$3". "$4"; }
unit() { sed -n "s|^$1=||p" "$ROOT/etc/systemd/system/prompt-hub.service" | tail -1; }
systemctl() {
  case "$1" in
    enable | start)
      ( cd "$ROOT$(unit WorkingDirectory)"; set -a; . "$ROOT$(unit EnvironmentFile)"; set +a
        exec setsid sh -c "exec $ROOT$(unit ExecStart)" >> "$ROOT/log" 2>&1 ) &
      echo $! > "$ROOT/pid"
      tries=0
      until curl -fs -o "$ROOT/health" "http://localhost:$HUB_PORT/readyz"; do
        tries=$((tries + 1)); [ $tries -lt 300 ] && kill -0 "$(cat "$ROOT/pid")" || { cat "$ROOT/log" >&2; return 1; }
        sleep 0.2
      done ;;
    stop)
      kill "$(cat "$ROOT/pid")"
      while kill -0 "$(cat "$ROOT/pid")" 2>/dev/null; do sleep 0.1; done
      rm "$ROOT/pid" ;;
  esac
}
`

/**
 * Opens a machine.
 *
 * @param hubPort the port on which the hub listens, instead of 8888
 * @param publicUrl replaces the hub's public URL
 * @param words additional replacements
 */
export function openMachine(
  hubPort: number,
  publicUrl: string,
  words: Readonly<Record<string, string>> = {},
): GuideMachine {
  const root = mkdtempSync(join(tmpdir(), 'prompt-hub-guide-'))
  for (const place of ['srv', 'etc/systemd/system', 'var/backups']) mkdirSync(join(root, place), { recursive: true })
  const source = makeSource(root)
  const all: Record<string, string> = {
    ...words,
    'https://github.com/OWNER/prompt-hub': source,
    'https://hub.example.org': publicUrl,
    'localhost:8888': `localhost:${hubPort}`,
  }
  const localise = (text: string) =>
    Object.entries(all)
      .reduce((changed, [word, other]) => changed.replaceAll(word, other), text)
      .replaceAll(/(?<![\w.$}])\/(srv|etc|var)\//g, `${root}/$1/`)
  return {
    root,
    localise,
    log: () => execFileSync('sh', ['-c', 'cat log 2>/dev/null || true'], { cwd: root, encoding: 'utf8' }),
    follow(blocks) {
      const script = `set -eu\n${SHIMS}\n${blocks.map(localise).join('\n')}`
      const { PATH = '', HOME = '' } = process.env
      const given = {
        ROOT: root,
        PACKAGES: resolve('node_modules'),
        CHECKOUT: process.cwd(),
        HUB_PORT: String(hubPort),
      }
      const env = {
        PATH,
        HOME,
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
    async remove() {
      execFileSync('sh', ['-c', '[ ! -e pid ] || kill "$(cat pid)" || true'], { cwd: root })
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}

/** Creates the repository to clone, with this checkout's current files in one commit. */
function makeSource(root: string): string {
  const source = join(root, 'source')
  mkdirSync(source)
  const script = [
    `git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null | tar --create --files-from=- | tar --extract --directory ${source}`,
    `cd ${source} && git init -q -b main && git add -A && git -c user.name=a -c user.email=a@b commit -qm Source && git tag v0.1.0 && git tag v0.2.0`,
  ].join('\n')
  writeFileSync(join(root, 'source.sh'), script)
  execFileSync('sh', [join(root, 'source.sh')], { stdio: 'pipe' })
  return source
}
