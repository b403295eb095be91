// `npm run pack:deb -- ARCHIVE FOLDER`: makes a Debian package of the archive that pack:release made: the code, its systemd units, and their user.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runCommand } from '../run-command.ts'

const USAGE = `Usage: npm run pack:deb -- prompt-hub-VERSION-PLATFORM.tar.gz FOLDER

Writes prompt-hub_VERSION_ARCHITECTURE.deb to the folder. The archive must be for the platform of this machine.`

/** The settings of a first installation: a hub for this machine alone. */
const SETTINGS = `# The settings of the hub. The guide "One machine" and the page "Settings" in /docs describe them.
# SITE_URL=https://hub.example.org
# TRUSTED_PROXIES=loopback
HOST=localhost
CONTENT_DIR=/srv/catalogue/content
DRAIN_SECONDS=1
`

const AFTER_INSTALL = `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd prompt-hub >/dev/null ||
  useradd --system --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin prompt-hub
for folder in /srv/prompt-hub/.hub /srv/catalogue /var/backups/prompt-hub; do
  # Somebody may have given them to another user.
  [ -d "$folder" ] || install --directory --owner=prompt-hub --group=prompt-hub --mode=700 "$folder"
done
[ -e /srv/catalogue/.git ] || runuser -u prompt-hub -- sh -eu <<'END'
cd /srv/catalogue
git init --quiet --initial-branch=main
mkdir -p content
git -c user.name=Operator -c user.email=operator@localhost commit --quiet --allow-empty --message 'Begin the catalogue'
END
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
if [ -n "$2" ]; then
  systemctl try-restart prompt-hub
else
  systemctl enable --quiet --now prompt-hub.socket prompt-hub-backup.timer
  systemctl enable --quiet prompt-hub
  systemctl restart prompt-hub
fi
`

/** Takes the place of `npm run` on a machine without npm. */
const ADMIN = `#!/bin/sh
# prompt-hub-admin COMMAND ...: runs a command of the hub with its settings, as its user; for example: prompt-hub-admin token acme
set -eu
command=\${1:?expected a command, such as token, people, doctor, backup, restore or rename}
shift
cd /srv/prompt-hub
set -a
. /etc/prompt-hub.env
set +a
PATH=/srv/prompt-hub/node_modules/.bin:$PATH
# What is restored gets its owner afterwards.
[ "$command" != restore ] || exec node --run restore -- "$@"
exec runuser -u prompt-hub -- env PATH="$PATH" node --run "$command" -- "$@"
`

const BEFORE_REMOVAL = `#!/bin/sh
set -e
[ "$1" = remove ] && [ -d /run/systemd/system ] || exit 0
systemctl disable --quiet --now prompt-hub.socket prompt-hub-backup.timer prompt-hub
`

await runCommand({ help: USAGE, allowPositionals: true }, ({ positionals: [archive, given, ...more] }) => {
  if (archive === undefined || given === undefined || more.length > 0)
    throw new Error('expected an archive and a folder')
  const folder = resolve(given)
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(folder, 'pack-'))
  try {
    console.log(pack(resolve(archive), folder, work))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

function pack(archive: string, folder: string, work: string): string {
  const code = join(work, 'srv/prompt-hub')
  const units = join(work, 'usr/lib/systemd/system')
  for (const path of [code, units, join(work, 'etc'), join(work, 'usr/sbin'), join(work, 'DEBIAN')])
    mkdirSync(path, { recursive: true })
  execFileSync('tar', ['--extract', '--strip-components=1', `--file=${archive}`, `--directory=${code}`])
  cpSync(join(code, 'deploy/systemd'), units, { recursive: true })
  writeFileSync(join(work, 'etc/prompt-hub.env'), SETTINGS, { mode: 0o600 })
  writeFileSync(join(work, 'usr/sbin/prompt-hub-admin'), ADMIN, { mode: 0o755 })
  const { version, description, license } = JSON.parse(readFileSync(join(code, 'package.json'), 'utf8'))
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()
  const control = `Package: prompt-hub
Version: ${version}
Architecture: ${architecture}
Maintainer: Prompt Hub <prompt-hub@users.noreply.github.com>
Depends: ca-certificates, git, passwd, util-linux
Section: web
Priority: optional
Description: ${description}
 The code with its packages, which is licensed under ${license}, and its systemd units.
`
  writeFileSync(join(work, 'DEBIAN/control'), control)
  writeFileSync(join(work, 'DEBIAN/conffiles'), '/etc/prompt-hub.env\n')
  writeFileSync(join(work, 'DEBIAN/postinst'), AFTER_INSTALL, { mode: 0o755 })
  writeFileSync(join(work, 'DEBIAN/prerm'), BEFORE_REMOVAL, { mode: 0o755 })
  chmodSync(work, 0o755)
  const file = join(folder, `prompt-hub_${version}_${architecture}.deb`)
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zzstd', work, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return file
}
