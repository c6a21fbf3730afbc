// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {PaymentsWorld} from "../support/PaymentsWorld.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title OversteppingTest
/// @notice A party to a trade, or the holder of an office, does what is another's. Everything that the call needs besides is
/// there: signatures, approvals, money, options.
contract OversteppingTest is PaymentsWorld {
    uint256 private constant FEE = 50_000;
    uint256 private constant HOT_KEY = 0x407;
    uint256 private constant NEXT_KEY = 0x4E4;
    address private immutable hot = vm.addr(HOT_KEY);
    address private immutable next = vm.addr(NEXT_KEY);

    /// @dev Maker and taker hold 100 calls and have written 100, and each has authorized the hot key.
    function setUp() public override {
        super.setUp();
        fund(taker);
        fund(maker);
        trade(callId, 200, 1000);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 100, "");
        bytes32 digest = core.hashShortTransfer(maker, taker, callId, 100, 0, START);
        vm.prank(maker);
        core.moveShort(taker, callId, 100, START, sign(TAKER_KEY, digest));
        address[2] memory wallets = [maker, taker];
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(wallets[i]);
            core.setApprovalForAll(address(settlement), true);
            vm.prank(wallets[i]);
            settlement.authorizeSigner(hot, START + 30 days);
        }
    }

    function test_no_party_and_no_office_fills_in_a_takers_name() external {
        bool[2] memory sides = [true, false];
        for (uint256 i = 0; i < 2; ++i) {
            IServiceRFQSettlement.Order memory order = smallOrder(sides[i]);
            bytes[] memory calls = fillsOf(order);
            address[] memory others = everyoneButTheTaker();
            for (uint256 j = 0; j < others.length; ++j) {
                for (uint256 k = 0; k < calls.length; ++k) {
                    bytes memory reason =
                        abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, others[j], taker);
                    isRefused(others[j], address(settlement), calls[k], reason);
                }
                if (others[j] == address(settlement)) continue;
                isRefused(
                    others[j],
                    address(settlement),
                    abi.encodeCall(settlement.fillOne, (order, signed(order), taker)),
                    abi.encodeWithSelector(IServiceRFQSettlement.NotSelf.selector, others[j])
                );
            }
            // The taker makes each of these calls.
            for (uint256 k = 0; k < calls.length; ++k) {
                uint256 state = vm.snapshotState();
                vm.prank(taker);
                (bool passed,) = address(settlement).call(calls[k]);
                vm.assertTrue(passed, "the taker's own");
                vm.revertToState(state);
            }
        }
    }

    function test_a_list_of_anothers_orders_fills_none() external {
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](1);
        bytes[] memory signatures = new bytes[](1);
        orders[0] = smallOrder(true);
        signatures[0] = signed(orders[0]);
        address[] memory others = everyoneButTheTaker();
        for (uint256 i = 0; i < others.length; ++i) {
            vm.prank(others[i]);
            bool[] memory filled = settlement.fillMany(orders, signatures);
            vm.assertTrue(!filled[0], "filled");
            vm.assertTrue(!settlement.isNonceUsed(maker, 0), "nonce");
        }
    }

    function test_no_submitter_charges_more_than_the_taker_signed() external {
        bool[2] memory sides = [true, false];
        for (uint256 i = 0; i < 2; ++i) {
            IServiceRFQSettlement.Order memory order = smallOrder(sides[i]);
            IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
            bytes memory signature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
            eachSubmitterIsRefused(
                order,
                authorization,
                signature,
                FEE + 1,
                abi.encodeWithSelector(IServiceRFQSettlement.FeeAboveMax.selector, FEE + 1, FEE)
            );
        }
    }

    function test_no_submitter_changes_partner_or_share() external {
        bool[2] memory sides = [true, false];
        for (uint256 i = 0; i < 2; ++i) {
            IServiceRFQSettlement.Order memory order = smallOrder(sides[i]);
            IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
            bytes memory signature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
            address[5] memory partners = [maker, submitter, feeRecipient, address(0), partner];
            uint16[5] memory shares = [100, 100, 500, 0, 101];
            for (uint256 j = 0; j < 5; ++j) {
                (authorization.partner, authorization.partnerBps) = (partners[j], shares[j]);
                bytes32 digest = settlement.hashFillAuthorization(authorization);
                eachSubmitterIsRefused(
                    order,
                    authorization,
                    signature,
                    FEE,
                    abi.encodeWithSelector(IServiceRFQSettlement.FillAuthorizationInvalid.selector, taker, digest)
                );
            }
        }
    }

    function test_no_submitter_fills_after_the_takers_deadline() external {
        IServiceRFQSettlement.Order memory order = smallOrder(true);
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
        bytes memory signature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
        vm.warp(START + 61);
        eachSubmitterIsRefused(
            order,
            authorization,
            signature,
            FEE,
            abi.encodeWithSelector(IServiceRFQSettlement.FillAuthorizationExpired.selector, START + 60, START + 61)
        );
    }

    function test_no_submitter_fills_another_order_of_the_same_maker() external {
        IServiceRFQSettlement.Order memory order = smallOrder(true);
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
        bytes memory signature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
        IServiceRFQSettlement.Order memory dearer = smallOrder(true);
        ++dearer.premiumAmount;
        eachSubmitterIsRefused(
            dearer,
            authorization,
            signature,
            FEE,
            abi.encodeWithSelector(
                IServiceRFQSettlement.FillAuthorizationMismatch.selector,
                settlement.hashOrder(dearer),
                settlement.hashOrder(order)
            )
        );
    }

    function test_no_other_party_authorizes_for_the_taker() external {
        IServiceRFQSettlement.Order memory order = smallOrder(true);
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
        bytes32 digest = settlement.hashFillAuthorization(authorization);
        uint256[3] memory keys = [MAKER_KEY, HOT_KEY, SIGNER_KEY];
        for (uint256 i = 0; i < keys.length; ++i) {
            eachSubmitterIsRefused(
                order,
                authorization,
                sign(keys[i], digest),
                FEE,
                abi.encodeWithSelector(IServiceRFQSettlement.FillAuthorizationInvalid.selector, taker, digest)
            );
        }
    }

    function test_the_recipient_is_paid_what_was_signed_and_no_other_is() external {
        IServiceRFQSettlement.Order memory order = smallOrder(true);
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
        bytes memory signature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
        uint256 before = usd.balanceOf(maker);
        bytes memory makerSignature = signed(order);
        vm.prank(maker);
        settlement.fillFor(order, makerSignature, byAllowance(), authorization, signature, FEE);
        vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the recipient");
        vm.assertEq(usd.balanceOf(partner), 31_000, "the partner");
        vm.assertEq(usd.balanceOf(maker) + 10 * 550_000, before + order.premiumAmount, "the maker that submitted");
    }

    function test_a_taker_uses_no_nonce_of_its_maker() external {
        vm.prank(taker);
        settlement.cancelNonceRange(0, 100);
        IServiceRFQSettlement.Order memory order = smallOrder(true);
        fill(order);
        vm.assertTrue(settlement.isNonceUsed(maker, 0), "filled");
    }

    function test_neither_side_claims_the_others_part() external {
        vm.prank(taker);
        core.safeTransferFrom(taker, stranger, callId, 100, "");
        vm.prank(maker);
        core.closePosition(callId, 100, maker);
        settle(callId, 60);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.NothingWritten.selector, callId, stranger));
        vm.prank(stranger);
        core.claimWriterCollateral(callId);
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155InsufficientBalance.selector, taker, 0, 1, callId));
        vm.prank(taker);
        core.claimHolderPayout(callId, 1);
        vm.assertEq(core.claimAllFor(taker, callId), 100 * 400_000, "the writer's part");
        vm.assertEq(core.claimAllFor(stranger, callId), 100 * 150_000, "the holder's part");
        vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
    }

    function test_a_writer_accepts_no_short_for_its_holder() external {
        bytes32 digest = core.hashShortTransfer(maker, taker, callId, 1, core.nonces(taker), START);
        uint256[2] memory keys = [MAKER_KEY, HOT_KEY];
        for (uint256 i = 0; i < keys.length; ++i) {
            bytes memory signature = sign(keys[i], digest);
            isRefused(
                maker,
                address(core),
                abi.encodeCall(core.moveShort, (taker, callId, 1, START, signature)),
                abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, taker, digest)
            );
        }
    }

    /// @dev An owner that it proposed would take the core three days later.
    function test_the_guardian_proposes_no_owner() external {
        proposesNothing(guardian, IRoles.Role.Owner, next);
        proposesNothing(guardian, IRoles.Role.Owner, guardian);
    }

    function test_the_guardian_names_no_successor() external {
        proposesNothing(guardian, IRoles.Role.Guardian, next);
        proposesNothing(guardian, IRoles.Role.Guardian, guardian);
    }

    function test_the_guardian_proposes_no_signer() external {
        proposesNothing(guardian, IRoles.Role.ResolutionSigner, next);
        proposesNothing(guardian, IRoles.Role.ResolutionSigner, guardian);
    }

    function test_signer_registrar_and_halter_propose_no_one() external {
        address[3] memory officers = [signer, registrar, halter];
        for (uint256 i = 0; i < officers.length; ++i) {
            for (uint8 role = 0; role < 3; ++role) {
                proposesNothing(officers[i], IRoles.Role(role), officers[i]);
            }
        }
    }

    function test_the_guardian_takes_no_role_that_was_proposed_to_another() external {
        for (uint8 i = 0; i < 3; ++i) {
            vm.prank(owner);
            core.proposeRole(IRoles.Role(i), next);
        }
        vm.warp(START + 3 days);
        for (uint8 i = 0; i < 3; ++i) {
            isRefused(
                guardian,
                address(core),
                abi.encodeCall(core.confirmRole, (IRoles.Role(i))),
                abi.encodeWithSelector(IRoles.NotProposed.selector, IRoles.Role(i), guardian)
            );
        }
    }

    function test_the_owner_takes_no_role_that_it_proposed_to_another() external {
        for (uint8 i = 0; i < 3; ++i) {
            vm.prank(owner);
            core.proposeRole(IRoles.Role(i), next);
        }
        vm.warp(START + 3 days);
        for (uint8 i = 0; i < 3; ++i) {
            isRefused(
                owner,
                address(core),
                abi.encodeCall(core.confirmRole, (IRoles.Role(i))),
                abi.encodeWithSelector(IRoles.NotProposed.selector, IRoles.Role(i), owner)
            );
        }
    }

    /// @dev The maker sells or buys ten calls for 3.10.
    function smallOrder(bool makerSelling) private view returns (IServiceRFQSettlement.Order memory order) {
        order = someOrder();
        (order.makerSelling, order.optionAmount, order.premiumAmount) = (makerSelling, 10, 3_100_000);
    }

    /// @dev Each way to fill an order, as its taker would call it.
    function fillsOf(IServiceRFQSettlement.Order memory order) private view returns (bytes[] memory calls) {
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Permit memory noPermit;
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](1);
        bytes[] memory signatures = new bytes[](1);
        (orders[0], signatures[0]) = (order, signature);
        calls = new bytes[](9);
        calls[0] = abi.encodeCall(settlement.fill, (order, signature));
        calls[1] = abi.encodeCall(settlement.fillWithPermit, (order, signature, noPermit));
        calls[2] = abi.encodeCall(settlement.fillWithPayment, (order, signature, byAllowance(), address(0), 0));
        calls[3] = abi.encodeCall(settlement.fillBatch, (orders, signatures));
        calls[4] = abi.encodeCall(settlement.fillFromInventory, (order, signature, 0, 0, address(0), 0));
        calls[5] = abi.encodeCall(settlement.fillFromInventory, (order, signature, 10, 0, address(0), 0));
        calls[6] = abi.encodeCall(
            settlement.fillFromInventory, (order, signature, 4, order.makerSelling ? 5 : 0, address(0), 0)
        );
        calls[7] = abi.encodeCall(settlement.fillWithPartnerFee, (order, signature, partner, 100));
        calls[8] = abi.encodeCall(settlement.fillWithPartnerFee, (order, signature, maker, 500));
    }

    function everyoneButTheTaker() private view returns (address[] memory others) {
        others = new address[](12);
        (others[0], others[1], others[2], others[3]) = (maker, hot, feeRecipient, submitter);
        (others[4], others[5], others[6], others[7]) = (owner, guardian, signer, registrar);
        (others[8], others[9], others[10], others[11]) = (halter, stranger, address(core), address(settlement));
    }

    function authorizationOf(IServiceRFQSettlement.Order memory order)
        private
        view
        returns (IServiceRFQSettlement.FillAuthorization memory)
    {
        return IServiceRFQSettlement.FillAuthorization(
            settlement.hashOrder(order), FEE, feeRecipient, START + 60, partner, 100
        );
    }

    /// @dev The taker too: what it signed binds each account that submits it.
    function eachSubmitterIsRefused(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.FillAuthorization memory authorization,
        bytes memory takerSignature,
        uint256 fee,
        bytes memory reason
    ) private {
        bytes memory call = abi.encodeCall(
            settlement.fillFor, (order, signed(order), byAllowance(), authorization, takerSignature, fee)
        );
        address[] memory others = everyoneButTheTaker();
        for (uint256 i = 0; i < others.length; ++i) {
            isRefused(others[i], address(settlement), call, reason);
        }
        isRefused(taker, address(settlement), call, reason);
    }

    function proposesNothing(address officer, IRoles.Role role, address account) private {
        isRefused(
            officer,
            address(core),
            abi.encodeCall(core.proposeRole, (role, account)),
            abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, officer)
        );
        (address pending,,) = core.pendingRole(role);
        vm.assertEq(pending, address(0), "proposed");
    }

    function isRefused(address by, address target, bytes memory call, bytes memory reason) private {
        vm.prank(by);
        (bool passed, bytes memory given) = target.call(call);
        vm.assertTrue(!passed, "refused");
        vm.assertEq(keccak256(given), keccak256(reason), "reason");
    }
}
