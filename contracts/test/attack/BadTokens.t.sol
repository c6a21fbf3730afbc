// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title BadTokensTest
/// @notice Stablecoins that break ERC-20 revert the call or leave every position intact.
contract BadTokensTest is World {
    BadToken private token;

    function setUp() public override {
        super.setUp();
        token = new BadToken();
        (core, settlement) = deploy(address(token));
        callId = createSeries(4500, EXPIRY, 0);
        token.mint(maker, FUNDS);
        token.mint(taker, FUNDS);
    }

    function test_a_token_that_answers_nothing_trades_and_pays_out() external {
        token.behave(BadToken.Manner.Silent);
        wholeLife();
    }

    function test_a_premium_that_was_not_paid_reverts_the_fill() external {
        token.behave(BadToken.Manner.ReturnsFalse);
        refusesFill();
    }

    function test_collateral_that_was_not_paid_reverts_the_fill() external {
        token.behaveFrom(BadToken.Manner.ReturnsFalse, maker);
        refusesFill();
    }

    function test_an_unpaid_payout_reverts_the_claim() external {
        fill(someOrder());
        settle(callId, 60);
        token.behave(BadToken.Manner.ReturnsFalse);
        bytes memory reason = abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, token);
        vm.expectRevert(reason);
        vm.prank(taker);
        core.claimHolderPayout(callId, 250);
        vm.expectRevert(reason);
        vm.prank(maker);
        core.claimWriterCollateral(callId);
        vm.assertEq(core.balanceOf(taker, callId), 250, "longs");
        vm.assertEq(core.shortOf(callId, maker), 250, "shorts");
    }

    function test_a_token_that_is_paused_stops_payouts_until_it_is_not() external {
        fill(someOrder());
        settle(callId, 60);
        token.behave(BadToken.Manner.Reverts);
        vm.expectRevert("paused");
        vm.prank(taker);
        core.claimHolderPayout(callId, 250);
        token.behave(BadToken.Manner.Honest);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 250), 250 * 150_000, "paid");
    }

    function test_a_worthless_option_burns_even_while_the_token_is_paused() external {
        fill(someOrder());
        settle(callId, 0);
        token.behave(BadToken.Manner.Reverts);
        vm.prank(taker);
        core.claimHolderPayout(callId, 250);
        vm.assertEq(core.balanceOf(taker, callId), 0, "burned");
    }

    function test_a_frozen_holder_is_paid_to_another_address() external {
        fill(someOrder());
        settle(callId, 60);
        token.behaveTo(BadToken.Manner.Reverts, taker);
        vm.expectRevert("paused");
        vm.prank(taker);
        core.claimHolderPayout(callId, 250);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayoutTo(callId, 250, stranger), 250 * 150_000, "paid");
    }

    /// @dev The stated assumption: no check can be afforded here, so this is what choosing such a token would mean.
    function test_a_token_with_a_fee_leaves_the_core_short_by_the_fee() external {
        token.behave(BadToken.Manner.TakesFee);
        fill(someOrder());
        vm.assertEq(token.balanceOf(address(core)), 250 * 550_000 - 1, "one short");
    }

    function wholeLife() private {
        fill(someOrder());
        settle(callId, 60);
        vm.prank(taker);
        core.claimHolderPayout(callId, 250);
        vm.prank(maker);
        core.claimWriterCollateral(callId);
        vm.assertEq(token.balanceOf(address(core)), 0, "nothing is left");
        vm.assertEq(token.balanceOf(taker), FUNDS - 77_500_000 + 250 * 150_000, "taker");
        vm.assertEq(token.balanceOf(maker), FUNDS + 77_500_000 - 250 * 150_000, "maker");
    }

    function refusesFill() private {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, token));
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.assertEq(token.balanceOf(taker), FUNDS, "the taker's money");
    }
}

/// @title BadToken
/// @notice This token has 6 decimals, asks for no allowances and misbehaves in one way, for everyone or for one wallet.
contract BadToken {
    enum Manner {
        Honest,
        Silent,
        ReturnsFalse,
        Reverts,
        TakesFee
    }

    mapping(address => uint256) public balanceOf;
    uint8 public constant decimals = 6;
    Manner private manner;
    address private onlyFrom;
    address private onlyTo;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function behave(Manner manner_) external {
        manner = manner_;
    }

    function behaveFrom(Manner manner_, address from) external {
        (manner, onlyFrom) = (manner_, from);
    }

    function behaveTo(Manner manner_, address to) external {
        (manner, onlyTo) = (manner_, to);
    }

    /// @dev Everyone may move everything here.
    function approve(address, uint256) external {}

    function transfer(address to, uint256 amount) external {
        answer(move(msg.sender, to, amount));
    }

    function transferFrom(address from, address to, uint256 amount) external {
        answer(move(from, to, amount));
    }

    function move(address from, address to, uint256 amount) private returns (Manner applied) {
        bool concerned = (onlyFrom == address(0) || onlyFrom == from) && (onlyTo == address(0) || onlyTo == to);
        applied = concerned ? manner : Manner.Honest;
        if (applied == Manner.Reverts) revert("paused");
        if (applied == Manner.ReturnsFalse) return applied;
        balanceOf[from] -= amount;
        balanceOf[to] += applied == Manner.TakesFee ? amount - 1 : amount;
    }

    function answer(Manner applied) private pure {
        if (applied == Manner.Silent) return;
        bool yes = applied != Manner.ReturnsFalse;
        assembly {
            mstore(0, yes)
            return(0, 0x20)
        }
    }
}
