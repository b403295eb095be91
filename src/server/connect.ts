// Loads the dependencies of a handler, once the request itself has been checked.

/** Creates a handler's dependencies; an error that it throws becomes a response like any other. */
export type Connect<Dependencies> = () => Dependencies | Promise<Dependencies>
