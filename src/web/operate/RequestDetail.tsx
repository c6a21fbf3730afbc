import type { ReactNode } from 'react'
import { priceRange } from '../dashboard/charts.ts'
import type { RequestView } from '../dashboard/request-view.ts'
import { BOOK, type BookRow, type RequestDetail, requestDetail } from '../dashboard/views/request-detail.ts'
import type { Column, Scene } from '../dashboard/views/view.ts'
import { Button } from '../parts/Button.tsx'
import { Bar } from '../parts/Countdown.tsx'
import { Icon } from '../parts/Icon.tsx'
import { inPlace } from '../parts/in-place.ts'
import type { OperateAct } from './act.ts'
import { ColumnHeads } from './ColumnHeads.tsx'
import { PriceChart } from './charts.tsx'
import { Lines, Spans } from './Spans.tsx'

type Props = { request: RequestView; scene: Scene; act: OperateAct }

export function RequestSummary({ request, scene, act }: Props): ReactNode {
  const detail = requestDetail(request, scene)
  return (
    <div className="stack">
      <Head detail={detail} />
      <div className="row">
        <OpenHistory act={act} />
        <CopyId id={request.requestId} act={act} />
      </div>
      <Book detail={detail} scene={scene} />
      <Refusals detail={detail} />
      {priceRange(detail.prices) !== null && <PriceChart history={detail.prices} />}
    </div>
  )
}

export function RequestHistory({ request, scene, act }: Props): ReactNode {
  const detail = requestDetail(request, scene)
  return (
    <article className="panel">
      <div className="panel-head">
        <Button size="small" onPress={() => act.dispatch({ kind: 'overlay', overlay: 'none' })}>
          <Icon name="back" />
          Back
        </Button>
        <CopyId id={request.requestId} act={act} />
      </div>
      <div className="panel-body ops-history-parts">
        <div className="stack">
          <Head detail={detail} />
          <p className="mono small muted ops-id">{request.requestId}</p>
          <PriceChart history={detail.prices} />
          <Book detail={detail} scene={scene} />
        </div>
        <section className="stack-tight" aria-label="what happened, newest first">
          <h2 className="small muted">what happened, newest first</h2>
          <ol className="ops-life">
            {inPlace(detail.history, ({ time, text }) => (
              <li>
                <time className="faint">{time}</time>
                <span>
                  <Spans cell={text} />
                </span>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </article>
  )
}

const Head = ({ detail: { title, status, worth, waitShare, ladder } }: { detail: RequestDetail }): ReactNode => (
  <div className="stack-tight">
    <h2 className="ops-title">
      <Spans cell={title} />
    </h2>
    <p>
      <Spans cell={status} />
    </p>
    {worth !== null && <Lines lines={[worth]} />}
    {waitShare !== null && <Bar part={waitShare} tone="warning" />}
    {ladder.length > 0 && <Ladder ladder={ladder} />}
  </div>
)

export const Ladder = ({ ladder }: { ladder: RequestDetail['ladder'] }): ReactNode => (
  <section className="ops-ladder small" aria-label="ladder">
    <span className="faint">ladder</span>
    <Lines lines={ladder} />
  </section>
)

const BOOK_COLUMNS = Object.entries<Column<BookRow>>(BOOK)

function Book({ detail: { book, noQuote }, scene }: { detail: RequestDetail; scene: Scene }): ReactNode {
  if (book.length === 0) return <p className="faint small">{noQuote}</p>
  return (
    <div className="ops-book-box">
      <table className="table ops-book">
        <caption className="aloud">Live quotes, best first</caption>
        <ColumnHeads columns={BOOK_COLUMNS} />
        <tbody>
          {book.map((quote) => (
            <tr key={quote.makerId}>
              {BOOK_COLUMNS.map(([name, { align, cell }]) => (
                <td key={name} data-column={name} className={align === 'right' ? 'figure' : undefined}>
                  <Spans cell={cell(quote, scene)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Refusals({ detail: { refusals, moreRefusals } }: { detail: RequestDetail }): ReactNode {
  if (refusals.length === 0) return null
  const lines = [...refusals, ...(moreRefusals === null ? [] : [moreRefusals])]
  return (
    <div className="stack-tight small">
      <Lines lines={lines.map((said) => [said])} />
    </div>
  )
}

export const OpenHistory = ({ act }: { act: OperateAct }): ReactNode => (
  <Button size="small" onPress={() => act.dispatch({ kind: 'overlay', overlay: 'detail' })}>
    Whole history
  </Button>
)

export const CopyId = ({ id, act }: { id: string; act: OperateAct }): ReactNode => (
  <Button size="small" kind="quiet" onPress={() => act.copy(id)}>
    <Icon name="copy" />
    Copy id
  </Button>
)
