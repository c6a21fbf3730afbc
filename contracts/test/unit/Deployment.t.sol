// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC1155MetadataURI} from "@openzeppelin/contracts/token/ERC1155/extensions/IERC1155MetadataURI.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

contract DeploymentTest is World {
    function test_the_two_contracts_point_at_each_other_and_at_one_stablecoin() external view {
        vm.assertEq(core.settlement(), address(settlement), "core's settlement");
        vm.assertEq(settlement.core(), address(core), "settlement's core");
        vm.assertEq(core.stablecoin(), address(usd), "core's stablecoin");
        vm.assertEq(settlement.stablecoin(), address(usd), "settlement's stablecoin");
        vm.assertEq(core.owner(), owner, "owner");
        vm.assertEq(core.resolutionSigner(), signer, "signer");
    }

    function test_a_settlement_contract_at_another_address_than_predicted_is_refused() external {
        bytes memory code = codeOf("ServiceRFQSettlement");
        vm.expectRevert(
            abi.encodeWithSelector(
                IServiceRFQSettlement.CoreDoesNotPointBack.selector, address(core), address(settlement)
            )
        );
        this.createExternally(code, abi.encode(core));
    }

    function test_a_core_without_settlement_signer_or_owner_is_refused() external {
        bytes memory code = codeOf("ServiceCore");
        bytes memory zero = abi.encodeWithSelector(IServiceCore.AddressZero.selector);
        vm.expectRevert(zero);
        this.createExternally(code, abi.encode(usd, address(0), signer, owner, ""));
        vm.expectRevert(zero);
        this.createExternally(code, abi.encode(usd, settlement, address(0), owner, ""));
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        this.createExternally(code, abi.encode(usd, settlement, signer, address(0), ""));
    }

    function test_a_stablecoin_without_6_decimals_is_refused() external {
        bytes memory code = codeOf("ServiceCore");
        Decimals18 token = new Decimals18();
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.StablecoinDecimalsInvalid.selector, token, 18));
        this.createExternally(code, abi.encode(token, settlement, signer, owner, ""));
    }

    function test_the_first_signer_is_announced_by_an_event() external {
        vm.expectEmit(vm.computeCreateAddress(address(this), vm.getNonce(address(this))));
        emit IServiceCore.ResolutionSignerChanged(address(0), signer);
        deploy(address(usd));
    }

    function test_ownership_is_handed_over_in_two_steps() external {
        vm.prank(owner);
        core.transferOwnership(stranger);
        vm.assertEq(core.owner(), owner, "until it is accepted");
        vm.prank(stranger);
        core.acceptOwnership();
        vm.assertEq(core.owner(), stranger, "then");
    }

    function test_ownership_cannot_be_renounced() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.OwnershipNotRenounceable.selector));
        vm.prank(owner);
        core.renounceOwnership();
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, stranger));
        vm.prank(stranger);
        core.renounceOwnership();
    }

    function test_the_core_says_which_interfaces_it_has() external view {
        vm.assertTrue(core.supportsInterface(type(IServiceCore).interfaceId), "IServiceCore");
        vm.assertTrue(core.supportsInterface(type(IERC1155).interfaceId), "ERC-1155");
        vm.assertTrue(core.supportsInterface(type(IERC1155MetadataURI).interfaceId), "ERC-1155 metadata");
        vm.assertTrue(core.supportsInterface(type(IERC165).interfaceId), "ERC-165");
        vm.assertTrue(!core.supportsInterface(0xffffffff), "none");
    }

    function test_metadata_is_found_by_the_series_id() external view {
        vm.assertEq(core.uri(callId), "https://rfq.example/series/{id}", "uri");
    }

    function test_both_domains_are_published_as_erc_5267_asks() external view {
        (bytes1 fields, string memory name, string memory version, uint256 chainId, address verifier,,) =
            core.eip712Domain();
        vm.assertEq(bytes32(fields), bytes32(hex"0f"), "fields");
        vm.assertEq(name, "ServiceCore", "name");
        vm.assertEq(version, "1", "version");
        vm.assertEq(chainId, 80_002, "chain");
        vm.assertEq(verifier, address(core), "verifier");
        (, name, version, chainId, verifier,,) = settlement.eip712Domain();
        vm.assertEq(name, "ServiceRFQSettlement", "name");
        vm.assertEq(version, "1", "version");
        vm.assertEq(chainId, 80_002, "chain");
        vm.assertEq(verifier, address(settlement), "verifier");
    }

    function test_views_of_a_series_say_what_an_option_can_pay_and_costs_to_write() external {
        vm.assertEq(core.maxPayoff(callId), 550_000, "call");
        vm.assertEq(core.maxPayoff(putId), 450_000, "put");
        vm.assertEq(core.requiredCollateral(callId, 250), 137_500_000, "collateral");
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesNotSettled.selector, callId));
        core.payoff(callId);
    }

    function test_views_of_an_unknown_series_revert_and_its_short_is_zero() external {
        bytes memory unknown = abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1);
        vm.expectRevert(unknown);
        core.getSeries(1);
        vm.expectRevert(unknown);
        core.maxPayoff(1);
        vm.expectRevert(unknown);
        core.payoff(1);
        vm.expectRevert(unknown);
        core.requiredCollateral(1, 1);
        vm.assertEq(core.shortOf(1, maker), 0, "short");
    }

    function createExternally(bytes calldata code, bytes calldata arguments) external {
        create(code, arguments);
    }
}

contract Decimals18 {
    function decimals() external pure returns (uint8) {
        return 18;
    }
}
