import type { Command } from '../dashboard/keys.ts'

/** Carries out what a key or a button asks for; `quit` forgets the token. It stays the same function from frame to frame. */
export type Act = (command: Command) => void
