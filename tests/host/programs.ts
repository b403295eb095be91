// Runs nginx, Varnish and Caddy in front of a hub, with the configurations from docs/running.md.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { poll } from '../e2e/client.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A program that runs in front of a hub. */
export interface Running {
  url: string
  stop(): Promise<void>
}

/** Checks whether a program is installed. Debian installs servers in folders that are not in the user's PATH. */
export const isInstalled = (name: string): boolean => spawnSync(name, ['-V'], { env: ENVIRONMENT }).error === undefined

const ENVIRONMENT = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }

/** Returns a code block from docs/running.md by its language. @param which the 0-based index, if there are several */
const blockOf = (language: string, which = 0) =>
  [...readFileSync('docs/running.md', 'utf8').matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))][
    which
  ]?.[1] ?? ''

/**
 * Starts nginx with its documented configuration.
 *
 * @param backends ports of the hub processes
 * @param validity how long a copy is used; a longer time makes the number of requests independent of the machine's speed
 */
export function startNginx(port: number, backends: readonly number[], validity = '1s'): Promise<Running> {
  return startNginxWith(port, (dir) =>
    blockOf('nginx')
      .replace(/(?<=proxy_cache_valid .* )1s;/, `${validity};`)
      .replace('/var/cache/nginx/hub', join(dir, 'cache'))
      .replace('server 127.0.0.1:8888;', backends.map((backend) => `server 127.0.0.1:${backend};`).join('\n')),
  )
}

/** Starts nginx for static files, with its documented configuration. @param files the folder of a build */
export function startNginxMirror(port: number, files: string): Promise<Running> {
  return startNginxWith(port, () => blockOf('nginx', 1).replace('/srv/mirror', files))
}

function startNginxWith(port: number, configure: (dir: string) => string): Promise<Running> {
  return start(port, (dir) => {
    const site = configure(dir).replace('listen 80', `listen 127.0.0.1:${port}`)
    // Debian's own configuration includes this file.
    const types = ['/etc/nginx/mime.types'].filter(existsSync).map((path) => `include ${path};`)
    const user = process.getuid?.() === 0 ? 'user root;' : ''
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${dir}/${name};`,
    )
    writeFileSync(
      join(dir, 'nginx.conf'),
      `${user}\ndaemon off;\npid ${dir}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places.join('\n')}\n${types.join('')}\n${site}}\n`,
    )
    return ['nginx', ['-p', dir, '-c', join(dir, 'nginx.conf')]]
  })
}

/** Starts Varnish with its documented configuration. */
export function startVarnish(port: number, backend: number): Promise<Running> {
  return start(port, (dir) => {
    writeFileSync(join(dir, 'hub.vcl'), blockOf('vcl').replace('"8888"', `"${backend}"`))
    mkdirSync(join(dir, 'work'))
    const place = ['-n', join(dir, 'work'), '-j', 'none', '-s', 'malloc,64m']
    return ['varnishd', ['-F', '-a', `127.0.0.1:${port}`, '-f', join(dir, 'hub.vcl'), ...place]]
  })
}

/**
 * Starts Caddy with a documented configuration, over http instead of https. @param caddyfile contains a single site,
 * `hub.example.org`
 */
export function startCaddy(port: number, caddyfile: string): Promise<Running> {
  return start(port, (dir) => {
    const site = caddyfile.replace('hub.example.org {', `http://localhost:${port} {`).replace(/^\s*tls internal\n/m, '')
    writeFileSync(
      join(dir, 'Caddyfile'),
      `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${dir}/data\n}\n${site}`,
    )
    return ['caddy', ['run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')]]
  })
}

async function start(port: number, configure: (dir: string) => [string, string[]]): Promise<Running> {
  const dir = temporaryFolder('prompt-hub-cache-')
  const child: ChildProcess = spawn(...configure(dir), { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (log += text))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await poll(`an answer at ${url}`, 60_000, async () => {
      if (child.exitCode !== null) throw new Error('ended by itself')
      const answer = await fetch(`${url}/readyz`).catch(() => undefined)
      return answer && answer.status < 502 ? true : undefined
    })
  } catch (error) {
    await stop()
    throw new Error(`${error instanceof Error ? error.message : error}\n${log}`)
  }
  return { url, stop }
}
