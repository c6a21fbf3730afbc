import { show } from '../parts/show.tsx'
import { OperatePage } from './OperatePage.tsx'

show(<OperatePage />)
