import { count, priceText } from '@rfqctl/lib/format'
import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { FoundPrice, FoundQuote } from '../found-price.ts'
import { FileLink, Stranger, TaskFailure } from './parts.tsx'
import type { TradeProps } from './TradePanel.tsx'

/** Proof of how the price of a trade was found, for a relay that keeps a transparency log. */
export function FoundPriceSection({ state, act, trade }: Omit<TradeProps, 'chooseWallet'>): ReactNode {
  const { requestId, record } = trade
  const { stage } = record
  const hasLog = (state.environment?.logKeys.length ?? 0) > 0
  const wasSigned = 'commitment' in stage || (stage.kind === 'ended' && stage.how.startsWith('order_'))
  if (!hasLog || !wasSigned) return null
  const task = state.tasks[`found:${requestId}`]
  const found = task?.kind === 'done' && task.outcome.kind === 'found' ? task.outcome.found : null
  return (
    <details className="more" open={task !== undefined}>
      <summary>How this price was found</summary>
      <div className="stack-tight">
        <TaskFailure {...{ state, act }} task={`found:${requestId}`} />
        {found === null ? (
          <>
            <p className="small muted">
              The relay writes each quote, each rank and each signature into a log that it cannot change later. Your
              browser reads what it has of this trade and checks it.
            </p>
            <Button onPress={() => act.findPrice(requestId)} isBusy={task?.kind === 'running'}>
              {task?.kind === 'running' ? 'Reading and checking…' : 'Check it'}
            </Button>
          </>
        ) : (
          <Found found={found} requestId={requestId} />
        )}
      </div>
    </details>
  )
}

function Found({ found, requestId }: { found: FoundPrice; requestId: string }): ReactNode {
  const { problems, quotes, lines, size, isSignatureChecked, file } = found
  return (
    <>
      {problems.length === 0 ? (
        <Notice
          tone={isSignatureChecked ? 'good' : 'warning'}
          title={
            isSignatureChecked ? 'The record of this trade is true.' : 'All but the signature of the log was checked.'
          }
          hint={`${count(BigInt(lines))} lines, each proved to be in the log of ${count(BigInt(size))}; ranks, choice and amounts computed again.${
            isSignatureChecked ? '' : ' This browser has no Ed25519.'
          }`}
        />
      ) : (
        <Notice tone="bad" title="The record of this trade is not true." hint={<Problems problems={problems} />} />
      )}
      {quotes.length > 0 && <Ranks quotes={quotes} />}
      <p className="small muted">
        <FileLink text={file} type="application/json" name={`${requestId}.transcript.json`}>
          Save the file
        </FileLink>
        : <code>rfqctl audit verify</code> checks it without this relay.
      </p>
    </>
  )
}

/** Sentences that are shown; the file has all of them. */
const MOST_PROBLEMS = 5

const Problems = ({ problems }: { problems: readonly string[] }): ReactNode =>
  problems.slice(0, MOST_PROBLEMS).map((problem) => <Stranger key={problem} text={problem} lines={2} />)

const FATES: Readonly<Record<FoundQuote['fate'], string>> = {
  signed: 'signed',
  declined: 'declined',
  missed: 'did not sign in time',
  passed_over: 'could not be asked',
  not_asked: 'was not needed',
}

const Ranks = ({ quotes }: { quotes: readonly FoundQuote[] }): ReactNode => (
  <table className="table small">
    <caption className="aloud">Quotes when the last maker was asked, best first</caption>
    <thead>
      <tr>
        <th scope="col">Rank</th>
        <th scope="col">Maker</th>
        <th scope="col">Price</th>
        <th scope="col">The maker…</th>
      </tr>
    </thead>
    <tbody>
      {quotes.map(({ makerId, price, isFirm, fate }, place) => (
        <tr key={makerId}>
          <td>{place + 1}</td>
          <td>
            <Stranger text={makerId} />
          </td>
          <td>
            {priceText(price)}
            {isFirm ? ', firm' : ''}
          </td>
          <td>{FATES[fate]}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
