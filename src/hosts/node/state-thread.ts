// The thread that writes to the state file.
import { openWrites } from '../../state/state-sqlite-writes.ts'

export const { write, close } = openWrites()
