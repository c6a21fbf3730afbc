// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC1155MetadataURI} from "@openzeppelin/contracts/token/ERC1155/extensions/IERC1155MetadataURI.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

/// @title DeploymentTest
/// @notice The constructors check the deployment, and the views describe it.
contract DeploymentTest is World {
    function test_the_contracts_share_addresses_and_stablecoin() external view {
        vm.assertEq(core.settlement(), address(settlement), "core's settlement");
        vm.assertEq(settlement.core(), address(core), "settlement's core");
        vm.assertEq(core.stablecoin(), address(usd), "core's stablecoin");
        vm.assertEq(settlement.stablecoin(), address(usd), "settlement's stablecoin");
        vm.assertEq(core.owner(), owner, "owner");
        vm.assertEq(core.resolutionSigner(), signer, "signer");
        vm.assertEq(core.holderOf(IRoles.Role.Owner), owner, "owner");
        vm.assertEq(core.holderOf(IRoles.Role.Guardian), guardian, "guardian");
        vm.assertEq(core.holderOf(IRoles.Role.ResolutionSigner), signer, "signer");
        vm.assertEq(core.holderOf(IRoles.Role.Registrar), registrar, "registrar");
        vm.assertEq(core.holderOf(IRoles.Role.Halter), halter, "halter");
        vm.assertEq(core.signerTerm(), 1, "the first signer's term");
        vm.assertEq(core.signerVacantSince(), 0, "not vacant");
        vm.assertEq(core.DISPUTE_WINDOW(), 0, "dispute window");
        vm.assertEq(core.TRADING_CUTOFF(), 0, "trading cut-off");
        vm.assertEq(core.defaultCap(), 0, "cap");
    }

    function test_a_settlement_at_another_address_is_refused() external {
        bytes memory code = codeOf("ServiceRFQSettlement");
        vm.expectRevert(
            abi.encodeWithSelector(
                IServiceRFQSettlement.CoreDoesNotPointBack.selector, address(core), address(settlement)
            )
        );
        this.createExternally(code, abi.encode(core));
    }

    function test_a_core_needs_settlement_owner_guardian_and_signer() external {
        bytes memory zero = abi.encodeWithSelector(IRoles.AddressZero.selector);
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.settlement = address(0);
        refuses(setup, zero);
        setup = setupOf(address(usd));
        setup.owner = address(0);
        refuses(setup, zero);
        setup = setupOf(address(usd));
        setup.guardian = address(0);
        refuses(setup, zero);
        setup = setupOf(address(usd));
        setup.resolutionSigner = address(0);
        refuses(setup, zero);
    }

    function test_a_core_may_be_without_registrar_and_halter() external {
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.registrar, setup.halter) = (address(0), address(0));
        (core,) = deploy(setup);
        vm.assertEq(core.holderOf(IRoles.Role.Registrar), address(0), "registrar");
        vm.assertEq(core.holderOf(IRoles.Role.Halter), address(0), "halter");
    }

    function test_a_stablecoin_without_6_decimals_is_refused() external {
        Decimals18 token = new Decimals18();
        refuses(
            setupOf(address(token)), abi.encodeWithSelector(IServiceCore.StablecoinDecimalsInvalid.selector, token, 18)
        );
    }

    function test_a_dispute_window_is_at_most_a_week() external {
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.disputeWindow = 7 days + 1;
        refuses(setup, abi.encodeWithSelector(IServiceCore.DisputeWindowTooLong.selector, 7 days + 1));
        setup = setupOf(address(usd));
        setup.disputeWindow = 7 days;
        (core,) = deploy(setup);
        vm.assertEq(core.DISPUTE_WINDOW(), 7 days, "window");
    }

    function test_a_trading_cut_off_is_at_most_a_week() external {
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.tradingCutoff = 7 days + 1;
        refuses(setup, abi.encodeWithSelector(IServiceCore.TradingCutoffTooLong.selector, 7 days + 1));
        setup = setupOf(address(usd));
        setup.tradingCutoff = 7 days;
        (core,) = deploy(setup);
        vm.assertEq(core.TRADING_CUTOFF(), 7 days, "cut-off");
    }

    function test_the_core_says_where_markets_resolve() external {
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.conditionalTokens = stranger;
        (core,) = deploy(setup);
        vm.assertEq(core.conditionalTokens(), stranger, "conditional tokens");
    }

    function test_events_name_the_first_holders_of_the_roles() external {
        address[5] memory holders = [owner, guardian, signer, registrar, halter];
        for (uint8 i = 0; i < 5; ++i) {
            vm.expectEmit(vm.computeCreateAddress(address(this), vm.getNonce(address(this))));
            emit IRoles.RoleChanged(IRoles.Role(i), address(0), holders[i]);
        }
        deploy(address(usd));
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

    function test_views_return_payoff_and_collateral() external {
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
        vm.expectRevert(unknown);
        core.manualProposalOf(1);
        vm.expectRevert(unknown);
        core.lastResortAt(1);
        vm.expectRevert(unknown);
        core.legsOf(1);
        vm.assertEq(core.shortOf(1, maker), 0, "short");
    }

    function refuses(IServiceCore.Setup memory setup, bytes memory reason) private {
        bytes memory code = codeOf("ServiceCore");
        vm.expectRevert(reason);
        this.createExternally(code, abi.encode(setup));
    }

    function createExternally(bytes calldata code, bytes calldata arguments) external {
        create(code, arguments);
    }
}

/// @title Decimals18
/// @notice This token has 18 decimals.
contract Decimals18 {
    function decimals() external pure returns (uint8) {
        return 18;
    }
}
