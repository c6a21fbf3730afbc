// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "../src/OptionMath.sol";
import {PackageLegs} from "../src/PackageLegs.sol";
import {SeriesWord, SeriesWords} from "../src/SeriesWord.sol";

/// @title SeriesWordProofs
/// @notice As FixingWordProofs, for the word of a series.
contract SeriesWordProofs {
    /// @dev Everything below the open interest.
    uint256 private constant FIXED = (1 << 188) - 1;
    uint256 private constant HALTED = 1 << 72;

    /// @dev Collateral is a whole number of ten-thousandths of $1, as `collateralIsWhole` of PayoffProofs shows.
    function createOption(
        uint40 expiry,
        uint32 fixing,
        bool isCapped,
        uint8 optionType,
        uint16 strikeBps,
        uint16 mostUnits
    ) external pure {
        require(expiry != 0 && optionType <= OptionMath.PUT && strikeBps > 0 && strikeBps < OptionMath.STRIKE_ONE);
        uint256 packed = PackageLegs.one(optionType, strikeBps);
        int256 most = int256(uint256(mostUnits)) * 100;
        SeriesWord word = SeriesWords.create(expiry, fixing, isCapped, packed, 0, most);
        assert(word.exists() && word.expiry() == expiry && word.fixing() == fixing && word.isCapped() == isCapped);
        assert(!word.isPackage() && word.kind() == optionType && word.strikeBps() == strikeBps);
        assert(word.floorValue() == 0 && int256(word.maxPayoff()) == most);
        assert(!word.isHalted() && word.openInterest() == 0);
    }

    /// @dev A leg is worth at most $1, and a package has 4 x 4 of them.
    function createPackage(
        uint40 expiry,
        uint32 fixing,
        bool isCapped,
        uint72 packed,
        int24 floorUnits,
        int24 mostUnits
    ) external pure {
        require(expiry != 0 && packed >> 18 != 0);
        require(floorUnits >= -160_000 && floorUnits <= mostUnits && mostUnits <= 160_000);
        int256 floor = int256(floorUnits) * 100;
        int256 most = int256(mostUnits) * 100;
        SeriesWord word = SeriesWords.create(expiry, fixing, isCapped, packed, floor, most);
        assert(word.exists() && word.expiry() == expiry && word.fixing() == fixing && word.isCapped() == isCapped);
        assert(word.isPackage() && word.kind() == PackageLegs.PACKAGE && word.strikeBps() == 0);
        assert((SeriesWord.unwrap(word) >> 76 & type(uint72).max) == packed);
        assert(word.floorValue() == floor);
        assert(!word.isHalted() && word.openInterest() == 0);
    }

    function createPackageKeepsSpan(uint40 expiry, uint32 fixing, uint72 packed, int32 floor, uint24 span)
        external
        pure
    {
        require(floor >= -16_000_000 && floor <= 16_000_000 && span <= 320_000);
        int256 most = int256(floor) + int256(uint256(span)) * 100;
        SeriesWord word = SeriesWords.create(expiry, fixing, false, packed, floor, most);
        assert(word.maxPayoff() == uint256(span) * 100);
    }

    function withMore(SeriesWord word, uint256 amount) external pure {
        require(amount <= SeriesWords.MAX_OPEN_INTEREST - word.openInterest());
        SeriesWord changed = word.withMore(amount);
        assert(changed.openInterest() == word.openInterest() + amount);
        assert(SeriesWord.unwrap(changed) & FIXED == SeriesWord.unwrap(word) & FIXED);
    }

    function withLess(SeriesWord word, uint256 amount) external pure {
        require(amount <= word.openInterest());
        SeriesWord changed = word.withLess(amount);
        assert(changed.openInterest() == word.openInterest() - amount);
        assert(SeriesWord.unwrap(changed) & FIXED == SeriesWord.unwrap(word) & FIXED);
    }

    function withHalt(SeriesWord word, bool halted) external pure {
        SeriesWord changed = word.withHalt(halted);
        assert(changed.isHalted() == halted);
        assert(SeriesWord.unwrap(changed) & ~HALTED == SeriesWord.unwrap(word) & ~HALTED);
    }
}
