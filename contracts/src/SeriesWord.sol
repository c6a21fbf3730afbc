// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "./OptionMath.sol";
import {PackageLegs} from "./PackageLegs.sol";

/// @notice A series is one storage word, from the low end: expiry 40 bits, fixing 32, flags 4, legs 72, floor 20 (signed),
/// maxPayoff 20, openInterest 68. One read returns all of it, and one write changes any of it. Zero is a series that was never
/// created, since no expiry is zero. A call or put is one leg of quantity 1, whose floor is 0. Floor and maxPayoff are in
/// ten-thousandths of $1, as strikes are. The word has no price: the fixing keeps it, once for all its series.
type SeriesWord is uint256;

using SeriesWords for SeriesWord global;

/// @title SeriesWords
/// @notice These functions read a SeriesWord and return changed ones.
library SeriesWords {
    uint256 private constant FIXING_AT = 40;
    uint256 private constant HALTED = 1 << 72;
    uint256 private constant CAPPED = 1 << 73;
    uint256 private constant PACKAGE = 1 << 74;
    uint256 private constant LEGS_AT = 76;
    uint256 private constant LEGS_MASK = (1 << 72) - 1;
    uint256 private constant FLOOR_AT = 148;
    uint256 private constant MAX_PAYOFF_AT = 168;
    uint256 private constant OPEN_INTEREST_AT = 188;
    uint256 private constant PAYOFF_MASK = (1 << 20) - 1;

    /// @dev A strike and a payoff count this many micro-dollars.
    int256 private constant MICRO_PER_UNIT = 100;

    /// @notice The open interest of a series is at most this.
    uint256 internal constant MAX_OPEN_INTEREST = (1 << 68) - 1;

    /// @param fixing_ Number of the fixing.
    /// @param isCapped_ Whether the fixing has a cap.
    /// @param packed Legs as `PackageLegs.pack` returns them.
    /// @param floor The least that the legs can be worth together, in micro-dollars.
    /// @param most The most that they can be worth together, in micro-dollars.
    function create(uint64 expiry_, uint256 fixing_, bool isCapped_, uint256 packed, int256 floor, int256 most)
        internal
        pure
        returns (SeriesWord)
    {
        return SeriesWord.wrap(
            expiry_ | fixing_ << FIXING_AT | (isCapped_ ? CAPPED : 0) | (PackageLegs.isOne(packed) ? 0 : PACKAGE)
                | packed << LEGS_AT | (uint256(floor / MICRO_PER_UNIT) & PAYOFF_MASK) << FLOOR_AT
                | uint256((most - floor) / MICRO_PER_UNIT) << MAX_PAYOFF_AT
        );
    }

    function exists(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) != 0;
    }

    function expiry(SeriesWord word) internal pure returns (uint64) {
        return uint40(SeriesWord.unwrap(word));
    }

    /// @return Number of the fixing that has the price.
    function fixing(SeriesWord word) internal pure returns (uint256) {
        return uint32(SeriesWord.unwrap(word) >> FIXING_AT);
    }

    function isHalted(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & HALTED != 0;
    }

    /// @return Whether what the series may owe counts against the cap of its fixing.
    function isCapped(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & CAPPED != 0;
    }

    function isPackage(SeriesWord word) internal pure returns (bool) {
        return SeriesWord.unwrap(word) & PACKAGE != 0;
    }

    /// @return Legs as in `createPackage`; one of quantity 1 for a call or put.
    function legs(SeriesWord word) internal pure returns (uint256) {
        return PackageLegs.unpack(SeriesWord.unwrap(word) >> LEGS_AT & LEGS_MASK);
    }

    /// @return 0 call, 1 put, 2 package.
    function kind(SeriesWord word) internal pure returns (uint8) {
        return isPackage(word) ? PackageLegs.PACKAGE : PackageLegs.optionTypeOf(SeriesWord.unwrap(word) >> LEGS_AT);
    }

    /// @return Strike of a call or put in ten-thousandths of $1; 0 for a package.
    function strikeBps(SeriesWord word) internal pure returns (uint16) {
        return isPackage(word) ? 0 : PackageLegs.strikeOf(SeriesWord.unwrap(word) >> LEGS_AT);
    }

    /// @return The least that the legs can be worth together, in micro-dollars; 0 for a call or put.
    function floorValue(SeriesWord word) internal pure returns (int256) {
        unchecked {
            return (int256(SeriesWord.unwrap(word) << 88) >> 236) * MICRO_PER_UNIT;
        }
    }

    /// @return Largest payoff of one option, in micro-dollars.
    function maxPayoff(SeriesWord word) internal pure returns (uint256) {
        unchecked {
            return (SeriesWord.unwrap(word) >> MAX_PAYOFF_AT & PAYOFF_MASK) * uint256(MICRO_PER_UNIT);
        }
    }

    function openInterest(SeriesWord word) internal pure returns (uint256) {
        return SeriesWord.unwrap(word) >> OPEN_INTEREST_AT;
    }

    /// @param resolutionBps Price in hundredths of $1, 0..100.
    /// @return Payoff of one option at that price, in micro-dollars.
    function payoffAt(SeriesWord word, uint256 resolutionBps) internal pure returns (uint256) {
        if (isPackage(word)) {
            unchecked {
                return uint256(PackageLegs.valueAt(legs(word), resolutionBps) - floorValue(word));
            }
        }
        uint256 leg = SeriesWord.unwrap(word) >> LEGS_AT;
        return OptionMath.payoff(PackageLegs.optionTypeOf(leg), PackageLegs.strikeOf(leg), resolutionBps);
    }

    /// @dev The caller has checked that the sum is at most `MAX_OPEN_INTEREST`.
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

    function withHalt(SeriesWord word, bool halted) internal pure returns (SeriesWord) {
        uint256 bits = SeriesWord.unwrap(word);
        return SeriesWord.wrap(halted ? bits | HALTED : bits & ~HALTED);
    }
}
