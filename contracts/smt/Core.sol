// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SeriesWord} from "../src/SeriesWord.sol";
import {CoreFunctions} from "./CoreFunctions.sol";

/// @title CoreProofs
/// @notice On a series without a final price the core owes openInterest x maxPayoff, on one with it longs x payoff + shorts x
/// (maxPayoff - payoff). From any state, a call moves the balance of the core by as much as what it owes: options are written and
/// closed in pairs at maxPayoff, those redeemed are paid what they are owed, nothing else moves, and `other`, any account that is
/// no party, keeps its options. CoreFunctions has the functions of the core, as contracts/src has them.
contract CoreProofs is CoreFunctions {
    function openTakesCollateral(address payer, address writer, address holder, uint256 seriesId, uint256 amount)
        external
    {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        openPositionPaidBy(payer, writer, holder, seriesId, amount);
        SeriesWord changed = _series[seriesId];
        unchecked {
            assert(_received == amount * word.maxPayoff());
        }
        assert(_paid == 0);
        assert(changed.maxPayoff() == word.maxPayoff() && changed.fixing() == word.fixing());
        assert(changed.openInterest() == word.openInterest() + amount);
    }

    function openWritesPairs(
        address payer,
        address writer,
        address holder,
        uint256 seriesId,
        uint256 amount,
        address other
    ) external {
        uint256 short = _shorts[seriesId][writer];
        uint256 long = _longs[holder][seriesId];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        openPositionPaidBy(payer, writer, holder, seriesId, amount);
        unchecked {
            assert(_shorts[seriesId][writer] == short + amount);
        }
        assert(_longs[holder][seriesId] == long + amount);
        assert(other == writer || _shorts[seriesId][other] == shorts);
        assert(other == holder || _longs[other][seriesId] == longs);
    }

    function closePaysCollateral(uint256 seriesId, uint256 amount, address to) external {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        closePosition(seriesId, amount, to);
        unchecked {
            assert(_paid == amount * word.maxPayoff());
        }
        assert(_received == 0 && (_paid == 0 || _recipient == to));
        assert(_series[seriesId].fixing() == word.fixing());
    }

    function closeEndsPairs(uint256 seriesId, uint256 amount, address to, address other) external {
        uint256 short = _shorts[seriesId][msg.sender];
        uint256 long = _longs[msg.sender][seriesId];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        closePosition(seriesId, amount, to);
        assert(amount <= short && amount <= long);
        assert(_shorts[seriesId][msg.sender] == short - amount);
        assert(_longs[msg.sender][seriesId] == long - amount);
        assert(other == msg.sender || _shorts[seriesId][other] == shorts);
        assert(other == msg.sender || _longs[other][seriesId] == longs);
    }

    /// @dev No short is more than the open interest, the sum of all shorts until the first claim.
    function closeCountsDown(uint256 seriesId, uint256 amount, address to) external {
        SeriesWord word = _series[seriesId];
        require(_shorts[seriesId][msg.sender] <= word.openInterest());
        closePosition(seriesId, amount, to);
        assert(_series[seriesId].openInterest() == word.openInterest() - amount);
        assert(_series[seriesId].maxPayoff() == word.maxPayoff());
    }

    function closeForPaysItsAccount(uint256 seriesId, address account, uint256 amount) external {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        uint256 short = _shorts[seriesId][account];
        uint256 long = _longs[account][seriesId];
        closeFor(seriesId, account, amount);
        unchecked {
            assert(_paid == amount * word.maxPayoff());
        }
        assert(msg.sender == settlement && (_paid == 0 || _recipient == account));
        assert(_shorts[seriesId][account] == short - amount);
        assert(_longs[account][seriesId] == long - amount);
    }

    function sellMovesLongsAlone(address seller, address buyer, uint256 seriesId, uint256 amount, address other)
        external
    {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        uint256 sold = _longs[seller][seriesId];
        uint256 bought = _longs[buyer][seriesId];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        sellLongs(seller, buyer, seriesId, amount);
        assert(_received == 0 && _paid == 0);
        assert(seller == buyer || _longs[seller][seriesId] == sold - amount);
        assert(seller == buyer ? _longs[buyer][seriesId] == bought : _longs[buyer][seriesId] == bought + amount);
        assert(other == seller || other == buyer || _longs[other][seriesId] == longs);
        assert(_shorts[seriesId][other] == shorts);
        assert(SeriesWord.unwrap(_series[seriesId]) == SeriesWord.unwrap(word));
    }

    function moveMovesShortsAlone(
        address to,
        uint256 seriesId,
        uint256 amount,
        uint256 deadline,
        bytes calldata signature,
        address other
    ) external {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        uint256 given = _shorts[seriesId][msg.sender];
        uint256 taken = _shorts[seriesId][to];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        moveShort(to, seriesId, amount, deadline, signature);
        assert(_received == 0 && _paid == 0 && amount <= given);
        unchecked {
            assert(to == msg.sender || _shorts[seriesId][msg.sender] == given - amount);
            assert(_shorts[seriesId][to] == (to == msg.sender ? taken : taken + amount));
        }
        assert(other == to || other == msg.sender || _shorts[seriesId][other] == shorts);
        assert(_longs[other][seriesId] == longs);
        assert(SeriesWord.unwrap(_series[seriesId]) == SeriesWord.unwrap(word));
    }

    function holderIsPaidWhatItIsOwed(uint256 seriesId, uint256 amount, address to, address other) external {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        uint256 each = _payoffAt(word, _fixing(word).resolutionBps());
        uint256 long = _longs[msg.sender][seriesId];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        claimHolderPayoutTo(seriesId, amount, to);
        unchecked {
            assert(_paid == amount * each);
        }
        assert(_received == 0 && (_paid == 0 || _recipient == to));
        assert(_longs[msg.sender][seriesId] == long - amount);
        assert(other == msg.sender || _longs[other][seriesId] == longs);
        assert(_shorts[seriesId][other] == shorts);
        assert(SeriesWord.unwrap(_series[seriesId]) == SeriesWord.unwrap(word));
    }

    function writerIsPaidWhatItIsOwed(uint256 seriesId, address to, address other) external {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        uint256 each = _payoffAt(word, _fixing(word).resolutionBps());
        uint256 left = word.maxPayoff() - each;
        uint256 short = _shorts[seriesId][msg.sender];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        claimWriterCollateralTo(seriesId, to);
        unchecked {
            assert(_paid == short * left);
        }
        assert(_received == 0 && (_paid == 0 || _recipient == to));
        assert(_shorts[seriesId][msg.sender] == 0);
        assert(other == msg.sender || _shorts[seriesId][other] == shorts);
        assert(_longs[other][seriesId] == longs);
        assert(SeriesWord.unwrap(_series[seriesId]) == SeriesWord.unwrap(word));
    }

    /// @dev Longs and shorts are each at most 2^68 - 1, so that the sum does not wrap.
    function accountIsPaidWhatItIsOwed(address account, uint256 seriesId) external {
        require(_received == 0 && _paid == 0);
        SeriesWord word = _series[seriesId];
        uint256 each = _payoffAt(word, _fixing(word).resolutionBps());
        uint256 left = word.maxPayoff() - each;
        uint256 long = _longs[account][seriesId];
        uint256 short = _shorts[seriesId][account];
        require(long < 1 << 68 && short < 1 << 68);
        claimAllFor(account, seriesId);
        unchecked {
            assert(_paid == long * each + short * left);
        }
        assert(_received == 0 && (_paid == 0 || _recipient == account));
    }

    function accountLosesItsOptionsAlone(address account, uint256 seriesId, address other) external {
        SeriesWord word = _series[seriesId];
        uint256 shorts = _shorts[seriesId][other];
        uint256 longs = _longs[other][seriesId];
        claimAllFor(account, seriesId);
        assert(_longs[account][seriesId] == 0 && _shorts[seriesId][account] == 0);
        assert(other == account || _shorts[seriesId][other] == shorts);
        assert(other == account || _longs[other][seriesId] == longs);
        assert(SeriesWord.unwrap(_series[seriesId]) == SeriesWord.unwrap(word));
    }
}
