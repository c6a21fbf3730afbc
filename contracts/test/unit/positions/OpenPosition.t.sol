// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title OpenPositionTest
/// @notice The settlement contract, and no other caller, writes options.
contract OpenPositionTest is World {
    function test_only_the_settlement_contract_writes_options() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.NotSettlement.selector, owner));
        vm.prank(owner);
        core.openPositionPaidBy(maker, maker, taker, callId, 1);
    }

    function test_it_returns_the_collateral_it_locked() external {
        vm.prank(address(settlement));
        vm.assertEq(core.openPositionPaidBy(maker, maker, taker, callId, 3), 3 * 550_000, "call");
        vm.prank(address(settlement));
        vm.assertEq(core.openPositionPaidBy(maker, maker, taker, putId, 3), 3 * 450_000, "put");
    }

    function test_no_options_are_refused() external {
        refuses(callId, 0, abi.encodeWithSelector(IServiceCore.AmountZero.selector));
    }

    function test_an_unknown_series_is_refused() external {
        refuses(1, 1, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function test_writing_ends_at_expiry() external {
        vm.warp(EXPIRY - 1);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, callId, 1);
        vm.warp(EXPIRY);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesExpired.selector, callId, EXPIRY));
    }

    function test_a_settled_series_is_refused_with_its_price() external {
        settle(callId, 59);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
    }

    function test_a_halted_series_is_refused_until_it_is_resumed() external {
        halt(callId, true);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
        halt(callId, false);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, callId, 1);
        vm.assertEq(core.balanceOf(taker, callId), 1, "long");
    }

    function test_open_interest_beyond_80_bits_is_refused() external {
        trade(callId, 5, 0);
        uint256 most = type(uint80).max;
        refuses(callId, most - 4, aboveCap(callId, 5, most - 4, most));
        usd.mint(maker, (most - 5) * 550_000);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, callId, most - 5);
        vm.assertEq(seriesOf(callId).openInterest, most, "open interest");
        vm.assertEq(seriesOf(callId).maxPayoff, 550_000, "its neighbours in the word");
        refuses(callId, 1, aboveCap(callId, most, 1, most));
    }

    function test_open_interest_above_its_cap_is_refused() external {
        setDefaultCap(3);
        uint256 capped = createSeries(4600, EXPIRY, 0);
        trade(capped, 8, 0);
        refuses(capped, 1, aboveCap(capped, 8, 1, 8));
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, capped, 2, "");
        vm.prank(maker);
        core.closePosition(capped, 2, maker);
        refuses(capped, 3, aboveCap(capped, 6, 3, 8));
        trade(capped, 2, 1);
        vm.assertEq(seriesOf(capped).openInterest, 8, "open interest");
    }

    function test_a_cap_counts_for_the_series_registered_after_it() external {
        setDefaultCap(79);
        uint256 capped = createSeries(4600, EXPIRY, 0);
        setDefaultCap(0);
        uint256 free = createSeries(4700, EXPIRY, 0);
        vm.assertEq(seriesOf(callId).openInterestCap, type(uint80).max, "before");
        vm.assertEq(seriesOf(capped).openInterestCap, 2 ** 79, "capped");
        vm.assertEq(seriesOf(free).openInterestCap, type(uint80).max, "after");
        vm.assertEq(core.capExponent(), 0, "exponent");
    }

    function test_the_owner_alone_sets_the_cap_to_at_most_79_bits() external {
        vm.expectEmit(address(core));
        emit IServiceCore.DefaultCapChanged(20);
        setDefaultCap(20);
        vm.assertEq(core.capExponent(), 20, "exponent");
        vm.assertEq(core.holderOf(IRoles.Role.Registrar), registrar, "its neighbour in the word");
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.CapExponentOutOfRange.selector, 80));
        setDefaultCap(80);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, registrar));
        vm.prank(registrar);
        core.setDefaultCap(1);
    }

    function test_options_are_not_minted_to_the_zero_address() external {
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155InvalidReceiver.selector, address(0)));
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, address(0), callId, 1);
    }

    function refuses(uint256 seriesId, uint256 amount, bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, seriesId, amount);
    }

    function setDefaultCap(uint8 exponent) private {
        vm.prank(owner);
        core.setDefaultCap(exponent);
    }

    function aboveCap(uint256 seriesId, uint256 openInterest, uint256 amount, uint256 cap)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodeWithSelector(IServiceCore.OpenInterestAboveCap.selector, seriesId, openInterest, amount, cap);
    }

    function halt(uint256 seriesId, bool halted) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = seriesId;
        vm.prank(owner);
        core.setHalted(ids, halted);
    }
}
