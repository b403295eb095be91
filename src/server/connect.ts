// Loads a handler's dependencies once the request itself has been checked.

/** Creates a handler's dependencies; any error it throws becomes a response like all others. */
export type Connect<Dependencies> = () => Dependencies | Promise<Dependencies>
