// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {PaymentsWorld} from "../../support/PaymentsWorld.sol";
import {DollarByAuthorization, Permit2Double} from "../../support/SignedTransfers.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title FillWithPaymentTest
/// @notice The taker pays by allowance, permit, signed transfer or Permit2.
contract FillWithPaymentTest is PaymentsWorld {
    uint256 private constant PREMIUM = 77_500_000;
    uint256 private constant COLLATERAL = 250 * 550_000;

    function test_by_an_allowance_that_is_there() external {
        approve(taker, address(settlement), PREMIUM);
        buys(byAllowance());
    }

    function test_writing_by_an_allowance_of_the_core() external {
        approve(taker, address(core), COLLATERAL);
        writes(byAllowance());
    }

    function test_by_a_permit() external {
        buys(byPermit(address(settlement), PREMIUM));
    }

    function test_writing_by_a_permit_of_the_core() external {
        writes(byPermit(address(core), COLLATERAL));
    }

    function test_a_permit_that_was_sent_ahead_does_not_stop_it() external {
        IServiceRFQSettlement.Payment memory paid = byPermit(address(settlement), PREMIUM);
        (uint8 v, bytes32 r, bytes32 s) = parts(paid.signature);
        usd.permit(taker, address(settlement), PREMIUM, paid.deadline, v, r, s);
        buys(paid);
    }

    function test_a_permit_of_another_length_is_no_permit() external {
        IServiceRFQSettlement.Payment memory paid = byPermit(address(settlement), PREMIUM);
        paid.signature = bytes.concat(paid.signature, hex"00");
        refuses(
            someOrder(),
            paid,
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 0, PREMIUM)
        );
    }

    function test_by_a_signed_transfer_of_the_stablecoin() external {
        buys(byAuthorization(PREMIUM));
    }

    function test_writing_by_a_signed_transfer_of_the_stablecoin() external {
        writes(byAuthorization(COLLATERAL));
    }

    function test_a_signed_transfer_is_of_exactly_what_is_due() external {
        for (uint256 value = PREMIUM - 1; value <= PREMIUM + 1; value += 2) {
            refuses(
                someOrder(),
                byAuthorization(value),
                abi.encodeWithSelector(IServiceRFQSettlement.PaymentMismatch.selector, value, PREMIUM)
            );
        }
    }

    function test_by_permit2() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        buys(byPermit2(PREMIUM));
    }

    function test_writing_by_permit2() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        writes(byPermit2(COLLATERAL));
    }

    function test_permit2_draws_what_is_due_of_more_and_refuses_less() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        refuses(
            someOrder(), byPermit2(PREMIUM - 1), abi.encodeWithSelector(Permit2Double.AmountAbovePermitted.selector)
        );
        buys(byPermit2(PREMIUM + 1));
    }

    function test_a_payment_of_another_taker_pays_nothing() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.taker = stranger;
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Payment[2] memory taken = [byAuthorization(PREMIUM), byPermit2(PREMIUM)];
        bytes4[2] memory reasons = [DollarByAuthorization.NotSigned.selector, Permit2Double.NotSigned.selector];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(reasons[i]));
            vm.prank(stranger);
            settlement.fillWithPayment(order, signature, taken[i], address(0), 0);
        }
    }

    function test_only_its_taker_fills_it() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, stranger, taker));
        vm.prank(stranger);
        settlement.fillWithPayment(order, signature, byAllowance(), address(0), 0);
    }

    function test_no_payment_method_takes_a_premium_above_collateral() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.premiumAmount = COLLATERAL + 1;
        refuses(
            order,
            byAuthorization(COLLATERAL + 1),
            abi.encodeWithSelector(IServiceRFQSettlement.PremiumAboveCollateral.selector, COLLATERAL + 1, COLLATERAL)
        );
    }

    function test_money_sent_by_a_stranger_pays_for_no_one() external {
        usd.mint(address(settlement), PREMIUM);
        refuses(
            someOrder(),
            byAllowance(),
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 0, PREMIUM)
        );
        fillPaid(someOrder(), byAuthorization(PREMIUM));
        vm.assertEq(usd.balanceOf(address(settlement)), PREMIUM, "what was sent stays");
    }

    function buys(IServiceRFQSettlement.Payment memory paid) private {
        fillPaid(someOrder(), paid);
        vm.assertEq(core.balanceOf(taker, callId), 250, "longs");
        vm.assertEq(core.shortOf(callId, maker), 250, "shorts");
        vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM, "the taker has paid the premium");
        vm.assertEq(usd.balanceOf(maker), FUNDS + PREMIUM - COLLATERAL, "to the maker");
        vm.assertEq(usd.balanceOf(address(core)), COLLATERAL, "collateral");
        vm.assertEq(usd.allowance(taker, address(settlement)), 0, "no allowance is left");
        nothingIsLeftInTheSettlement();
    }

    function writes(IServiceRFQSettlement.Payment memory paid) private {
        fillPaid(writtenByTaker(), paid);
        vm.assertEq(core.balanceOf(maker, callId), 250, "longs");
        vm.assertEq(core.shortOf(callId, taker), 250, "the taker's short");
        vm.assertEq(core.shortOf(callId, address(settlement)), 0, "and nobody else's");
        vm.assertEq(usd.balanceOf(taker), FUNDS + PREMIUM - COLLATERAL, "the taker has locked the collateral");
        vm.assertEq(usd.balanceOf(maker), FUNDS - PREMIUM, "the maker has paid the premium");
        vm.assertEq(usd.balanceOf(address(core)), COLLATERAL, "collateral");
        vm.assertEq(usd.allowance(taker, address(core)), 0, "no allowance is left");
        nothingIsLeftInTheSettlement();
    }

    function fillPaid(IServiceRFQSettlement.Order memory order, IServiceRFQSettlement.Payment memory paid) private {
        bytes memory signature = signed(order);
        vm.prank(taker);
        settlement.fillWithPayment(order, signature, paid, address(0), 0);
    }

    function refuses(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.Payment memory paid,
        bytes memory reason
    ) private {
        bytes memory signature = signed(order);
        vm.expectRevert(reason);
        vm.prank(taker);
        settlement.fillWithPayment(order, signature, paid, address(0), 0);
    }

    function parts(bytes memory signature) private pure returns (uint8 v, bytes32 r, bytes32 s) {
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
    }
}
