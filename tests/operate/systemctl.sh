#!/bin/bash
# Takes the place of systemd on a machine of a test, where systemd cannot run. It starts the command of a unit file with
# the unit's user, folder, environment and file mode, and applies ProtectSystem=strict with ReadWritePaths, ProtectHome,
# PrivateTmp, NoNewPrivileges and an empty CapabilityBoundingSet. It ignores all other restrictions of the unit, and
# sockets, so the hub listens itself.
set -eu
name=${2:-} now=
[ "${2:-}" != --now ] || { now=yes; name=$3; }
# The socket is stopped beside its service.
[ "$#" -lt 3 ] || [ "$2" != prompt-hub.socket ] || name=$3
name=${name%.service}
[ "$name" = "${name%.socket}" ] || exit 0
unit=/etc/systemd/system/$name.service
pid_file=/run/$name.pid

setting() { sed -n "s/^$1=//p" "$unit" | tail -n 1; }

start() {
  is_active && return
  local user group folder variables=() line paths
  user=$(setting User) group=$(setting Group) folder=$(setting WorkingDirectory)
  mapfile -t variables < <(sed -n 's/^Environment=//p' "$unit")
  while read -r line; do
    case $line in '' | '#'* | ';'*) ;; *) variables+=("$line") ;; esac
  done < "$(setting EnvironmentFile)"
  [ "$(setting ProtectSystem) $(setting ProtectHome) $(setting PrivateTmp)" = 'strict yes yes' ]
  [ "$(setting NoNewPrivileges) $(grep -c '^CapabilityBoundingSet=$' "$unit")" = 'yes 1' ]
  paths=$(setting ReadWritePaths)
  (
    cd /
    umask "$(setting UMask)"
    # shellcheck disable=SC2016
    exec setsid unshare --mount bash -euc '
      paths=$1 folder=$2 user=$3 group=$4
      shift 4
      for path in $paths; do mount --bind "$path" "$path"; done
      mount -t tmpfs tmpfs /tmp
      chmod 1777 /tmp
      for path in /root /home; do mount -t tmpfs tmpfs "$path"; done
      mount -o remount,bind,ro /
      cd "$folder"
      exec setpriv --reuid="$user" --regid="$group" --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
    ' service "$paths" "$folder" "$user" "$group" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/nonexistent \
      "${variables[@]}" $(setting ExecStart) >> "/var/log/$name.log" 2>&1 < /dev/null
  ) &
  echo $! > "$pid_file"
}

is_active() { [ -e "$pid_file" ] && kill -0 "$(cat "$pid_file")" 2> /dev/null; }

stop() {
  is_active || return 0
  kill "$(cat "$pid_file")"
  while is_active; do sleep 0.1; done
  rm "$pid_file"
}

case $1 in
  daemon-reload) ls /etc/systemd/system > /dev/null ;;
  enable) [ -e "$unit" ]; [ -z "$now" ] || start ;;
  start) start ;;
  stop) stop ;;
  restart) stop; start ;;
  *) echo "systemctl $1 is not supported here" >&2; exit 1 ;;
esac
