// Owns how a handler is handed what it needs: by a function that is called once the request itself is in order, for drivers are loaded then.

/** Makes what a handler needs; what it throws is answered like everything else that goes wrong. */
export type Connect<Dependencies> = () => Dependencies | Promise<Dependencies>
