// Decides whether a host name or IP address is loopback.

/** Returns whether a host name or IP address refers to the machine itself. @param host as in a URL, with or without brackets around IPv6 */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
