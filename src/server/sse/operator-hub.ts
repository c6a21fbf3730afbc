import type { Operations, OperatorNews } from '../../relay/operations.ts'
import type { Stop } from '../../relay/ports/clock.ts'
import { happenedFrame, healthFrame, makerStandingFrame, seriesProgressFrame } from '../../wire/operator-stream.ts'
import type { SseFrame } from '../../wire/sse.ts'
import { encodeFrame } from './frame.ts'

/** Hears each frame, the same buffer for everyone; `id` is null for a standing, which has no place in the audit log. */
export type OperatorListener = (id: number | null, frame: Buffer) => void

/** Fans the operator's feed out to all its streams of this process. */
export type OperatorHub = { join: (listener: OperatorListener) => Stop }

/** A hub that looks at the feed while someone listens, and encodes each frame once. */
export function createOperatorHub({ feed }: Pick<Operations, 'feed'>): OperatorHub {
  const listeners = new Set<OperatorListener>()
  let leaveFeed = () => {}

  function fanOut(news: OperatorNews): void {
    for (const { id = null, ...frame } of framesOf(news)) {
      const buffer = encodeFrame(id === null ? frame : { ...frame, id })
      for (const listener of listeners) listener(id, buffer)
    }
  }

  return {
    join: (onFrame) => {
      const listener: OperatorListener = (id, frame) => onFrame(id, frame)
      listeners.add(listener)
      if (listeners.size === 1) leaveFeed = feed.listen(fanOut)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) leaveFeed()
      }
    },
  }
}

function framesOf(news: OperatorNews): SseFrame[] {
  switch (news.kind) {
    case 'happened':
      return news.events.map(happenedFrame)
    case 'makers':
      return news.makers.map(makerStandingFrame)
    case 'series':
      return news.series.map(seriesProgressFrame)
    case 'health':
      return [healthFrame(news.health)]
  }
}
