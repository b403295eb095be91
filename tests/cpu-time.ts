// Measures CPU time, which other processes do not affect.

/** Milliseconds that this thread has worked since a reading of `process.threadCpuUsage()`. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
