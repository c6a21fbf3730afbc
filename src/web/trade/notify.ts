import type { SessionContext } from './context.ts'
import type { TradeStore } from './session.ts'
import type { NoticeChoice } from './state.ts'
import type { TradeStorage } from './trade-storage.ts'
import { type News, newsOf } from './views/news.ts'

/** A page in sight has this time to hear of the same news, milliseconds: its reader needs no notice. */
const FIRST_IN_SIGHT_MS = 1_000

export type Notifier = ReturnType<typeof createNotifier>

/** Brings news to a person who looks elsewhere: once, by the title of one tab and, if wanted, by the browser. */
export function createNotifier({ ports, dispatch, signal }: SessionContext, store: TradeStore, keep: TradeStorage) {
  const { attention, clock } = ports

  function tell({ id, text, address }: News): void {
    if (!attention.isHidden()) return void keep.claimNews(id, clock.now())
    clock.schedule(clock.now() + FIRST_IN_SIGHT_MS, () => {
      if (signal.aborted || !keep.claimNews(id, clock.now()) || !attention.isHidden()) return
      attention.setTitle(text)
      if (!keep.wantsNotices() || attention.permission() !== 'granted') return
      const onPress = () => dispatch({ kind: 'address-opened', address, place: 'panel' })
      if (!attention.show({ id, text, onPress })) dispatch({ kind: 'notices-chosen', notices: 'absent' })
    })
  }

  function recall(): void {
    const permission = attention.permission()
    const kept: NoticeChoice = keep.wantsNotices() ? CHOICES[permission ?? 'default'] : 'off'
    dispatch({ kind: 'notices-chosen', notices: permission === null ? 'absent' : kept })
  }

  let before = store.get()
  const stops = [
    store.onChange(() => {
      const [former, after] = [before, store.get()]
      before = after
      for (const news of newsOf(former, after)) tell(news)
    }),
    attention.onShown(() => attention.setTitle(null)),
  ]
  recall()
  return {
    /** Shows the kept choice: at first, and after another page has changed it. */
    recall,
    choose: async (isWanted: boolean) => {
      const permission = isWanted ? await attention.ask() : null
      keep.saveNotices(permission === 'granted')
      dispatch({ kind: 'notices-chosen', notices: permission === null ? 'off' : CHOICES[permission] })
    },
    close: () => {
      for (const stop of stops) stop()
    },
  }
}

/** A question that was closed without an answer can be asked again. */
const CHOICES: Readonly<Record<'granted' | 'denied' | 'default', NoticeChoice>> = {
  granted: 'on',
  denied: 'refused',
  default: 'off',
}
