// Takes the turn of all hubs and holds it until the process is killed. Usage: hold-turn.ts DATABASE_URL
import { openHubTurns } from '../../src/state/hub-turns.ts'
import { openPostgresState } from '../../src/state/state-postgres.ts'

const takeBranch = openHubTurns(await openPostgresState(process.argv[2] ?? ''))
console.log((await takeBranch(10_000)) ? 'held' : 'not held')
setInterval(() => {}, 1_000)
