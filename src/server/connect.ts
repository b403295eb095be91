// Owns how a handler gets what it needs: from a function that it calls once the request itself is in order, because that call loads drivers.

/** Makes what a handler needs; an error that it throws is answered like any other. */
export type Connect<Dependencies> = () => Dependencies | Promise<Dependencies>
