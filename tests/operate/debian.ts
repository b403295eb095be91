// Opens a Debian machine on which a guide can be followed by root, with real users, packages and paths. It is an overlay
// over this machine's file system in its own mount and process namespaces, so nothing outside changes, and nothing is left.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { poll } from '../e2e/client.ts'
import { plainEnvironment } from '../hubs/processes.ts'
import { canContain } from './container.ts'
import { makeSource } from './follow-guide.ts'

/** Whether such a machine can be opened: by root, on Debian. */
export const isDebianRoot: boolean = canContain && spawnSync('apt-get', ['--version']).error === undefined

/** The repository that the guides clone from GitHub. */
const UPSTREAM = 'https://github.com/OWNER/prompt-hub'

/** A machine of its own, with the network of this one. */
export interface Debian {
  /** A folder of this machine, which is `/mnt` there. */
  shared: string
  /** Runs code blocks as root in one new shell. @returns their output @throws Error if a command fails */
  run(blocks: readonly string[]): Promise<string>
  /** Returns the same machine, with other words replaced. */
  renamed(replaced: Readonly<Record<string, string>>): Debian
  /** Writes a file that only root can read. */
  write(path: string, text: string): Promise<void>
  /** Ends all of its processes, and deletes it. */
  remove(): void
}

/** Where the machine has the packages of this checkout, read-only. To install them would take longer than all else here. */
const PACKAGES_DIR = '/media/node_modules'

/** Installs the packages in a clone. npm has installed these with the same lock file. */
export const LINK_PACKAGES = `ln --symbolic --force --no-target-directory ${PACKAGES_DIR} node_modules`

/** Prepares the namespaces: mounts the overlay, keeps its changes in memory, and waits to be ended. */
const HOLD = `
mount --make-rprivate /
mount -t tmpfs tmpfs "$DIR"
mkdir "$DIR/changes" "$DIR/work" "$DIR/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$DIR/changes,workdir=$DIR/work" "$DIR/root"
mkdir -p "$DIR/root/srv" "$DIR/root/etc/systemd/system"
mount --rbind /dev "$DIR/root/dev"
mount -t proc proc "$DIR/root/proc"
mount -t tmpfs tmpfs "$DIR/root/srv"
mount -t tmpfs tmpfs "$DIR/root/tmp"
chmod 1777 "$DIR/root/tmp"
mount --bind "$GIVEN" "$DIR/root/mnt"
mkdir -p "$DIR/root${PACKAGES_DIR}"
mount --bind "$PACKAGES" "$DIR/root${PACKAGES_DIR}"
mount -o remount,bind,ro "$DIR/root${PACKAGES_DIR}"
touch "$DIR/root/tmp/ready"
# The first process must collect the exit statuses of services; a shell does.
exec chroot "$DIR/root" bash -c 'while sleep 1; do :; done'
`

/** Where every user of the machine keeps compiled modules, so that each command takes less time. */
const COMPILED_DIR = '/var/cache/compiled'

/** Node runs the scripts of package.json as npm does, in a fifth of the processor time. */
const NPM = `#!/bin/sh
if [ "$1" != run ] || [ ! -e node_modules/.bin/node ]; then exec env PATH=/usr/local/bin:/usr/bin:/bin npm "$@"; fi
shift
[ "$1" != --silent ] || shift
exec node_modules/.bin/node --run "$@"
`

/** Removes this machine's own settings, and sources of packages other than Debian. No package brings manuals, and what this machine has already is not upgraded: that of the certificates takes half a minute. */
const MAKE_PLAIN = `
cp /mnt/systemctl.sh /usr/local/sbin/systemctl
cp /mnt/run-npm /usr/local/sbin/npm
chmod 755 /usr/local/sbin/systemctl /usr/local/sbin/npm
grep -rl nodesource /etc/apt/sources.list.d 2>/dev/null | xargs -r rm
rm -rf /etc/prompt-hub.env /var/backups/prompt-hub
install --directory --mode=1777 ${COMPILED_DIR}
[ ! -e /usr/bin/mandb ] || ln -sf /bin/true /usr/bin/mandb
printf 'path-exclude=/usr/share/%s/*\\n' doc man >/etc/dpkg/dpkg.cfg.d/no-manuals
echo 'APT::Get::Upgrade "false";' >/etc/apt/apt.conf.d/no-upgrade
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/no-sync
git config --system url./mnt/upstream.insteadOf ${UPSTREAM}
git config --system --add safe.directory /mnt/upstream/.git
git config --system init.templateDir /mnt/template
`

