// Decides whether a host name or an address is loopback.

/** Whether a host name or an address is that of the machine itself. @param host as in a URL, with or without brackets around IPv6 */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
