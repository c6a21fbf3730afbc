// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPermit2} from "../../src/IPayments.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {PaymentsWorld} from "../support/PaymentsWorld.sol";
import {DollarByAuthorization, Permit2Double} from "../support/SignedTransfers.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title StolenMakerKeyTest
/// @notice A thief with a key that a maker authorized signs orders and nothing else.
contract StolenMakerKeyTest is PaymentsWorld {
    uint256 private constant HOT_KEY = 0x407;
    address private immutable hot = vm.addr(HOT_KEY);

    function setUp() public override {
        super.setUp();
        approve(maker, address(PERMIT2), type(uint256).max);
        fund(taker);
        trade(callId, 100, 1000);
        trade(putId, 100, 1001);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 50, "");
        vm.prank(maker);
        settlement.authorizeSigner(hot, START + 30 days);
    }

    function test_every_call_by_the_thief_moves_nothing_of_the_makers() external {
        bytes[] memory calls = new bytes[](8);
        calls[0] = abi.encodeCall(IERC1155.safeTransferFrom, (maker, hot, callId, 1, ""));
        calls[1] = abi.encodeCall(IServiceCore.closePosition, (callId, 1, hot));
        calls[2] = abi.encodeCall(IServiceCore.claimHolderPayoutTo, (callId, 1, hot));
        calls[3] = abi.encodeCall(IServiceCore.claimWriterCollateralTo, (callId, hot));
        calls[4] = abi.encodeCall(IServiceCore.openPositionPaidBy, (maker, maker, hot, callId, 1));
        calls[5] = abi.encodeCall(IServiceCore.sellLongs, (maker, hot, callId, 1));
        calls[6] = abi.encodeCall(IServiceCore.closeFor, (callId, maker, 1));
        calls[7] = abi.encodeCall(IServiceCore.moveShort, (maker, callId, 1, START, accepted(hot, maker)));
        for (uint256 i = 0; i < calls.length; ++i) {
            isRefused(address(core), calls[i]);
        }
        isRefused(address(usd), abi.encodeCall(IERC20.transferFrom, (maker, hot, 1)));
        vm.assertEq(core.balanceOf(maker, callId), 50, "longs");
        vm.assertEq(core.shortOf(callId, maker), 100, "shorts");
    }

    /// @dev A short that the maker never accepted would be the worst: collateral gone, and a debt in its place.
    function test_its_signature_accepts_no_short_for_the_maker() external {
        bytes32 digest = core.hashShortTransfer(hot, maker, callId, 1, core.nonces(maker), START);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, maker, digest));
        vm.prank(hot);
        core.moveShort(maker, callId, 1, START, sign(HOT_KEY, digest));
    }

    function test_its_signature_moves_no_money_of_the_maker() external {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(HOT_KEY, hashPermit(maker, hot, 1));
        isRefused(address(usd), abi.encodeCall(ERC20Permit.permit, (maker, hot, 1, START, v, r, s)));
        (v, r, s) = vm.sign(HOT_KEY, dollar.hashReceive(maker, hot, 1, START + 1, 0));
        isRefused(
            address(usd),
            abi.encodeCall(DollarByAuthorization.receiveWithAuthorization, (maker, hot, 1, 0, START + 1, 0, v, r, s))
        );
        IPermit2.PermitTransferFrom memory transfer =
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(address(usd), 1), 1, START);
        bytes memory signature = sign(HOT_KEY, PERMIT2.hashTransfer(transfer, hot));
        isRefused(
            address(PERMIT2),
            abi.encodeCall(
                Permit2Double.permitTransferFrom,
                (transfer, IPermit2.SignatureTransferDetails(hot, 1), maker, signature)
            )
        );
    }

    function test_it_fills_no_order_in_the_makers_name_as_a_taker() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.maker, order.taker) = (hot, maker);
        bytes memory own = sign(HOT_KEY, settlement.hashOrder(order));
        IServiceRFQSettlement.FillAuthorization memory authorization =
            IServiceRFQSettlement.FillAuthorization(settlement.hashOrder(order), 1, hot, START, hot, 500);
        bytes32 digest = settlement.hashFillAuthorization(authorization);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.FillAuthorizationInvalid.selector, maker, digest));
        vm.prank(hot);
        settlement.fillFor(order, own, byAllowance(), authorization, sign(HOT_KEY, digest), 1);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, hot, maker));
        vm.prank(hot);
        settlement.fill(order, own);
    }

    function test_it_cancels_and_authorises_only_for_itself() external {
        vm.prank(hot);
        settlement.cancelNonce(0);
        vm.prank(hot);
        settlement.cancelNonceRange(0, 2000);
        vm.prank(hot);
        settlement.authorizeSigner(stranger, START + 1 days);
        vm.assertTrue(!settlement.isNonceUsed(maker, 0), "the maker's nonces are as they were");
        vm.assertEq(settlement.signerUntil(maker, stranger), 0, "no further key");
        vm.assertEq(settlement.signerUntil(maker, hot), START + 30 days, "and its own no longer");
    }

    /// @dev The trust page says this of it: the one thing that it can do, and until when.
    function test_it_sells_to_itself_within_approvals_until_revoked() external {
        fund(hot);
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.taker, order.premiumAmount) = (hot, 0);
        bytes memory signature = sign(HOT_KEY, settlement.hashOrder(order));
        vm.prank(hot);
        settlement.fill(order, signature);
        vm.assertEq(core.balanceOf(hot, callId), 250, "for nothing");
        approve(maker, address(core), 0);
        order.nonce = 1;
        signature = sign(HOT_KEY, settlement.hashOrder(order));
        isRefused(address(settlement), abi.encodeCall(IServiceRFQSettlement.fill, (order, signature)));
        approve(maker, address(core), type(uint256).max);
        vm.prank(maker);
        settlement.revokeSigner(hot);
        isRefused(address(settlement), abi.encodeCall(IServiceRFQSettlement.fill, (order, signature)));
    }

    function test_all_keys_of_the_maker_end_with_one_call_of_it() external {
        uint256 secondKey = 0x408;
        vm.prank(maker);
        settlement.authorizeSigner(vm.addr(secondKey), START + 30 days);
        fund(hot);
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.taker, order.premiumAmount) = (hot, 0);
        bytes32 digest = settlement.hashOrder(order);
        bytes[2] memory signatures = [sign(HOT_KEY, digest), sign(secondKey, digest)];
        vm.prank(hot);
        settlement.revokeAllSigners();
        vm.assertEq(settlement.signerUntil(maker, hot), START + 30 days, "the thief ends its own keys alone");
        vm.prank(maker);
        settlement.revokeAllSigners();
        for (uint256 i = 0; i < 2; ++i) {
            isRefused(address(settlement), abi.encodeCall(IServiceRFQSettlement.fill, (order, signatures[i])));
        }
        vm.assertEq(core.balanceOf(hot, callId), 0, "longs of the thief");
    }

    function accepted(address from, address to) private view returns (bytes memory) {
        return sign(HOT_KEY, core.hashShortTransfer(from, to, callId, 1, core.nonces(to), START));
    }

    function isRefused(address target, bytes memory data) private {
        uint256 cash = usd.balanceOf(maker);
        vm.prank(hot);
        (bool isDone,) = target.call(data);
        vm.assertTrue(!isDone, "refused");
        vm.assertEq(usd.balanceOf(maker), cash, "the maker's money");
    }
}
