// Owns measuring work by the processor's time, which does not grow when others use the machine too.

/** Milliseconds that this thread has worked since a reading of `process.threadCpuUsage()`. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
