// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title FillWithPermitTest
/// @notice The taker approves by a permit in the same transaction as the fill.
contract FillWithPermitTest is World {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    function setUp() public override {
        super.setUp();
        vm.prank(taker);
        usd.approve(address(core), 0);
        vm.prank(taker);
        usd.approve(address(settlement), 0);
    }

    function test_a_buying_taker_permits_the_settlement_contract() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        fillWithPermit(order, permit(address(settlement), order.premiumAmount, START));
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
        vm.assertEq(usd.allowance(taker, address(settlement)), 0, "nothing is left approved");
    }

    function test_a_writing_taker_permits_the_core() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = false;
        fillWithPermit(order, permit(address(core), 250 * 550_000, START));
        vm.assertEq(core.shortOf(callId, taker), 250, "short");
        vm.assertEq(usd.allowance(taker, address(core)), 0, "nothing is left approved");
    }

    function test_a_permit_sent_by_a_stranger_does_not_stop_the_fill() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        IServiceRFQSettlement.Permit memory p = permit(address(settlement), order.premiumAmount, START);
        vm.prank(stranger);
        usd.permit(taker, address(settlement), p.value, p.deadline, p.v, p.r, p.s);
        fillWithPermit(order, p);
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_late_permit_leaves_the_fill_to_the_allowance_there_is() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        IServiceRFQSettlement.Permit memory late = permit(address(settlement), order.premiumAmount, START - 1);
        bytes memory signature = signed(order);
        vm.expectRevert(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 0, order.premiumAmount
            )
        );
        vm.prank(taker);
        settlement.fillWithPermit(order, signature, late);

        vm.prank(taker);
        usd.approve(address(settlement), order.premiumAmount);
        fillWithPermit(order, late);
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_stranger_gains_nothing_by_a_permit() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        IServiceRFQSettlement.Permit memory p = permit(address(settlement), order.premiumAmount, START);
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, stranger, taker));
        vm.prank(stranger);
        settlement.fillWithPermit(order, signature, p);
        vm.assertEq(usd.nonces(taker), 0, "permit unused");
    }

    function fillWithPermit(IServiceRFQSettlement.Order memory order, IServiceRFQSettlement.Permit memory p) private {
        bytes memory signature = signed(order);
        vm.prank(taker);
        settlement.fillWithPermit(order, signature, p);
    }

    function permit(address spender, uint256 value, uint256 deadline)
        private
        view
        returns (IServiceRFQSettlement.Permit memory)
    {
        bytes32 structHash = keccak256(abi.encode(PERMIT_TYPEHASH, taker, spender, value, usd.nonces(taker), deadline));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(TAKER_KEY, keccak256(abi.encodePacked("\x19\x01", usd.DOMAIN_SEPARATOR(), structHash)));
        return IServiceRFQSettlement.Permit(value, deadline, v, r, s);
    }
}
