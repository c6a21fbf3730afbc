// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord} from "../src/FixingWord.sol";
import {IServiceCore} from "../src/IServiceCore.sol";
import {PriceFunctions} from "./PriceFunctions.sol";

/// @title PriceProofs
/// @notice A price that is final stays final, and the same, whatever is called and however much time passes. From any state.
contract PriceProofs is PriceFunctions {
    function _finalFixing(uint256 number) private view returns (FixingWord fixing) {
        fixing = _fixings[number];
        require(_counts(fixing) && _isFinal(fixing) && _time < type(uint40).max);
    }

    function _isKept(uint256 number, FixingWord fixing) private view returns (bool) {
        FixingWord changed = _fixings[number];
        return _counts(changed) && _isFinal(changed) && changed.resolutionBps() == fixing.resolutionBps();
    }

    function timeKeepsFinal(uint256 number, uint256 later) external {
        FixingWord fixing = _finalFixing(number);
        require(later >= _time);
        _time = later;
        assert(_isKept(number, fixing));
    }

    function attestationKeepsFinal(
        uint256 number,
        uint256 seriesId,
        uint16 resolutionBps,
        uint256 validUntil,
        bytes calldata signature
    ) external {
        FixingWord fixing = _finalFixing(number);
        settleWithAttestation(seriesId, resolutionBps, validUntil, signature);
        assert(_isKept(number, fixing));
    }

    function vetoKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _finalFixing(number);
        vetoSeries(seriesId);
        assert(_isKept(number, fixing));
    }

    function manualVetoKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _finalFixing(number);
        vetoManual(seriesId);
        assert(_isKept(number, fixing));
    }

    function announcementKeepsFinal(uint256 number, uint256 seriesId, uint16 resolutionBps) external {
        FixingWord fixing = _finalFixing(number);
        proposeManual(seriesId, resolutionBps);
        assert(_isKept(number, fixing));
    }

    function manualPriceKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _finalFixing(number);
        executeManual(seriesId);
        assert(_isKept(number, fixing));
    }

    function lastResortKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _finalFixing(number);
        settleFromCondition(seriesId);
        assert(_isKept(number, fixing));
    }

    function claimKeepsFinal(uint256 number, uint256 seriesId) external {
        FixingWord fixing = _finalFixing(number);
        _finalPrice(seriesId);
        assert(_isKept(number, fixing));
    }

    function revocationKeepsFinal(uint256 number, uint8 role, address account) external {
        FixingWord fixing = _finalFixing(number);
        require(role <= uint8(Role.Halter));
        removeFromRole(Role(role), account);
        assert(_isKept(number, fixing));
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
        (, uint256 resolutionBps) = _finalPrice(seriesId);
        assert(fixing.hasPrice() && resolutionBps == fixing.resolutionBps());
        assert(fixing.isFinal() || _time >= fixing.finalAt());
    }
}
