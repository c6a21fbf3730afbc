import { expiryText, legsText, optionName, plural, timeText } from '@rfqctl/lib/format'
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Choice, Tabs } from '../../parts/Choice.tsx'
import { Empty, Skeleton } from '../../parts/Notice.tsx'
import { Word } from '../../parts/Word.tsx'
import type { Preset, TradeAct } from '../act.ts'
import type { TradeState } from '../state.ts'
import { chainNow, chosenMarket, expiryTabs, ladder, listedPackages, spotOf } from '../view-model.ts'
import { LadderTable } from './LadderTable.tsx'
import { PHASE_TEXTS, WINDOW_TEXT } from './words.ts'

const PANEL_ID = 'ladder'

export function LadderView({
  state,
  act,
  onChosen,
}: {
  state: TradeState
  act: TradeAct
  onChosen: () => void
}): ReactNode {
  const [isBuilding, setBuilding] = useState(false)
  const market = chosenMarket(state)
  const { legs } = state.ticket
  const isPackage = isBuilding || legs.length > 1 || legs.some(({ quantity }) => quantity !== 1)
  const setMode = (mode: 'single' | 'package') => {
    setBuilding(mode === 'package')
    if (mode === 'single' && isPackage) act.clearLegs()
  }
  return (
    <section className="panel ladder" aria-labelledby="ladder-title">
      <div className="panel-head">
        <h2 id="ladder-title">Options</h2>
        {market !== null && (
          <Choice
            label="What to trade"
            value={isPackage ? 'package' : 'single'}
            onChange={setMode}
            choices={[
              { value: 'single', text: 'Single' },
              { value: 'package', text: 'Package' },
            ]}
          />
        )}
      </div>
      {market === null ? <NoMarket state={state} /> : <Expiries {...{ state, act, isPackage, onChosen }} />}
    </section>
  )
}

function NoMarket({ state }: { state: TradeState }): ReactNode {
  if (state.markets === null) {
    return (
      <div className="panel-body">
        <Skeleton lines={8} label="Reading the options" />
      </div>
    )
  }
  if (state.markets.length === 0)
    return <Empty title="Nothing to trade yet" hint="Options appear here with the first market." />
  return <Empty title="Choose a market" hint="Its options appear here, by expiry and strike." />
}

type ExpiriesProps = { state: TradeState; act: TradeAct; isPackage: boolean; onChosen: () => void }

function Expiries({ state, act, isPackage, onChosen }: ExpiriesProps): ReactNode {
  const [showsEarlier, setShowsEarlier] = useState(false)
  const expiries = expiryTabs(state)
  const chosen = expiries.find((each) => each.isChosen)
  const shown = expiries.filter(({ isOver, isChosen }) => showsEarlier || !isOver || isChosen)
  const earlier = expiries.length - shown.length
  if (expiries.length === 0) {
    return <Empty title="This market has no options yet" hint="Choose another market, or come back later." />
  }
  const tabs = shown.map(({ expiry, phase, isOver }) => {
    const text = expiryText(expiry, chainNow(state))
    return { id: `${expiry}`, text: isOver ? `${text} · ${PHASE_TEXTS[phase].text.toLowerCase()}` : text }
  })
  return (
    <>
      <div className="ladder-tabs">
        <Tabs
          label="Expiries"
          tabs={tabs}
          selected={chosen === undefined ? '' : `${chosen.expiry}`}
          onSelect={(expiry) => act.chooseExpiry(Number(expiry))}
          panelId={PANEL_ID}
        />
        {earlier > 0 && (
          <Button kind="quiet" size="small" onPress={() => setShowsEarlier(true)}>
            {`${earlier} earlier`}
          </Button>
        )}
      </div>
      <div
        id={PANEL_ID}
        role="tabpanel"
        aria-labelledby={chosen === undefined ? undefined : `${PANEL_ID}-${chosen.expiry}`}
      >
        {chosen === undefined ? (
          <Empty title="Choose an expiry" />
        ) : (
          <>
            <p className="ladder-note small muted">
              {isPackage ? (
                <>
                  Press options to put them into a <Word of="package" />, or take a ready one.
                </>
              ) : (
                'Press an option to trade it.'
              )}{' '}
              The <Word of="expiry" /> is {timeText(chosen.expiry)}.
              {chosen.phase === 'window' && (
                <>
                  {' '}
                  {WINDOW_TEXT} This is its <Word of="window" />.
                </>
              )}
            </p>
            {isPackage && <Presets act={act} onChosen={onChosen} />}
            <LadderTable rows={ladder(state)} spot={spotOf(state)} {...{ act, isPackage, onChosen }} />
            {state.ticket.legs.length > 0 && (
              <div className="ladder-continue">
                <Button size="large" onPress={onChosen}>
                  {continueText(state)}
                </Button>
              </div>
            )}
            <Packages {...{ state, act, onChosen }} />
          </>
        )}
      </div>
    </>
  )
}

/** On a narrow screen the ticket is in another place. */
function continueText({ ticket: { legs } }: TradeState): string {
  const [only, ...others] = legs
  if (only === undefined || others.length > 0) return `Continue with ${plural(legs.length, 'option')}`
  return `Continue with ${optionName({ optionType: only.optionType, strikeBps: only.strikeBps })}`
}

const PRESETS: readonly { preset: Preset; text: string }[] = [
  { preset: 'call-spread', text: 'Call spread' },
  { preset: 'put-spread', text: 'Put spread' },
  { preset: 'strangle', text: 'Strangle' },
  { preset: 'straddle', text: 'Straddle' },
]

const Presets = ({ act, onChosen }: { act: TradeAct; onChosen: () => void }): ReactNode => (
  <div className="presets">
    {PRESETS.map(({ preset, text }) => (
      <Button
        key={preset}
        size="small"
        onPress={() => {
          act.choosePreset(preset)
          onChosen()
        }}
      >
        {text}
      </Button>
    ))}
  </div>
)

/** Packages that others have registered: trading one takes no transaction of its own. */
function Packages({ state, act, onChosen }: { state: TradeState; act: TradeAct; onChosen: () => void }): ReactNode {
  const packages = listedPackages(state)
  if (packages.length === 0) return null
  return (
    <div className="packages">
      <h3 className="small muted">{plural(packages.length, 'listed package')}</h3>
      <ul>
        {packages.map((series) => (
          <li key={series.seriesId}>
            <button
              type="button"
              className="package"
              onClick={() => {
                act.chooseSeries(series.seriesId)
                onChosen()
              }}
            >
              <span>{optionName(series)}</span>
              <span className="faint small">{legsText(series)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
