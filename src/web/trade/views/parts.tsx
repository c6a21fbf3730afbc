import type { Usd6 } from '@rfqctl/client/index'
import { priceText, shortAddress } from '@rfqctl/lib/format'
import { explorerPage } from '@rfqctl/protocol/domain/explorer'
import { safeText } from '@rfqctl/protocol/domain/safe-text'
import { type ReactNode, useEffect, useMemo } from 'react'
import { Button, type ButtonProps } from '../../parts/Button.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { TradeAct } from '../act.ts'
import type { Task, TaskKey, TradeState } from '../state.ts'
import type { Failure } from '../trade-record.ts'

/** Longest part of a stranger's text that reaches the page; styles would cut off the rest anyway. */
const MOST_LETTERS = 300

/** A stranger's text: always text, in its own direction, cut to the available room. */
export function Stranger({ text, lines = 1 }: { text: string; lines?: 1 | 2 }): ReactNode {
  const safe = safeText(text.slice(0, MOST_LETTERS))
  return (
    <bdi className={lines === 1 ? 'truncate' : 'clamp'} title={safe}>
      {safe}
    </bdi>
  )
}

export const FailureNotice = ({ failure, onDismiss }: { failure: Failure; onDismiss?: () => void }): ReactNode => (
  <Notice
    tone="bad"
    title={safeText(failure.message.slice(0, MOST_LETTERS))}
    hint={failure.hint === null ? null : safeText(failure.hint.slice(0, MOST_LETTERS))}
    onDismiss={onDismiss}
  />
)

export function TaskFailure({ state, act, task }: { state: TradeState; act: TradeAct; task: TaskKey }): ReactNode {
  const ran = state.tasks[task]
  return ran?.kind === 'failed' && <FailureNotice failure={ran.failure} onDismiss={() => act.dismiss({ task })} />
}

export function runningText(task: Task | null | undefined, at: { relay: string }): string | null {
  if (task?.kind !== 'running') return null
  if (task.step === 'wallet') return 'Confirm in your wallet…'
  return task.step === 'sent' ? 'Waiting for the chain…' : at.relay
}

/** A transaction, an account or a contract: a link where the relay names an explorer, else text that is copied as a whole. */
export function ShortHex({ hex, state: { environment } }: { hex: string; state: TradeState }): ReactNode {
  const page = explorerPage(environment?.explorerUrl ?? null, hex)
  if (page === null) {
    return (
      <code className="hex" title={hex}>
        {hex.slice(0, 6)}
        <span className="hex-rest">{hex.slice(6, -4)}</span>
        {hex.slice(-4)}
      </code>
    )
  }
  return (
    <a href={page} target="_blank" rel="noopener noreferrer" title={hex}>
      <code>{shortAddress(hex)}</code>
    </a>
  )
}

type FileLinkProps = { text: string; type: string; name: string; children: ReactNode }

/** Saves a text as a file of that name. */
export function FileLink({ text, type, name, children }: FileLinkProps): ReactNode {
  const url = useMemo(() => URL.createObjectURL(new Blob([text], { type })), [text, type])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <a href={url} download={name}>
      {children}
    </a>
  )
}

/** A term and its figure, of a line of a list. */
export const Figure = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** The prices of both sides. */
export const BidAsk = ({ bid, ask }: { bid: Usd6; ask: Usd6 }): ReactNode => (
  <span className="nowrap">
    <span className="aloud">bid </span>
    {priceText(bid)}
    <span aria-hidden="true"> × </span>
    <span className="aloud">, ask </span>
    {priceText(ask)}
  </span>
)

type PanelHeadProps = {
  title: ReactNode
  onBack?: () => void
  back?: string
  /** Whether that destination is visible anyway on a wide screen. */
  isBackNarrow?: boolean
  aside?: ReactNode
}

export const PanelHead = ({ title, onBack, back = 'Back', isBackNarrow = false, aside }: PanelHeadProps): ReactNode => (
  <div className="panel-head">
    <div className="panel-title">
      {onBack !== undefined && (
        <span className={isBackNarrow ? 'back-narrow' : undefined}>
          <Button kind="quiet" size="small" label={back} onPress={onBack}>
            <Icon name="back" />
          </Button>
        </span>
      )}
      <h2>{title}</h2>
    </div>
    {aside}
  </div>
)

/** The next step: it stays in sight while the rest of its panel is scrolled. */
export const NextStep = ({
  children,
  ...button
}: Pick<ButtonProps, 'children' | 'onPress' | 'isBusy' | 'isDisabled'>) => (
  <div className="next-button">
    <Button kind="primary" size="large" {...button}>
      {children}
    </Button>
  </div>
)

export const Steps = ({ steps, at, label }: { steps: readonly string[]; at: number; label: string }): ReactNode => (
  <ol className="steps" aria-label={label}>
    {steps.map((step, i) => (
      <li key={step} className={i < at ? 'step step-done' : 'step'} aria-current={i === at ? 'step' : undefined}>
        {step}
        {i < at && <span className="aloud"> (done)</span>}
      </li>
    ))}
  </ol>
)
