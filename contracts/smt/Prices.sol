// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord} from "../src/FixingWord.sol";
import {IRoles} from "../src/IRoles.sol";
import {PriceFunctions} from "./PriceFunctions.sol";

/// @title PriceProofs
/// @notice A price that is final stays final, and the same, whatever is called and however much time passes. From any state.
contract PriceProofs is PriceFunctions {
    /// @dev A fixing as calls leave it: final where there is a price, and from its time on. Each call keeps this, too.
    function _fixingBefore(uint256 number) private view returns (FixingWord fixing) {
        fixing = _fixings[number];
        require(_isWhole(fixing) && _time > 0 && _time < type(uint40).max);
    }

    function _isWhole(FixingWord fixing) private view returns (bool) {
        return !fixing.isFinal() || (fixing.hasPrice() && _isFinal(fixing));
    }

    function _isKept(FixingWord fixing, uint256 number) private view returns (bool) {
        FixingWord changed = _fixings[number];
        return _counts(changed) && _isFinal(changed) && changed.resolutionBps() == fixing.resolutionBps();
    }

    function timeKeepsFinal(uint256 number, uint256 later) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        require(later >= _time);
        _time = later;
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function attestationKeepsFinal(
        uint256 number,
        uint256 seriesId,
        uint16 resolutionBps,
        uint256 validUntil,
        bytes calldata signature
    ) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        settleWithAttestation(seriesId, resolutionBps, validUntil, signature);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function vetoKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        vetoSeries(seriesId);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function manualVetoKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        vetoManual(seriesId);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function announcementKeepsFinal(uint256 number, uint256 seriesId, uint16 resolutionBps) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        proposeManual(seriesId, resolutionBps);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function manualPriceKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        executeManual(seriesId);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function lastResortKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        settleFromCondition(seriesId);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function claimKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        _finalPrice(seriesId);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    function revocationKeepsFinal(uint256 number, IRoles.Role role, address account) external {
        FixingWord fixing = _fixingBefore(number);
        bool wasFinal = _counts(fixing) && _isFinal(fixing);
        removeFromRole(role, account);
        assert(!wasFinal || _isKept(fixing, number));
        assert(wasFinal || _isWhole(_fixings[number]));
    }

    /// @dev Any price: of the signer, the owner or the market.
    function priceIsInRangeAndAfterExpiry(uint256 seriesId, uint16 resolutionBps, uint32 term, uint64 window) external {
        require(_time < 1 << 39 && window <= 7 days);
        _setPrice(seriesId, _series[seriesId], _fixing(_series[seriesId]), resolutionBps, term, window);
        FixingWord priced = _fixing(_series[seriesId]);
        assert(_time >= _series[seriesId].expiry());
        assert(priced.resolutionBps() == resolutionBps && priced.resolutionBps() <= 100);
        assert(priced.finalAt() == _time + window && priced.signerTerm() == term);
    }

    /// @dev Two prices of one fixing: the second finds the first, unless it was vetoed or its signer revoked before it was final.
    function claimFindsAFinalPrice(uint256 seriesId) external {
        FixingWord fixing = _fixing(_series[seriesId]);
        require(_isWhole(fixing));
        (, uint256 resolutionBps) = _finalPrice(seriesId);
        assert(fixing.hasPrice() && resolutionBps == fixing.resolutionBps());
        assert(_time >= fixing.finalAt());
    }
}
