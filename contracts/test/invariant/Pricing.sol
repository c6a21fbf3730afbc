// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {Market} from "./Market.sol";

/// @title Pricing
/// @notice These actions give fixings their prices and take them back. Each call names any series of the fixing.
abstract contract Pricing is Market {
    function settleByAttestation(uint128 seed, uint16 resolutionBps, address relayer) external {
        attest(attestableBook(seed), uint16(bound(resolutionBps, 0, 100)), seed % 1000, relayer);
        replenish();
        ++done["settleByAttestation"];
    }

    function settleByHand(uint128 seed, uint16 resolutionBps) external {
        priceByHand(expiredBook(seed), uint16(bound(resolutionBps, 0, 100)));
        replenish();
        ++done["settleByHand"];
    }

    /// @dev Announced by the owner, and overtaken by the signer or lapsed.
    function announceInVain(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        uint256 id = books[siblingOf(index, seed >> 8)].seriesId;
        if (signer == address(0)) appointSigner(seed);
        announce(index, uint16(bound(resolutionBps, 0, 100)));
        uint256 lapsesAt = block.timestamp + 72 hours;
        if (seed & 1 == 0) {
            attest(index, uint16(seed % 101), 0, address(this));
            passTo(lapsesAt - seed % 48 hours);
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, id, uint16(seed % 101)));
        } else {
            passTo(lapsesAt + 1);
            vm.expectRevert(abi.encodeWithSelector(IRoles.TooLate.selector, lapsesAt, lapsesAt + 1));
        }
        vm.prank(owner);
        core.executeManual(id);
        replenish();
        ++done["announceInVain"];
    }

    /// @dev The guardian takes an announcement back, once a fixing; then the owner executes nothing.
    function vetoAnnouncement(uint128 seed, uint16 resolutionBps) external {
        uint256 index = expiredBook(seed);
        uint256 id = books[siblingOf(index, seed >> 8)].seriesId;
        bool isUsed = fixingBy(books[index].fixing).manualVetoed;
        announce(index, uint16(bound(resolutionBps, 0, 100)));
        passTo(block.timestamp + seed % 72 hours);
        if (isUsed) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.ManualVetoUsed.selector, id));
            vm.prank(guardian);
            core.vetoManual(id);
        } else {
            vm.prank(guardian);
            core.vetoManual(id);
            bookManualVeto(index);
            bytes memory reason = abi.encodeWithSelector(IServiceCore.ManualProposalMissing.selector, id);
            vm.expectRevert(reason);
            vm.prank(owner);
            core.executeManual(id);
            vm.expectRevert(reason);
            vm.prank(guardian);
            core.vetoManual(id);
        }
        replenish();
        ++done["vetoAnnouncement"];
    }

    /// @dev The market's own payouts settle the series if the signer is revoked, does not attest, or the owner was vetoed.
    function settleFromCondition(uint128 seed, uint64 first, uint64 second, address anybody) external {
        uint256 index = expiredBook(seed);
        Book memory book = books[siblingOf(index, seed >> 8)];
        uint256 earliest = lastResortFrom(book.fixing);
        if (first == 0 && second == 0) first = 1;
        conditions.report(book.conditionId, first, second);
        if (block.timestamp < earliest) {
            passTo(earliest - 1);
            vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, earliest, earliest - 1));
            core.settleFromCondition(termsOf(book));
            passTo(earliest);
        }
        vm.prank(anybody);
        core.settleFromCondition(termsOf(book));
        bool isFirst = book.token == conditions.tokenOf(book.conditionId, address(usd), 1);
        uint256 numerator = isFirst ? first : second;
        uint256 price = (200 * numerator + uint256(first) + second) / (2 * (uint256(first) + second));
        bookPrice(index, price, block.timestamp, 0);
        replenish();
        ++done["settleFromCondition"];
    }

    /// @dev A price that is not final is taken back, and no attestation counts from then on.
    function veto(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        uint256 id = books[siblingOf(index, seed >> 8)].seriesId;
        attest(index, uint16(bound(resolutionBps, 0, 100)), 0, address(this));
        if (window == 0 || seed & 7 == 0) {
            passTo(finalAtOf(index));
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, id, finalAtOf(index)));
            vm.prank(guardian);
            core.vetoSeries(id);
        } else {
            passTo(block.timestamp + seed % window);
            vm.prank(guardian);
            core.vetoSeries(id);
            bookVeto(index);
            refuseAttestation(
                books[index].seriesId,
                abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, books[index].seriesId)
            );
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, id));
            vm.prank(guardian);
            core.vetoSeries(id);
        }
        replenish();
        ++done["veto"];
    }

    /// @dev The signer is revoked in the window, at its end or after it; what it booked stays if it was final by then, and the
    /// next signer prices what did not.
    function revokeAfterPrice(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        resolutionBps = uint16(bound(resolutionBps, 0, 100));
        attest(index, resolutionBps, 0, address(this));
        uint256[4] memory moments = [block.timestamp, block.timestamp + seed % (window + 1), 0, finalAtOf(index)];
        moments[2] = finalAtOf(index) == block.timestamp ? block.timestamp : finalAtOf(index) - 1;
        passTo(moments[seed >> 8 & 3]);
        revoke();
        uint256 id = books[siblingOf(index, seed >> 16)].seriesId;
        if (hasPrice(books[index])) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, id, finalAtOf(index)));
        } else {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, id));
        }
        vm.prank(guardian);
        core.vetoSeries(id);
        if (seed & 1 == 0) {
            appointSigner(seed);
            if (!hasPrice(books[index])) attest(index, (resolutionBps + 1) % 101, 0, address(this));
        }
        replenish();
        ++done["revokeAfterPrice"];
    }

    /// @dev A signer that is replaced, and not revoked, leaves what it booked: the end of the next term changes nothing of that.
    function replaceAfterPrice(uint128 seed, uint16 resolutionBps) external {
        if (signer == address(0)) appointSigner(seed);
        uint256 index = attestableBook(seed);
        (address next, uint256 key) = proposeSigner(seed);
        passTo(block.timestamp + 3 days);
        attest(index, uint16(bound(resolutionBps, 0, 100)), 0, address(this));
        takeOver(next, key);
        if (seed & 1 == 0) revoke();
        replenish();
        ++done["replaceAfterPrice"];
    }

    /// @dev A fixing has one price, whichever of its series is asked for another.
    function refuseSecondResolution(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        resolutionBps = uint16(bound(resolutionBps, 0, 100));
        attest(index, resolutionBps, 0, address(this));
        Book memory sibling = books[siblingOf(index, seed >> 8)];
        uint256 id = sibling.seriesId;
        bytes memory reason = abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, id, resolutionBps);
        refuseAttestation(id, reason);
        vm.expectRevert(reason);
        vm.prank(owner);
        core.proposeManual(id, 50);
        vm.expectRevert(reason);
        vm.prank(guardian);
        core.vetoManual(id);
        vm.expectRevert(reason);
        core.settleFromCondition(termsOf(sibling));
        replenish();
        ++done["refuseSecondResolution"];
    }

    /// @dev No one claims before the price is final.
    function refuseEarlyClaim(uint128 seed) external {
        uint256 index = openBook(seed);
        address holder = holderIn(index, seed);
        uint256 id = books[index].seriesId;
        bytes memory reason = hasPrice(books[index])
            ? abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, id, finalAtOf(index))
            : abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, id);
        vm.expectRevert(reason);
        vm.prank(holder);
        core.claimHolderPayout(id, 1);
        vm.expectRevert(reason);
        vm.prank(holder);
        core.claimWriterCollateral(id);
        vm.expectRevert(reason);
        core.claimAllFor(holder, id);
        vm.expectRevert(reason);
        core.payoff(id);
        ++done["refuseEarlyClaim"];
    }

    /// @dev Owner or guardian revokes at once; the same account is never appointed again.
    function revokeSigner(uint128 seed) external {
        if (signer == address(0)) appointSigner(seed);
        revoke();
        replenish();
        ++done["revokeSigner"];
    }

    function refuseAttestation(uint256 id, bytes memory reason) private {
        bytes memory signature = attestation(id, 50, block.timestamp);
        vm.expectRevert(reason);
        core.settleWithAttestation(id, 50, block.timestamp, signature);
    }

    /// @dev A series with holders and without a final price, trading one when there is none.
    function openBook(uint256 seed) private returns (uint256 index) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            if (books[index].longs > 0 && !isFinal(books[index])) return index;
        }
        index = liveBook(seed);
        fillOne(index, orderFor(index, seed, seed, seed, true));
    }
}
