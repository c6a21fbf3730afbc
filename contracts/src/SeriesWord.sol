// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";

/// @notice A series is one storage word, from the low end: expiry 40 bits, strikeBps 16, kind 8, cap exponent 8, flags 8,
/// resolutionBps 8, finalAt 40, maxPayoff 24, payoff 24, openInterest 80. One read returns all of it, and one write changes any
/// of it. Zero is a series that was never created, since no expiry is zero. A series has a price when `finalAt` is not zero.
/// The word contains the payoffs, so that only creation and settlement use type and strike.
type SeriesWord is uint256;

using SeriesWords for SeriesWord global;

/// @title SeriesWords
/// @notice These functions read a SeriesWord and return changed ones.
library SeriesWords {
    uint256 private constant STRIKE_AT = 40;
    uint256 private constant KIND_AT = 56;
    uint256 private constant CAP_AT = 64;
    uint256 private constant HALTED = 1 << 72;
    uint256 private constant VETOED = 1 << 73;
    uint256 private constant RESOLUTION_AT = 80;
    uint256 private constant FINAL_AT = 88;
    uint256 private constant MAX_PAYOFF_AT = 128;
    uint256 private constant PAYOFF_AT = 152;
    uint256 private constant OPEN_INTEREST_AT = 176;

    /// @dev A price sets resolutionBps, finalAt and payoff, and its veto clears them.
    uint256 private constant PRICE =
        0xff << RESOLUTION_AT | uint256(type(uint40).max) << FINAL_AT | 0xffffff << PAYOFF_AT;

    /// @param capExponent The open interest is capped at 2^capExponent; 0 for no cap.
    /// @param mostPaid Largest payoff of one option, in micro-dollars.
    function create(uint64 expiry_, uint16 strikeBps_, uint8 kind_, uint8 capExponent, uint256 mostPaid)
        internal
        pure
        returns (SeriesWord)
    {
        return SeriesWord.wrap(
            expiry_ | uint256(strikeBps_) << STRIKE_AT | uint256(kind_) << KIND_AT | uint256(capExponent) << CAP_AT
                | mostPaid << MAX_PAYOFF_AT
        );
    }

    function exists(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) != 0;
    }

    function expiry(SeriesWord word) internal pure returns (uint64) {
        return uint40(SeriesWord.unwrap(word));
    }

    /// @return Strike of a call or put in ten-thousandths of $1; 0 for a package.
    function strikeBps(SeriesWord word) internal pure returns (uint16) {
        return uint16(SeriesWord.unwrap(word) >> STRIKE_AT);
    }

    /// @return 0 call, 1 put, 2 package.
    function kind(SeriesWord word) internal pure returns (uint8) {
        return uint8(SeriesWord.unwrap(word) >> KIND_AT);
    }

    /// @return Whether the series has a price, final or not.
    function isSettled(SeriesWord word) internal pure returns (bool) {
        return finalAt(word) != 0;
    }

    /// @return Whether the series has a price that nothing can change.
    function isFinal(SeriesWord word) internal view returns (bool) {
        // Without a price, one less than zero is later than any time.
        unchecked {
            return uint256(finalAt(word)) - 1 < block.timestamp;
        }
    }

    function isHalted(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & HALTED != 0;
    }

    function isVetoed(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & VETOED != 0;
    }

    function resolutionBps(SeriesWord word) internal pure returns (uint8) {
        return uint8(SeriesWord.unwrap(word) >> RESOLUTION_AT);
    }

    /// @return Unix seconds from which the price is final; 0 without a price.
    function finalAt(SeriesWord word) internal pure returns (uint40) {
        return uint40(SeriesWord.unwrap(word) >> FINAL_AT);
    }

    function openInterest(SeriesWord word) internal pure returns (uint256) {
        return SeriesWord.unwrap(word) >> OPEN_INTEREST_AT;
    }

    /// @return Largest number of options outstanding.
    function openInterestCap(SeriesWord word) internal pure returns (uint256) {
        uint256 exponent = uint8(SeriesWord.unwrap(word) >> CAP_AT);
        return exponent == 0 ? type(uint80).max : 1 << exponent;
    }

    /// @return Largest payoff of one option, in micro-dollars.
    function maxPayoff(SeriesWord word) internal pure returns (uint256) {
        return uint24(SeriesWord.unwrap(word) >> MAX_PAYOFF_AT);
    }

    /// @return Payoff of one option at the price of the series, in micro-dollars; 0 without a price.
    function payoff(SeriesWord word) internal pure returns (uint256) {
        return uint24(SeriesWord.unwrap(word) >> PAYOFF_AT);
    }

    /// @dev The caller has checked that the sum stays within the cap.
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

    /// @dev The caller has checked that there is no price yet, and that the resolution is at most 100.
    /// @param pays Payoff of one option at the resolution, in micro-dollars.
    function withPrice(SeriesWord word, uint16 resolution, uint256 finalAt_, uint256 pays)
        internal
        pure
        returns (SeriesWord)
    {
        return SeriesWord.wrap(
            SeriesWord.unwrap(word) | uint256(resolution) << RESOLUTION_AT | finalAt_ << FINAL_AT | pays << PAYOFF_AT
        );
    }

    /// @return The word without its price, and with attestations refused.
    function vetoed(SeriesWord word) internal pure returns (SeriesWord) {
        return SeriesWord.wrap(SeriesWord.unwrap(word) & ~PRICE | VETOED);
    }

    function withHalt(SeriesWord word, bool halted) internal pure returns (SeriesWord) {
        uint256 bits = SeriesWord.unwrap(word);
        return SeriesWord.wrap(halted ? bits | HALTED : bits & ~HALTED);
    }

    function unpack(SeriesWord word) internal pure returns (IServiceCore.Series memory) {
        return IServiceCore.Series({
            expiry: expiry(word),
            strikeBps: strikeBps(word),
            optionType: kind(word),
            resolutionBps: resolutionBps(word),
            settled: isSettled(word),
            halted: isHalted(word),
            openInterest: uint128(openInterest(word)),
            maxPayoff: uint32(maxPayoff(word)),
            payoff: uint32(payoff(word)),
            finalAt: finalAt(word),
            vetoed: isVetoed(word),
            openInterestCap: uint128(openInterestCap(word))
        });
    }
}
