// The interface of a queue in which senders take turns, so that a sender with much work does not delay the others.

/** A sender in the queue. */
export interface TurnRequest {
  /** Whose turn it is: a publisher, or a client's IP address. */
  sender: string
  /** Maximum time to wait in the queue, in milliseconds. */
  waitMs: number
}

/**
 * Runs work when it is the sender's turn and a place is free.
 *
 * @throws the queue's refusal if the turn does not come in time or too much work is waiting; in both cases, the work was not started
 */
export type TakeTurn = <Value>(request: TurnRequest, work: () => Promise<Value>) => Promise<Value>

/** How full a queue is. */
export interface QueueState {
  /** How much work is waiting. */
  length: number
  /** How long the oldest of it has been waiting, in milliseconds; 0 if there is none. */
  oldestMs: number
}

/** A queue, and how full it is. */
export type Turns = TakeTurn & { state: () => QueueState }
