// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// @title ClaimManyTest
/// @notice One call claims many series.
contract ClaimManyTest is World {
    uint256 private otherId;

    /// @dev The maker is short 10 calls and holds 4 of them, is short 5 puts of another expiry, and has nothing in the third series.
    function setUp() public override {
        super.setUp();
        otherId = createSeries(5000, EXPIRY, 0);
        putId = createSeries(4500, EXPIRY + 1, 1);
        trade(callId, 10, 0);
        trade(putId, 5, 1);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 4, "");
        vm.warp(EXPIRY + 1);
        settle(callId, 60);
        settle(putId, 40);
    }

    function test_both_sides_of_all_series_come_in_one_transfer() external {
        uint256 expected = 4 * 150_000 + 10 * 400_000 + 5 * 400_000;
        vm.expectEmit(address(core));
        emit IServiceCore.HolderPayoutClaimed(callId, maker, stranger, 4, 4 * 150_000);
        vm.expectEmit(address(core));
        emit IServiceCore.WriterCollateralClaimed(callId, maker, stranger, 10, 10 * 400_000);
        vm.expectEmit(address(core));
        emit IServiceCore.WriterCollateralClaimed(putId, maker, stranger, 5, 5 * 400_000);
        vm.expectCall(address(usd), abi.encodeCall(usd.transfer, (stranger, expected)), 1);
        vm.prank(maker);
        vm.assertEq(core.claimMany(ids(), stranger), expected, "paid");
        vm.assertEq(usd.balanceOf(stranger), expected, "received");
        vm.assertEq(core.balanceOf(maker, callId), 0, "longs");
        vm.assertEq(core.shortOf(callId, maker), 0, "shorts");
        vm.assertEq(core.shortOf(putId, maker), 0, "shorts");
        vm.assertEq(core.balanceOf(taker, callId), 6, "the taker's stay");
    }

    function test_what_was_claimed_is_not_claimed_again() external {
        vm.prank(maker);
        core.claimMany(ids(), maker);
        vm.prank(maker);
        vm.assertEq(core.claimMany(ids(), maker), 0, "paid");
        uint256[] memory twice = new uint256[](2);
        (twice[0], twice[1]) = (callId, callId);
        vm.prank(taker);
        vm.assertEq(core.claimMany(twice, taker), 6 * 150_000, "once");
    }

    function test_a_series_without_a_final_price_stops_the_claim() external {
        uint256[] memory one = new uint256[](1);
        vm.warp(START);
        one[0] = createSeries(5100, EXPIRY + 1 days, 0);
        vm.warp(EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, one[0]));
        vm.prank(maker);
        core.claimMany(one, maker);
    }

    function test_the_money_is_not_sent_where_it_would_be_lost() external {
        address[3] memory lost = [address(0), address(core), address(settlement)];
        for (uint256 i = 0; i < lost.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.RecipientInvalid.selector, lost[i]));
            vm.prank(maker);
            core.claimMany(ids(), lost[i]);
        }
    }

    function test_a_claim_by_anyone_pays_the_account() external {
        uint256 expected = 4 * 150_000 + 10 * 400_000;
        uint256 before = usd.balanceOf(maker);
        vm.expectEmit(address(core));
        emit IServiceCore.HolderPayoutClaimed(callId, maker, maker, 4, 4 * 150_000);
        vm.expectEmit(address(core));
        emit IServiceCore.WriterCollateralClaimed(callId, maker, maker, 10, 10 * 400_000);
        vm.prank(stranger);
        vm.assertEq(core.claimAllFor(maker, callId), expected, "paid");
        vm.assertEq(usd.balanceOf(maker) - before, expected, "received");
        vm.assertEq(usd.balanceOf(stranger), 0, "who sent it gets nothing");
        vm.assertEq(core.shortOf(putId, maker), 5, "another series stays");
        vm.assertEq(core.shortOf(callId, maker), 0, "nothing of the short is left");
        vm.assertEq(core.claimAllFor(maker, callId), 0, "and it is paid once");
    }

    function test_a_contract_is_paid_by_a_strangers_claim() external {
        Vault vault = new Vault(core);
        vm.prank(taker);
        core.safeTransferFrom(taker, address(vault), callId, 3, "");
        vm.prank(stranger);
        core.claimAllFor(address(vault), callId);
        vm.assertEq(usd.balanceOf(address(vault)), 3 * 150_000, "came unannounced");
        vm.assertEq(vault.claimAll(callId), 0, "its own claim of all answers 0");
        vm.expectRevert(
            abi.encodeWithSelector(IERC1155Errors.ERC1155InsufficientBalance.selector, address(vault), 0, 3, callId)
        );
        vault.claim(callId, 3);
    }

    function test_claiming_for_an_account_that_has_nothing_pays_nothing() external {
        vm.assertEq(core.claimAllFor(stranger, callId), 0, "paid");
    }

    function test_no_one_claims_for_an_account_before_the_price_is_final() external {
        vm.warp(START);
        uint256 open = createSeries(5100, EXPIRY + 1 days, 0);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, open));
        core.claimAllFor(maker, open);
    }

    function test_worthless_options_are_burned() external {
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(putId, 1), 50_000, "a put at 40 pays 0.05");
        vm.warp(START);
        uint256 worthless = createSeries(9000, EXPIRY + 2, 0);
        trade(worthless, 3, 2);
        vm.warp(EXPIRY + 2);
        settle(worthless, 10);
        vm.assertEq(core.claimAllFor(taker, worthless), 0, "paid");
        vm.assertEq(core.balanceOf(taker, worthless), 0, "burned");
    }

    function ids() private view returns (uint256[] memory all) {
        all = new uint256[](3);
        (all[0], all[1], all[2]) = (callId, putId, otherId);
    }
}

/// @title Vault
/// @notice This contract holds options for others and relies on the answer of its own claim.
contract Vault is ERC1155Holder {
    IServiceCore private immutable _core;

    constructor(IServiceCore core_) {
        _core = core_;
    }

    function claim(uint256 seriesId, uint256 amount) external returns (uint256) {
        return _core.claimHolderPayout(seriesId, amount);
    }

    function claimAll(uint256 seriesId) external returns (uint256) {
        uint256[] memory ids = new uint256[](1);
        ids[0] = seriesId;
        return _core.claimMany(ids, address(this));
    }
}
