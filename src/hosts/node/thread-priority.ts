// Lowers the priority of a worker thread, so that the thread that serves everybody goes first.
import { getPriority, setPriority } from 'node:os'

/** The niceness of the thread, 0 to 19. At 5, it gets a third of the serving thread's share when the processor is busy. */
const NICE = 5

/** Lowers the priority of the calling thread. On Linux, each thread has its own priority (https://man7.org/linux/man-pages/man2/setpriority.2.html); elsewhere it would apply to the whole process. */
export function lowerPriority(): void {
  if (process.platform === 'linux' && getPriority() < NICE) setPriority(NICE)
}
