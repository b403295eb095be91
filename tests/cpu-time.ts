// Measures CPU time, which the load on the machine does not affect.

/** Returns the CPU time in milliseconds that this thread has used since a reading of `process.threadCpuUsage()`. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
