// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {Market} from "./Market.sol";

/// @title Pricing
/// @notice These actions give series their prices and take them back.
abstract contract Pricing is Market {
    function settleByAttestation(uint128 seed, uint16 resolutionBps, address relayer) external {
        attest(attestableBook(seed), uint16(bound(resolutionBps, 0, 100)), seed % 1000, relayer);
        replenish();
        ++done["settleByAttestation"];
    }

    /// @dev Two at once, and one that has a price already and is passed over.
    function settleMany(uint128 seed, uint8 price) external {
        uint256 first = attestableBook(seed);
        uint256 second = attestableBook(seed >> 16);
        if (signer == address(0)) appointSigner(seed);
        IServiceCore.Attestation[] memory attestations = new IServiceCore.Attestation[](3);
        bytes[] memory signatures = new bytes[](3);
        uint256[3] memory indexes = [first, second, first];
        for (uint256 i = 0; i < 3; ++i) {
            uint16 resolutionBps = uint16((price + i) % 101);
            attestations[i] =
                IServiceCore.Attestation(books[indexes[i]].seriesId, resolutionBps, block.timestamp + 1 days);
            bytes32 digest = core.hashAttestation(attestations[i].seriesId, resolutionBps, attestations[i].validUntil);
            signatures[i] = sign(signerKey, digest);
        }
        core.settleMany(attestations, signatures);
        bookPrice(first, price % 101, block.timestamp + window);
        if (second != first) bookPrice(second, (uint256(price) + 1) % 101, block.timestamp + window);
        replenish();
        ++done["settleMany"];
    }

    function settleByHand(uint128 seed, uint16 resolutionBps) external {
        priceByHand(expiredBook(seed), uint16(bound(resolutionBps, 0, 100)));
        replenish();
        ++done["settleByHand"];
    }

    /// @dev Announced by the owner, and overtaken by the signer or lapsed.
    function announceInVain(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        uint256 id = books[index].seriesId;
        if (signer == address(0)) appointSigner(seed);
        passTo(books[index].expiry + 3 days);
        vm.prank(owner);
        core.proposeManual(id, uint16(bound(resolutionBps, 0, 100)));
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

    /// @dev The market's own payouts settle the series if the signer is revoked or does not attest.
    function settleFromCondition(uint128 seed, uint64 first, uint64 second, address anybody) external {
        uint256 index = expiredBook(seed);
        Book memory book = books[index];
        uint256 earliest = book.expiry + 30 days;
        if (signer == address(0)) {
            uint256 since = vacantSince > book.expiry ? vacantSince : book.expiry;
            if (since + 7 days < earliest) earliest = since + 7 days;
        }
        if (first == 0 && second == 0) first = 1;
        conditions.report(book.conditionId, first, second);
        if (block.timestamp < earliest) {
            passTo(earliest - 1);
            vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, earliest, earliest - 1));
            core.settleFromCondition(termsOf(book), address(usd));
            passTo(earliest);
        }
        vm.prank(anybody);
        core.settleFromCondition(termsOf(book), address(usd));
        bool isFirst = book.token == conditions.tokenOf(book.conditionId, address(usd), 1);
        uint256 numerator = isFirst ? first : second;
        bookPrice(index, (200 * numerator + uint256(first) + second) / (2 * (uint256(first) + second)), block.timestamp);
        replenish();
        ++done["settleFromCondition"];
    }

    /// @dev A price that is not final is taken back, and no attestation counts from then on.
    function veto(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        uint256 id = books[index].seriesId;
        attest(index, uint16(bound(resolutionBps, 0, 100)), 0, address(this));
        if (window == 0 || seed & 7 == 0) {
            passTo(books[index].finalAt);
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, id, books[index].finalAt));
            vm.prank(guardian);
            core.vetoSeries(id);
        } else {
            passTo(block.timestamp + seed % window);
            vm.prank(guardian);
            core.vetoSeries(id);
            bookVeto(index);
            bytes memory signature = sign(signerKey, core.hashAttestation(id, 50, block.timestamp));
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationsVetoed.selector, id));
            core.settleWithAttestation(id, 50, block.timestamp, signature);
        }
        replenish();
        ++done["veto"];
    }

    /// @dev Two series of one market and expiry get two prices; what is not final of that is taken back.
    function contradict(uint128 seed, uint16 price, address anybody) external {
        (uint256 first, uint256 second) = siblings(seed);
        passTo(books[first].expiry);
        price = uint16(bound(price, 0, 100));
        attest(first, price, 0, address(this));
        if (seed & 1 == 0) passTo(block.timestamp + seed % (window + 2));
        attest(second, seed & 2 == 0 ? (price + 1) % 101 : price, 0, address(this));
        (Book memory a, Book memory b) = (books[first], books[second]);
        if (a.resolutionBps == b.resolutionBps) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PricesAgree.selector, a.seriesId, b.seriesId, price));
        } else if (isFinal(a) && isFinal(b)) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceFinal.selector, a.seriesId, a.finalAt));
        } else {
            if (!isFinal(a)) bookVeto(first);
            if (!isFinal(b)) bookVeto(second);
        }
        vm.prank(anybody);
        core.contradict(termsOf(a), termsOf(b));
        replenish();
        ++done["contradict"];
    }

    function refuseSecondResolution(uint128 seed, uint16 resolutionBps) external {
        uint256 index = attestableBook(seed);
        attest(index, uint16(bound(resolutionBps, 0, 100)), 0, address(this));
        uint256 id = books[index].seriesId;
        bytes memory reason =
            abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, id, uint16(books[index].resolutionBps));
        bytes memory signature = sign(signerKey, core.hashAttestation(id, resolutionBps % 101, block.timestamp));
        vm.expectRevert(reason);
        core.settleWithAttestation(id, resolutionBps % 101, block.timestamp, signature);
        vm.expectRevert(reason);
        vm.prank(owner);
        core.proposeManual(id, 50);
        vm.expectRevert(reason);
        core.settleFromCondition(termsOf(books[index]), address(usd));
        replenish();
        ++done["refuseSecondResolution"];
    }

    /// @dev No one claims before the price is final.
    function refuseEarlyClaim(uint128 seed) external {
        uint256 index = openBook(seed);
        address holder = holderIn(index, seed);
        uint256 id = books[index].seriesId;
        bytes memory reason = hasPrice(books[index])
            ? abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, id, books[index].finalAt)
            : abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, id);
        vm.expectRevert(reason);
        vm.prank(holder);
        core.claimHolderPayout(id, 1);
        vm.expectRevert(reason);
        vm.prank(holder);
        core.claimWriterCollateral(id);
        vm.expectRevert(reason);
        core.claimAllFor(holder, id);
        ++done["refuseEarlyClaim"];
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

    /// @dev Two series of one market and expiry that attestations can settle, made when there are none.
    function siblings(uint256 seed) private returns (uint256, uint256) {
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (hasPrice(books[index]) || books[index].vetoed) continue;
            for (uint256 j = 0; j < books.length; ++j) {
                if (j == index || books[j].conditionId != books[index].conditionId) continue;
                if (!hasPrice(books[j]) && !books[j].vetoed) return (index, j);
            }
        }
        openMarket();
        return (books.length - 1, books.length - 2);
    }
}