/** Runs in each clone: a clone starts with the bundle that `npm ci` makes of the code, as container.test.ts does. */
const AFTER_CLONE = `#!/bin/sh
[ ! -e astro.config.mjs ] || cp -r /mnt/.pages /mnt/.clients .
`

/** Opens a machine. @param replaced words that are different on this machine, such as the port */
export async function openDebian(replaced: Readonly<Record<string, string>>): Promise<Debian> {
  const given = mkdtempSync(join(tmpdir(), 'prompt-hub-debian-'))
  const dir = join(given, 'machine')
  mkdirSync(dir)
  makeSource(join(given, 'upstream'))
  cpSync('.pages', join(given, '.pages'), { recursive: true })
  cpSync('.clients', join(given, '.clients'), { recursive: true })
  cpSync('tests/operate/systemctl.sh', join(given, 'systemctl.sh'))
  writeFileSync(join(given, 'run-npm'), NPM)
  mkdirSync(join(given, 'template/hooks'), { recursive: true })
  writeFileSync(join(given, 'template/hooks/post-checkout'), AFTER_CLONE, { mode: 0o755 })
  const holder = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-euc', HOLD], {
    env: { ...process.env, DIR: dir, GIVEN: given, PACKAGES: resolve('node_modules') },
    stdio: 'ignore',
  })
  // Without a child, as in its first moments, ps fails.
  const inner = () => spawnSync('ps', ['-o', 'pid=', '--ppid', String(holder.pid)], { encoding: 'utf8' }).stdout.trim()
  const enter = (command: readonly string[]) => [
    '--target',
    inner(),
    '--mount',
    '--pid',
    '--root',
    'env',
    '--chdir=/',
    ...command,
  ]
  await poll('the machine', 30_000, async () => {
    if (holder.exitCode !== null) throw new Error('the namespaces could not be prepared')
    return inner() !== '' && spawnSync('nsenter', enter(['test', '-e', '/tmp/ready'])).status === 0 ? true : undefined
  })
  const { NODE_OPTIONS: _, TMPDIR: __, ...plain } = plainEnvironment()
  const env = {
    ...plain,
    PATH: '/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    NODE_COMPILE_CACHE: COMPILED_DIR,
    DEBIAN_FRONTEND: 'noninteractive',
  }
  const runScript = (script: string) =>
    new Promise<string>((done, fail) => {
      const shell = spawn('nsenter', enter(['bash', '-c', script]), { env, stdio: ['ignore', 'pipe', 'pipe'] })
      let [stdout, stderr] = ['', '']
      shell.stdout.on('data', (text) => (stdout += text))
      shell.stderr.on('data', (text) => (stderr += text))
      shell.on('exit', (code) =>
        // A service that the block started keeps its output open.
        setTimeout(() => (code === 0 ? done(stdout) : fail(new Error(`ended with ${code}\n${stdout}\n${stderr}`))), 50),
      )
    })
  const renamed = (words: Readonly<Record<string, string>>): Debian => {
    const localise = (text: string) =>
      Object.entries(words).reduce((changed, [word, other]) => changed.replaceAll(word, other), text)
    const run = (blocks: readonly string[]) =>
      runScript(`set -euo pipefail\numask 022\n${blocks.map(localise).join('\n')}`)
    return {
      shared: given,
      run,
      renamed,
      async write(path, text) {
        writeFileSync(join(given, 'file'), localise(text), { mode: 0o600 })
        await run([`install --mode=600 /mnt/file ${path}`])
      },
      remove() {
        // The first process of the namespace takes all others with it.
        holder.kill('SIGKILL')
        rmSync(given, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
      },
    }
  }
  const machine = renamed(replaced)
  await machine.run([MAKE_PLAIN]).catch((error: unknown) => {
    machine.remove()
    throw error
  })
  return machine
}
