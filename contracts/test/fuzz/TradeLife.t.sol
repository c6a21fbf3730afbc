// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title TradeLifeTest
/// @notice A trade of any terms creates and destroys no money, from its fill to its last claim.
contract TradeLifeTest is World {
    struct Terms {
        uint256 amount;
        uint256 premium;
        uint256 strikeBps;
        uint256 resolutionBps;
        uint256 claimed;
        bool makerSelling;
        bool put;
    }

    function testFuzz_all_collateral_returns_to_holder_and_writer(Terms memory t) external {
        t.strikeBps = bound(t.strikeBps, 1, 9999);
        t.resolutionBps = bound(t.resolutionBps, 0, 100);
        t.amount = bound(t.amount, 1, 1e12);
        uint256 most = (t.put ? t.strikeBps : 10_000 - t.strikeBps) * 100;
        t.premium = bound(t.premium, 0, t.amount * most);
        t.claimed = bound(t.claimed, 1, t.amount);
        usd.mint(maker, 1e18);
        usd.mint(taker, 1e18);
        uint256 makerBefore = usd.balanceOf(maker);
        uint256 takerBefore = usd.balanceOf(taker);

        IServiceRFQSettlement.Order memory order = someOrder();
        order.seriesId = freshSeries(uint16(t.strikeBps), t.put ? 1 : 0);
        order.optionAmount = t.amount;
        order.premiumAmount = t.premium;
        order.makerSelling = t.makerSelling;
        fill(order);
        vm.assertEq(usd.balanceOf(address(core)), t.amount * most, "locked");

        (address writer, address holder) = t.makerSelling ? (maker, taker) : (taker, maker);
        settle(order.seriesId, uint16(t.resolutionBps));
        vm.prank(holder);
        uint256 paid = core.claimHolderPayout(order.seriesId, t.claimed);
        if (t.claimed < t.amount) {
            vm.prank(holder);
            paid += core.claimHolderPayout(order.seriesId, t.amount - t.claimed);
        }
        vm.prank(writer);
        uint256 returned = core.claimWriterCollateral(order.seriesId);

        vm.assertEq(paid, t.amount * payoffOf(t), "holder's payoff");
        vm.assertEq(paid + returned, t.amount * most, "all of the collateral");
        vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
        vm.assertEq(usd.balanceOf(maker) + usd.balanceOf(taker), makerBefore + takerBefore, "nothing appeared");
        uint256 holderBefore = t.makerSelling ? takerBefore : makerBefore;
        vm.assertEq(
            usd.balanceOf(holder) + t.premium, holderBefore + paid, "the holder paid the premium for the payoff"
        );
    }

    function testFuzz_an_order_checked_as_fillable_fills(Terms memory t, uint256 makerHas, uint256 makerLets) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.optionAmount = bound(t.amount, 0, 400);
        order.premiumAmount = bound(t.premium, 0, 250_000_000);
        order.makerSelling = t.makerSelling;
        order.seriesId = t.put ? putId : callId;
        vm.prank(maker);
        usd.transfer(stranger, FUNDS - bound(makerHas, 0, 400_000_000));
        vm.prank(maker);
        usd.approve(t.makerSelling ? address(core) : address(settlement), bound(makerLets, 0, 400_000_000));
        bytes memory signature = signed(order);
        (IServiceRFQSettlement.OrderStatus status, uint256 makerShortfall, uint256 takerShortfall,) =
            settlement.checkOrder(order, signature);

        vm.prank(taker);
        try settlement.fill(order, signature) {
            // A writer that could pay only thanks to the premium is refused by the check and not by the fill.
            bool byPremium = makerShortfall > 0 && makerShortfall <= order.premiumAmount && t.makerSelling;
            vm.assertTrue(status == IServiceRFQSettlement.OrderStatus.Fillable || byPremium, "filled all the same");
        } catch {
            vm.assertTrue(status != IServiceRFQSettlement.OrderStatus.Fillable, "not filled");
        }
        if (status == IServiceRFQSettlement.OrderStatus.Fillable) {
            vm.assertEq(makerShortfall + takerShortfall, 0, "shortfalls");
        }
    }

    function freshSeries(uint16 strikeBps, uint8 optionType) private returns (uint256) {
        vm.prank(owner);
        return core.createSeries(bytes32("fresh"), 1, address(0), strikeBps, EXPIRY, optionType);
    }

    /// @dev Written down apart from the library, in signed numbers.
    function payoffOf(Terms memory t) private pure returns (uint256) {
        int256 aboveStrike = int256(t.resolutionBps) * 10_000 - int256(t.strikeBps) * 100;
        int256 value = t.put ? -aboveStrike : aboveStrike;
        return value > 0 ? uint256(value) : 0;
    }
}
