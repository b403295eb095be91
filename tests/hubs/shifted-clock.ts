// Loaded into a hub's processes: shifts their clock by the number of milliseconds in a file, as if somebody set it.
import { readFileSync } from 'node:fs'

const TrueDate = Date
const now = () => TrueDate.now() + Number(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'))

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
