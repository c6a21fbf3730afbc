// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {OptionMath} from "./OptionMath.sol";

/// @notice A series in one storage word, from the low end: expiry 64 bits, strikeBps 16, optionType 8, resolutionBps 8,
/// settled 8, halted 8, unused 16, openInterest 128. One read tells all, one write changes any of it; zero is a series
/// that was never created, since no expiry is zero.
type SeriesWord is uint256;

using SeriesWords for SeriesWord global;

/// @title Reading and rewriting a SeriesWord
library SeriesWords {
    uint256 private constant STRIKE_AT = 64;
    uint256 private constant TYPE_AT = 80;
    uint256 private constant RESOLUTION_AT = 88;
    uint256 private constant SETTLED = 1 << 96;
    uint256 private constant HALTED = 1 << 104;
    uint256 private constant OPEN_INTEREST_AT = 128;

    function create(uint64 expiry_, uint16 strikeBps, uint8 optionType) internal pure returns (SeriesWord) {
        return SeriesWord.wrap(expiry_ | uint256(strikeBps) << STRIKE_AT | uint256(optionType) << TYPE_AT);
    }

    function exists(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) != 0;
    }

    function expiry(SeriesWord word) internal pure returns (uint64) {
        return uint64(SeriesWord.unwrap(word));
    }

    function isSettled(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & SETTLED != 0;
    }

    function isHalted(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & HALTED != 0;
    }

    function resolutionBps(SeriesWord word) internal pure returns (uint8) {
        return uint8(SeriesWord.unwrap(word) >> RESOLUTION_AT);
    }

    function openInterest(SeriesWord word) internal pure returns (uint256) {
        return SeriesWord.unwrap(word) >> OPEN_INTEREST_AT;
    }

    /// @notice The most one option can pay, in micro-dollars.
    function maxPayoff(SeriesWord word) internal pure returns (uint256) {
        return OptionMath.maxPayoff(_optionType(word), _strikeBps(word));
    }

    /// @notice What one option pays at the word's resolution, in micro-dollars; meaningful once settled.
    function payoff(SeriesWord word) internal pure returns (uint256) {
        return OptionMath.payoff(_optionType(word), _strikeBps(word), resolutionBps(word));
    }

    /// @dev The caller has checked that the sum stays within 128 bits.
    function withMore(SeriesWord word, uint256 amount) internal pure returns (SeriesWord) {
        unchecked {
            return SeriesWord.wrap(SeriesWord.unwrap(word) + (amount << OPEN_INTEREST_AT));
        }
    }

    /// @dev The caller has checked that the open interest is at least `amount`.
    function withLess(SeriesWord word, uint256 amount) internal pure returns (SeriesWord) {
        unchecked {
            return SeriesWord.wrap(SeriesWord.unwrap(word) - (amount << OPEN_INTEREST_AT));
        }
    }

    /// @dev The caller has checked that the word is not settled yet and the resolution is at most 100.
    function withResolution(SeriesWord word, uint16 resolution) internal pure returns (SeriesWord) {
        return SeriesWord.wrap(SeriesWord.unwrap(word) | SETTLED | uint256(resolution) << RESOLUTION_AT);
    }

    function withHalt(SeriesWord word, bool halted) internal pure returns (SeriesWord) {
        uint256 bits = SeriesWord.unwrap(word);
        return SeriesWord.wrap(halted ? bits | HALTED : bits & ~HALTED);
    }

    function unpack(SeriesWord word) internal pure returns (IServiceCore.Series memory) {
        return IServiceCore.Series({
            expiry: expiry(word),
            strikeBps: uint16(_strikeBps(word)),
            optionType: uint8(_optionType(word)),
            resolutionBps: resolutionBps(word),
            settled: isSettled(word),
            halted: isHalted(word),
            openInterest: uint128(openInterest(word))
        });
    }

    function _strikeBps(SeriesWord word) private pure returns (uint256) {
        return uint16(SeriesWord.unwrap(word) >> STRIKE_AT);
    }

    function _optionType(SeriesWord word) private pure returns (uint256) {
        return uint8(SeriesWord.unwrap(word) >> TYPE_AT);
    }
}
