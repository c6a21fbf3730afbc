/**
 * An answer that is at hand, or a promise of it. For what every quote asks: an adapter that keeps things in its own memory
 * answers at once, one that must ask elsewhere promises. Whoever asks awaits either; what refuses may throw or reject.
 */
export type Soon<Value> = Value | Promise<Value>
