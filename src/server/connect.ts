// Defines how a handler gets its dependencies once the request itself has been checked.

/** Creates a handler's dependencies. If it throws, the handler responds with the error. */
export type Connect<Dependencies> = () => Dependencies | Promise<Dependencies>
