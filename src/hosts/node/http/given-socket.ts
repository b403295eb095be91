// Finds the socket that a service manager listens on and hands over, so that connections wait while the hub restarts.

/** The first file descriptor that is handed over; those below are standard input, output and error. */
const FIRST = 3

/**
 * Returns the file descriptor of the socket; undefined if this process got none. The protocol of systemd's socket activation: sd_listen_fds(3), https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 *
 * @param pid the process ID of this process: the variables may be those of a parent
 * @throws Error if there are several sockets, because one of them would never be answered
 */
export function findGivenSocket(
  { LISTEN_PID, LISTEN_FDS }: Readonly<Record<string, string | undefined>>,
  pid: number,
): number | undefined {
  if (LISTEN_PID !== String(pid)) return undefined
  if (LISTEN_FDS === '1') return FIRST
  throw new Error(`LISTEN_FDS: expected 1, got ${LISTEN_FDS}. Use one ListenStream in the socket unit.`)
}
