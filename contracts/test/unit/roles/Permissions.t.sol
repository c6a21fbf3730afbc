// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title PermissionsTest
/// @notice Each restricted call succeeds for those who may make it, and is refused to every other account for that reason alone.
contract PermissionsTest is PricesWorld {
    /// @param call A call that succeeds now for each account of `allowed`, a bit each by its place in `accounts`.
    /// @param refusal Reason for all others, before the address of the caller.
    struct Row {
        string name;
        bytes call;
        uint256 allowed;
        bytes refusal;
    }

    uint256 private constant OWNER = 1 << 0;
    uint256 private constant GUARDIAN = 1 << 1;
    uint256 private constant REGISTRAR = 1 << 3;
    uint256 private constant HALTER = 1 << 4;
    uint256 private constant NEXT_OWNER = 1 << 5;
    uint256 private constant NEXT_GUARDIAN = 1 << 6;
    uint256 private constant NEXT_SIGNER = 1 << 7;
    uint256 private constant SETTLEMENT = 1 << 8;

    address private immutable nextOwner = address(0x0B0F);
    address private immutable nextGuardian = address(0x6A4E);
    address private immutable nextSigner = address(0x5160);

    address[] private accounts;
    Row[] private rows;

    /// @dev Fixings that expired a second apart: the first has a price that is not final, the second an announced one that is
    /// due, the third none.
    function setUp() public override {
        super.setUp();
        accounts = [
            owner,
            guardian,
            signer,
            registrar,
            halter,
            nextOwner,
            nextGuardian,
            nextSigner,
            address(settlement),
            address(core),
            maker,
            taker,
            stranger
        ];
        uint256 announced = createSeries(4500, EXPIRY + 1, 0);
        uint256 unpriced = createSeries(4500, EXPIRY + 2, 0);
        uint256 open = createSeries(4500, EXPIRY + 300 days, 0);
        trade(open, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, open, 5, "");
        vm.prank(maker);
        core.setApprovalForAll(address(settlement), true);

        vm.warp(EXPIRY + 4 days);
        propose(IRoles.Role.Owner, nextOwner);
        propose(IRoles.Role.Guardian, nextGuardian);
        propose(IRoles.Role.ResolutionSigner, nextSigner);
        vm.warp(EXPIRY + 5 days);
        announce(announced, 60);
        vm.warp(EXPIRY + 7 days);
        settle(callId, 60);
        addRows(announced, unpriced, open);
    }

    function test_each_call_is_made_by_those_who_may_and_by_no_one_else() external {
        for (uint256 i = 0; i < rows.length; ++i) {
            for (uint256 j = 0; j < accounts.length; ++j) {
                expectOutcome(rows[i], accounts[j], rows[i].allowed >> j & 1 != 0);
            }
        }
    }

    function test_a_former_owner_holds_no_role() external {
        confirm(IRoles.Role.Owner, nextOwner);
        for (uint256 i = 0; i < rows.length; ++i) {
            if (rows[i].allowed & NEXT_OWNER != 0) continue;
            expectOutcome(rows[i], owner, false);
            if (!isOfItsProposal(rows[i])) expectOutcome(rows[i], nextOwner, rows[i].allowed & OWNER != 0);
        }
    }

    function test_a_former_guardian_holds_no_role() external {
        confirm(IRoles.Role.Guardian, nextGuardian);
        for (uint256 i = 0; i < rows.length; ++i) {
            if (rows[i].allowed & NEXT_GUARDIAN != 0) continue;
            expectOutcome(rows[i], guardian, false);
            expectOutcome(rows[i], nextGuardian, rows[i].allowed & GUARDIAN != 0);
        }
    }

    function test_a_former_registrar_and_halter_hold_no_role() external {
        vm.prank(owner);
        core.setRole(IRoles.Role.Registrar, address(0));
        vm.prank(owner);
        core.setRole(IRoles.Role.Halter, address(0));
        for (uint256 i = 0; i < rows.length; ++i) {
            expectOutcome(rows[i], registrar, false);
            expectOutcome(rows[i], halter, false);
        }
    }

    /// @dev The proposal of the new owner ended when it took the role.
    function isOfItsProposal(Row memory row) private view returns (bool) {
        bytes memory call = abi.encodeCall(core.removeFromRole, (IRoles.Role.Owner, nextOwner));
        return keccak256(row.call) == keccak256(call);
    }

    function addRows(uint256 announced, uint256 unpriced, uint256 open) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = open;
        bytes memory ownerOnly = notInRole(IRoles.Role.Owner);
        bytes memory guardianOnly = notInRole(IRoles.Role.Guardian);
        IRoles.Role signerRole = IRoles.Role.ResolutionSigner;

        add(
            "register a series",
            abi.encodeCall(core.createSeries, (CONDITION, yesToken, conditionCollateral, 5000, EXPIRY + 300 days, 0)),
            OWNER | REGISTRAR,
            notInRole(IRoles.Role.Registrar)
        );
        add(
            "halt",
            abi.encodeCall(core.setHalted, (ids, true)),
            OWNER | GUARDIAN | HALTER,
            notInRole(IRoles.Role.Halter)
        );
        add("resume", abi.encodeCall(core.setHalted, (ids, false)), OWNER, ownerOnly);
        add("cap", abi.encodeCall(core.setDefaultCap, (3)), OWNER, ownerOnly);
        add("set the registrar", abi.encodeCall(core.setRole, (IRoles.Role.Registrar, stranger)), OWNER, ownerOnly);
        add("set the halter", abi.encodeCall(core.setRole, (IRoles.Role.Halter, stranger)), OWNER, ownerOnly);
        add("propose an owner", abi.encodeCall(core.proposeRole, (IRoles.Role.Owner, stranger)), OWNER, ownerOnly);
        add("propose a guardian", abi.encodeCall(core.proposeRole, (IRoles.Role.Guardian, stranger)), OWNER, ownerOnly);
        add("propose a signer", abi.encodeCall(core.proposeRole, (signerRole, stranger)), OWNER, ownerOnly);

        add("confirm an owner", abi.encodeCall(core.confirmRole, (IRoles.Role.Owner)), NEXT_OWNER, notProposed(0));
        add(
            "confirm a guardian",
            abi.encodeCall(core.confirmRole, (IRoles.Role.Guardian)),
            NEXT_GUARDIAN,
            notProposed(1)
        );
        add("confirm a signer", abi.encodeCall(core.confirmRole, (signerRole)), NEXT_SIGNER, notProposed(2));

        add(
            "revoke a proposed owner",
            abi.encodeCall(core.removeFromRole, (IRoles.Role.Owner, nextOwner)),
            OWNER | GUARDIAN,
            guardianOnly
        );
        add(
            "revoke a proposed guardian",
            abi.encodeCall(core.removeFromRole, (IRoles.Role.Guardian, nextGuardian)),
            OWNER,
            guardianOnly
        );
        add(
            "revoke a proposed signer",
            abi.encodeCall(core.removeFromRole, (signerRole, nextSigner)),
            OWNER | GUARDIAN,
            guardianOnly
        );
        add(
            "revoke the signer",
            abi.encodeCall(core.removeFromRole, (signerRole, signer)),
            OWNER | GUARDIAN,
            guardianOnly
        );

        add("veto a price", abi.encodeCall(core.vetoSeries, (callId)), GUARDIAN, guardianOnly);
        add("veto an announcement", abi.encodeCall(core.vetoManual, (announced)), GUARDIAN, guardianOnly);
        add("announce", abi.encodeCall(core.proposeManual, (unpriced, 60)), OWNER, ownerOnly);
        add("execute", abi.encodeCall(core.executeManual, (announced)), OWNER, ownerOnly);

        bytes memory settlementOnly = abi.encodePacked(IServiceCore.NotSettlement.selector);
        add(
            "write", abi.encodeCall(core.openPositionPaidBy, (maker, maker, taker, open, 1)), SETTLEMENT, settlementOnly
        );
        add("sell", abi.encodeCall(core.sellLongs, (maker, taker, open, 1)), SETTLEMENT, settlementOnly);
        add("close", abi.encodeCall(core.closeFor, (open, maker, 1)), SETTLEMENT, settlementOnly);
    }

    function add(string memory name, bytes memory call, uint256 allowed, bytes memory refusal) private {
        rows.push(Row(name, call, allowed, refusal));
    }

    function notInRole(IRoles.Role role) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IRoles.NotInRole.selector, role);
    }

    function notProposed(uint8 role) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IRoles.NotProposed.selector, IRoles.Role(role));
    }

    function expectOutcome(Row memory row, address caller, bool isAllowed) private {
        uint256 state = vm.snapshotState();
        vm.prank(caller);
        (bool passed, bytes memory reason) = address(core).call(row.call);
        string memory what = string.concat(row.name, " by ", vm.toString(bytes32(uint256(uint160(caller)))));
        vm.assertTrue(passed == isAllowed, what);
        if (!isAllowed) vm.assertEq(keccak256(reason), keccak256(bytes.concat(row.refusal, abi.encode(caller))), what);
        vm.revertToState(state);
    }
}
