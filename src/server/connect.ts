// Loads the dependencies of a handler, once the request itself has been checked.

/** Makes what a handler needs; an error that it throws is answered like any other. */
export type Connect<Dependencies> = () => Dependencies | Promise<Dependencies>
