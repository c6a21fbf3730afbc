// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title FarNumbersTest
/// @notice Amounts, sums and times far beyond the usual ones stay exact or are refused.
contract FarNumbersTest is World {
    /// @dev More options, and more micro-dollars, than 64 bits hold.
    uint256 private constant MANY = 1 << 66;

    function test_positions_and_payouts_beyond_64_bits_are_exact() external {
        usd.mint(maker, 2 * MANY * 1e6);
        tradeMany(MANY, 0);
        tradeMany(MANY + 1, 1);
        vm.assertEq(core.shortOf(callId, maker), 2 * MANY + 1, "short");
        vm.assertEq(core.balanceOf(taker, callId), 2 * MANY + 1, "long");
        vm.assertEq(seriesOf(callId).openInterest, 2 * MANY + 1, "open interest");
        vm.assertEq(usd.balanceOf(address(core)), (2 * MANY + 1) * 550_000, "locked");
        settle(callId, 60);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 2 * MANY + 1), (2 * MANY + 1) * 150_000, "payout");
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(callId), (2 * MANY + 1) * 400_000, "collateral");
        vm.assertEq(usd.balanceOf(address(core)), 0, "left");
    }

    function test_closing_beyond_64_bits_is_exact() external {
        usd.mint(maker, MANY * 1e6);
        tradeMany(MANY, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, MANY, "");
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, MANY - 1, maker), (MANY - 1) * 550_000, "collateral");
        vm.assertEq(seriesOf(callId).openInterest, 1, "open interest");
        vm.assertEq(core.shortOf(callId, maker), 1, "short");
    }

    function test_collateral_beyond_256_bits_is_refused_and_not_wrapped() external {
        vm.assertEq(
            core.requiredCollateral(callId, type(uint256).max / 550_000) / 550_000, type(uint256).max / 550_000, "most"
        );
        vm.expectRevert(abi.encodeWithSelector(bytes4(0x4e487b71), 0x11));
        core.requiredCollateral(callId, type(uint256).max / 550_000 + 1);
    }

    function test_an_order_may_be_valid_forever() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.validUntil = type(uint256).max;
        fill(order);
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_series_of_the_next_century_trades() external {
        uint64 expiry = uint64(START + 36_525 days);
        uint256 id = createSeries(4500, expiry, 0);
        tradeAt(id, 0);
        vm.warp(expiry - 1);
        bytes memory signature = attestation(id, 60, expiry);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotExpired.selector, id, expiry));
        core.settleWithAttestation(id, 60, expiry, signature);
        tradeAt(id, 1);
    }

    function test_prices_of_the_next_century_keep_their_times() external {
        uint64 expiry = uint64(START + 36_525 days);
        uint256 id = createSeries(4500, expiry, 0);
        vm.assertEq(seriesOf(id).expiry, expiry, "expiry");
        vm.warp(expiry + 3 days);
        vm.prank(owner);
        core.proposeManual(id, 70);
        vm.assertEq(core.manualProposalOf(id).executableAt, expiry + 4 days, "executable at");
        vm.assertEq(core.manualProposalOf(id).proposableAt, expiry + 3 days, "proposable from");
        vm.assertEq(core.lastResortAt(id), expiry + 30 days, "last resort from");
        vm.warp(expiry + 4 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, expiry + 4 days, expiry + 4 days - 1));
        vm.prank(owner);
        core.executeManual(id);
        vm.warp(expiry + 4 days);
        vm.prank(owner);
        core.executeManual(id);
        vm.assertEq(seriesOf(id).finalAt, expiry + 4 days, "final at");
        vm.assertEq(core.payoff(id), 250_000, "payoff");
    }

    function test_a_batch_of_nine_fills_all_nine() external {
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](9);
        bytes[] memory signatures = new bytes[](9);
        for (uint256 i = 0; i < 9; ++i) {
            orders[i] = someOrder();
            orders[i].nonce = i;
            signatures[i] = signed(orders[i]);
        }
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
        vm.assertEq(core.balanceOf(taker, callId), 9 * 250, "longs");
        for (uint256 i = 0; i < 9; ++i) {
            vm.assertTrue(settlement.isNonceUsed(maker, i), "nonce");
        }
    }

    function test_a_permit_counts_until_its_last_second() external {
        vm.prank(taker);
        usd.approve(address(settlement), 0);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Permit memory permit = permitFor(order.premiumAmount, block.timestamp + 20 minutes);
        vm.prank(taker);
        settlement.fillWithPermit(order, signature, permit);
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function tradeAt(uint256 seriesId, uint256 nonce) private {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.validUntil, order.nonce) = (seriesId, block.timestamp, nonce);
        fill(order);
    }

    function tradeMany(uint256 amount, uint256 nonce) private {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.validUntil = block.timestamp;
        order.optionAmount = amount;
        order.premiumAmount = 0;
        order.nonce = nonce;
        fill(order);
    }

    function permitFor(uint256 value, uint256 deadline) private view returns (IServiceRFQSettlement.Permit memory) {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                taker,
                settlement,
                value,
                usd.nonces(taker),
                deadline
            )
        );
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(TAKER_KEY, keccak256(abi.encodePacked("\x19\x01", usd.DOMAIN_SEPARATOR(), structHash)));
        return IServiceRFQSettlement.Permit(value, deadline, v, r, s);
    }
}
