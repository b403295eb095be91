// Executes a Dockerfile without Docker: each stage is a folder, and the result can write only to its volumes.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import type { Stage, Step } from './dockerfile.ts'

/** Whether this machine allows mounting file systems and changing the root in a separate namespace. */
export const canContain: boolean =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

/** The result of executing a stage. */
export interface Image {
  root: string
  workdir: string
  user: string
  environment: Record<string, string>
  volumes: readonly string[]
  command: readonly string[]
  healthcheck: readonly string[]
}

/** What the official Node image adds to Debian: a user. The programs come from this machine. */
const USERS = { root: 0, node: 1000 } as const
/** Folders of this machine, mounted read-only. */
const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib64'].filter((name) => existsSync(`/${name}`))
const NODE = '/node/bin'
/** The only command of npm in the Dockerfile. */
const INSTALL = 'npm ci --omit=dev --ignore-scripts'
const Lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })

/**
 * Executes every step of a stage, in order.
 *
 * @param context the files that Docker would receive
 * @param stages the earlier stages, by name
 */
export function buildStage(
  { steps }: Stage,
  root: string,
  context: { dir: string; files: readonly string[] },
  stages: ReadonlyMap<string, Image>,
): Image {
  for (const name of [...SYSTEM, 'etc', 'dev', 'proc', 'tmp', 'home/node', NODE])
    mkdirSync(join(root, name), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  const entries = Object.entries(USERS)
  writeFileSync(
    join(root, 'etc/passwd'),
    entries.map(([name, id]) => `${name}:x:${id}:${id}::/home/node:/bin/sh\n`).join(''),
  )
  writeFileSync(join(root, 'etc/group'), entries.map(([name, id]) => `${name}:x:${id}:\n`).join(''))
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  const image = { root, workdir: '/', user: 'root', environment: {} as Record<string, string> }
  const made = {
    ...image,
    volumes: [] as readonly string[],
    command: [] as readonly string[],
    healthcheck: [] as readonly string[],
  }
  for (const step of steps) carryOut(step, made, context, stages)
  return made
}

function carryOut(
  { word, args, flags, line }: Step,
  image: Image & { workdir: string },
  context: { dir: string; files: readonly string[] },
  stages: ReadonlyMap<string, Image>,
): void {
  switch (word) {
    case 'WORKDIR':
      image.workdir = args[0]!
      mkdirSync(join(image.root, image.workdir), { recursive: true })
      return
    // An argument is built with its default value. Docker drops it after the build, but nothing reads it by then.
    case 'ARG':
    case 'ENV':
      for (const pair of args) {
        const value = pair.slice(pair.indexOf('=') + 1)
        image.environment[pair.slice(0, pair.indexOf('='))] = value.replace(
          /\$(\w+)/g,
          (_, name: string) => image.environment[name] ?? '',
        )
      }
      return
    case 'USER':
      image.user = args[0]!
      return
    case 'VOLUME':
      image.volumes = args
      return
    case 'CMD':
      image.command = args
      return
    case 'HEALTHCHECK':
      image.healthcheck = args
      return
    // The init process is a program of the image.
    case 'ENTRYPOINT':
    case 'EXPOSE':
      return
    case 'COPY':
      copy(args, flags.from === undefined ? undefined : stages.get(flags.from), image, context, line)
      return
    case 'RUN':
      run(args[0]!, image)
      return
    default:
      throw new Error(`Dockerfile:${line}: ${word} is not carried out here`)
  }
}

/**
 * Copies as Docker does: the content of a folder, or a file under its own name if the target ends in a slash. If
 * anything is missing from the context, this fails.
 */
function copy(
  args: readonly string[],
  from: Image | undefined,
  image: Image,
  { dir, files }: { dir: string; files: readonly string[] },
  line: number,
): void {
  const target = args.at(-1)!
  for (const source of args.slice(0, -1)) {
    const place = resolve('/', image.workdir, target)
    const to = join(image.root, place, target.endsWith('/') ? basename(source) : '')
    if (from) {
      // Moved, because nothing else needs that stage.
      rmSync(to, { recursive: true, force: true })
      renameSync(join(from.root, source), to)
      continue
    }
    const wanted = files.filter((file) => file === source || file.startsWith(`${source}/`))
    if (wanted.length === 0) throw new Error(`Dockerfile:${line}: ${source} is not in the context`)
    for (const file of wanted) {
      const path = join(to, file.slice(source.length))
      mkdirSync(dirname(path), { recursive: true })
      cpSync(join(dir, file), path)
    }
  }
}

/** Runs a command in the stage; system packages are only installed as a dry run, because the container has no network. */
function run(command: string, image: Image): void {
  if (command === INSTALL) {
    copyPackages(join(image.root, image.workdir))
    return
  }
  if (command.startsWith('apt-get ')) {
    execFileSync(
      'sh',
      [
        '-c',
        command
          .replace('apt-get update', 'true')
          .replace(/apt-get install/, 'apt-get install --simulate')
          .replace(/&& rm .*/, ''),
      ],
      { stdio: 'pipe' },
    )
    return
  }
  execFileSync('unshare', ['-m', 'sh', '-ec', `${mount(image, [])}${enter(image, {}, ['sh', '-ec', command])}`], {
    stdio: 'pipe',
  })
}

/**
 * Copies the packages of this checkout that are no development dependencies in the lock file of a folder. npm has
 * installed them from that file already, and takes ten seconds of processor time to do so again.
 */
function copyPackages(folder: string): void {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')))
  // The packages inside another one come with it. What is not here is for other platforms.
  const wanted = Object.entries(packages).flatMap(([path, { dev = false }]) =>
    !dev && path.lastIndexOf('node_modules/') === 0 && existsSync(path) ? [path] : [],
  )
  // The script of this package, which the image does not run, has put a second Node there.
  const exclude = ['bin', 'node_modules'].map((name) => `--exclude=node_modules/node/${name}`)
  const script = 'folder=$1; shift; tar --create "$@" | tar --extract --directory "$folder"'
  execFileSync('sh', ['-ec', script, 'sh', folder, ...exclude, ...wanted], { stdio: 'pipe' })
}

/**
 * Starts a command in an image. The whole file system is read-only except for its volumes and /tmp. @param environment
 * overrides the environment of the image
 */
export function start(image: Image, command: readonly string[], environment: Record<string, string>): ChildProcess {
  const script = `${mount(image, image.volumes)}${enter(image, environment, command)}`
  return spawn('unshare', ['-m', 'sh', '-ec', script], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** @param volumes if empty, everything is writable */
function mount(image: Image, volumes: readonly string[]): string {
  if (!existsSync(join(image.root, NODE, 'node'))) writeFileSync(join(image.root, NODE, 'node'), '')
  const [root, node] = [quote(image.root), quote(process.execPath)]
  return [
    `mount --rbind ${root} ${root}`,
    ...SYSTEM.map((name) => `mount --bind /${name} ${root}/${name}; mount -o remount,ro,bind ${root}/${name}`),
    `mount --rbind /dev ${root}/dev`,
    `mount --rbind /proc ${root}/proc`,
    `mount --bind ${node} ${root}${NODE}/node`,
    ...(volumes.length === 0
      ? []
      : [
          ...volumes.map((volume) => `mount --bind ${root}${volume} ${root}${volume}`),
          `mount -t tmpfs tmpfs ${root}/tmp`,
          `mount -o remount,ro,bind ${root}`,
        ]),
    '',
  ].join('\n')
}

function enter(
  { root, user, workdir, environment }: Image,
  more: Record<string, string>,
  command: readonly string[],
): string {
  const id = USERS[user as keyof typeof USERS]
  const all = { PATH: `${NODE}:/usr/local/bin:/usr/bin:/bin`, HOME: '/home/node', ...environment, ...more }
  const settings = Object.entries(all).map(([name, value]) => quote(`${name}=${value}`))
  const inside = ['cd', quote(workdir), '&&', 'exec', ...command.map(quote)].join(' ')
  return `exec chroot --userspec=${id}:${id} ${quote(root)} /usr/bin/env -i ${settings.join(' ')} sh -c ${quote(inside)}\n`
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns the total size of a folder's files in bytes. */
export function sizeOf(folder: string): number {
  return Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0])
}

/** Returns the numeric ID of the user who owns a path. */
export const ownerOf = (path: string): number => statSync(path).uid
