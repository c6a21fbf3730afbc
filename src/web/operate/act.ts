import type { Command } from '../dashboard/keys.ts'

/** `quit` forgets the token. The function is the same from frame to frame. */
export type Act = (command: Command) => void
