// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DeploymentFactory} from "../../../src/DeploymentFactory.sol";
import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {ServiceCore} from "../../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../../src/ServiceRFQSettlement.sol";
import {TestUSD} from "../../../src/TestUSD.sol";
import {World} from "../../support/World.sol";

/// @title DeploymentFactoryTest
/// @notice One deployer has the two contracts created once, at addresses that salt, deployer and code decide.
contract DeploymentFactoryTest is World {
    /// @dev Well-known address and code of the deterministic deployment proxy: salt and creation code in, address out.
    address private constant PROXY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;
    bytes private constant PROXY_CODE =
        hex"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

    bytes32 private constant SALT = bytes32(uint256(3));
    address private constant DEPLOYER = address(0xDE91);

    bytes private coreCode;
    bytes private settlementCode;

    function setUp() public override {
        super.setUp();
        vm.etch(PROXY, PROXY_CODE);
        coreCode = codeOf("ServiceCore");
        settlementCode = codeOf("ServiceRFQSettlement");
    }

    function test_the_deployer_has_core_and_settlement_created() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        vm.assertEq(factory.core(), address(0), "none before");
        (core, settlement) = deployBy(factory, setupFor(factory, address(usd)));
        vm.assertEq(address(core), vm.computeCreateAddress(address(factory), 1), "first creation");
        vm.assertEq(address(settlement), vm.computeCreateAddress(address(factory), 2), "second creation");
        vm.assertEq(factory.core(), address(core), "the factory names the core");
        vm.assertEq(core.settlement(), address(settlement), "core's settlement");
        vm.assertEq(settlement.core(), address(core), "settlement's core");
    }

    function test_the_contracts_are_created_with_the_choices_of_the_deployer() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(factory, address(usd));
        (setup.tradingCutoff, setup.disputeWindow, setup.conditionalTokens) = (30 minutes, 2 hours, stranger);
        (core, settlement) = deployBy(factory, setup);
        vm.assertEq(core.stablecoin(), address(usd), "stablecoin");
        vm.assertEq(settlement.stablecoin(), address(usd), "settlement's stablecoin");
        vm.assertEq(core.TRADING_CUTOFF(), 30 minutes, "cut-off");
        vm.assertEq(core.DISPUTE_WINDOW(), 2 hours, "window");
        vm.assertEq(core.conditionalTokens(), stranger, "conditional tokens");
        vm.assertEq(core.uri(0), setup.uri, "uri");
        (,,,, address verifier,,) = core.eip712Domain();
        vm.assertEq(verifier, address(core), "core's domain");
        (,,,, verifier,,) = settlement.eip712Domain();
        vm.assertEq(verifier, address(settlement), "settlement's domain");
    }

    function test_the_factory_has_no_role_and_no_approval() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        (core, settlement) = deployBy(factory, setupFor(factory, address(usd)));
        address[5] memory holders = [owner, guardian, signer, registrar, halter];
        for (uint8 i = 0; i < 5; ++i) {
            vm.assertEq(core.holderOf(IRoles.Role(i)), holders[i], "holder");
        }
        vm.assertEq(usd.allowance(address(settlement), address(factory)), 0, "settlement's approval");
        vm.assertEq(usd.allowance(address(core), address(factory)), 0, "core's approval");
    }

    function test_the_addresses_are_the_same_on_another_chain_with_other_choices() external {
        uint256 state = vm.snapshotState();
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        (ServiceCore first, ServiceRFQSettlement firstSettlement) = deployBy(factory, setupFor(factory, address(usd)));
        vm.revertToState(state);
        vm.chainId(137);
        TestUSD other = TestUSD(create(codeOf("TestUSD"), abi.encode(stranger, stranger)));
        DeploymentFactory second = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(second, address(other));
        (setup.owner, setup.disputeWindow, setup.uri) = (taker, 1 hours, "");
        (core, settlement) = deployBy(second, setup);
        vm.assertEq(address(second), address(factory), "factory");
        vm.assertEq(address(core), address(first), "core");
        vm.assertEq(address(settlement), address(firstSettlement), "settlement");
        vm.assertEq(core.stablecoin(), address(other), "with a stablecoin of its own");
    }

    function test_another_salt_deployer_or_code_is_another_address() external {
        address first = address(factoryOf(SALT, DEPLOYER));
        vm.assertTrue(first != address(factoryOf(bytes32(uint256(4)), DEPLOYER)), "salt");
        vm.assertTrue(first != address(factoryOf(SALT, stranger)), "deployer");
        coreCode = bytes.concat(coreCode, hex"00");
        vm.assertTrue(first != address(factoryOf(SALT, DEPLOYER)), "code");
    }

    function test_a_stranger_creates_the_factory_of_a_deployer_and_nothing_else() external {
        bytes memory creation = creationOf(SALT, DEPLOYER);
        vm.prank(stranger);
        (bool passed, bytes memory created) = PROXY.call(creation);
        vm.assertTrue(passed, "created");
        DeploymentFactory factory = DeploymentFactory(address(bytes20(created)));
        vm.assertEq(factory.deployer(), DEPLOYER, "deployer");
        vm.assertEq(factory.coreCodeHash(), keccak256(coreCode), "core's code");
        vm.assertEq(factory.settlementCodeHash(), keccak256(settlementCode), "settlement's code");
        (passed,) = PROXY.call(creation);
        vm.assertTrue(!passed, "once");
        deployBy(factory, setupFor(factory, address(usd)));
    }

    function testFuzz_no_one_but_the_deployer_has_contracts_created(address caller) external {
        vm.assume(caller != DEPLOYER);
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        refuses(
            factory,
            caller,
            setupFor(factory, address(usd)),
            abi.encodeWithSelector(DeploymentFactory.NotDeployer.selector, caller)
        );
    }

    function test_a_factory_that_names_no_deployer_creates_nothing() external {
        DeploymentFactory factory = factoryOf(SALT, address(0));
        refuses(
            factory,
            stranger,
            setupFor(factory, address(usd)),
            abi.encodeWithSelector(DeploymentFactory.NotDeployer.selector, stranger)
        );
    }

    function test_contracts_are_created_once() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(factory, address(usd));
        (core,) = deployBy(factory, setup);
        bytes memory reason = abi.encodeWithSelector(DeploymentFactory.AlreadyDeployed.selector, core);
        refuses(factory, DEPLOYER, setup, reason);
        setup.settlement = vm.computeCreateAddress(address(factory), 4);
        refuses(factory, DEPLOYER, setup, reason);
        vm.assertEq(vm.getNonce(address(factory)), 3, "creations");
    }

    function test_a_factory_that_names_no_code_takes_none() external {
        bytes memory arguments = abi.encode(DEPLOYER, bytes32(0), bytes32(0));
        (, bytes memory created) = PROXY.call(bytes.concat(SALT, codeOf("DeploymentFactory"), arguments));
        DeploymentFactory factory = DeploymentFactory(address(bytes20(created)));
        refuses(factory, DEPLOYER, setupFor(factory, address(usd)), mismatch(keccak256(coreCode), bytes32(0)));
    }

    function test_other_code_is_refused() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(factory, address(usd));
        (bytes32 coreHash, bytes32 settlementHash) = (keccak256(coreCode), keccak256(settlementCode));
        bytes memory code = coreCode;
        coreCode = bytes.concat(code, hex"00");
        refuses(factory, DEPLOYER, setup, mismatch(keccak256(coreCode), coreHash));
        coreCode = settlementCode;
        refuses(factory, DEPLOYER, setup, mismatch(settlementHash, coreHash));
        coreCode = code;
        code = settlementCode;
        settlementCode = "";
        refuses(factory, DEPLOYER, setup, mismatch(keccak256(""), settlementHash));
        settlementCode = coreCode;
        refuses(factory, DEPLOYER, setup, mismatch(coreHash, settlementHash));
        vm.assertEq(factory.core(), address(0), "nothing was created");
        settlementCode = code;
        deployBy(factory, setup);
    }

    function test_a_core_that_fails_leaves_nothing_and_says_why() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(factory, address(usd));
        setup.disputeWindow = 8 days;
        refuses(factory, DEPLOYER, setup, abi.encodeWithSelector(IServiceCore.DisputeWindowTooLong.selector, 8 days));
        leavesNothing(factory);
    }

    function test_a_settlement_that_fails_leaves_no_core_and_says_why() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(factory, address(usd));
        setup.settlement = stranger;
        address first = vm.computeCreateAddress(address(factory), 1);
        refuses(
            factory,
            DEPLOYER,
            setup,
            abi.encodeWithSelector(IServiceRFQSettlement.CoreDoesNotPointBack.selector, first, stranger)
        );
        leavesNothing(factory);
    }

    function test_code_that_fails_without_a_reason_is_refused() external {
        bytes memory code = coreCode;
        coreCode = hex"5f5ffd";
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        IServiceCore.Setup memory setup = setupFor(factory, address(usd));
        bytes memory reason = abi.encodeWithSelector(DeploymentFactory.CreationFailed.selector);
        refuses(factory, DEPLOYER, setup, reason);
        (coreCode, settlementCode) = (code, hex"5f5ffd");
        factory = factoryOf(SALT, DEPLOYER);
        refuses(factory, DEPLOYER, setupFor(factory, address(usd)), reason);
        vm.assertEq(vm.getNonce(address(factory)), 1, "creations");
    }

    function test_the_factory_takes_no_ether() external {
        DeploymentFactory factory = factoryOf(SALT, DEPLOYER);
        bytes memory call = abi.encodeCall(factory.deploy, (coreCode, setupFor(factory, address(usd)), settlementCode));
        vm.deal(address(this), 1 ether);
        (bool passed,) = address(factory).call{value: 1}("");
        vm.assertTrue(!passed, "plain");
        vm.deal(DEPLOYER, 1 ether);
        vm.prank(DEPLOYER);
        (passed,) = address(factory).call{value: 1}(call);
        vm.assertTrue(!passed, "with a call");
        vm.prank(DEPLOYER);
        (passed,) = address(factory).call(call);
        vm.assertTrue(passed, "without");
    }

    /// @dev The deployer can repeat it, at the same addresses.
    function leavesNothing(DeploymentFactory factory) private {
        vm.assertEq(factory.core(), address(0), "named");
        vm.assertEq(vm.getNonce(address(factory)), 1, "creations");
        (core,) = deployBy(factory, setupFor(factory, address(usd)));
        vm.assertEq(address(core), vm.computeCreateAddress(address(factory), 1), "first creation");
    }

    function setupFor(DeploymentFactory factory, address stablecoin)
        private
        view
        returns (IServiceCore.Setup memory setup)
    {
        setup = setupOf(stablecoin);
        setup.settlement = vm.computeCreateAddress(address(factory), 2);
    }

    /// @dev What the proxy is sent for a factory.
    function creationOf(bytes32 salt, address deployer) private view returns (bytes memory) {
        bytes memory arguments = abi.encode(deployer, keccak256(coreCode), keccak256(settlementCode));
        return bytes.concat(salt, codeOf("DeploymentFactory"), arguments);
    }

    function factoryOf(bytes32 salt, address deployer) private returns (DeploymentFactory) {
        (bool passed, bytes memory created) = PROXY.call(creationOf(salt, deployer));
        vm.assertTrue(passed && created.length == 20, "the proxy creates");
        return DeploymentFactory(address(bytes20(created)));
    }

    function deployBy(DeploymentFactory factory, IServiceCore.Setup memory setup)
        private
        returns (ServiceCore core_, ServiceRFQSettlement settlement_)
    {
        vm.prank(DEPLOYER);
        factory.deploy(coreCode, setup, settlementCode);
        core_ = ServiceCore(factory.core());
        settlement_ = ServiceRFQSettlement(core_.settlement());
    }

    function refuses(DeploymentFactory factory, address caller, IServiceCore.Setup memory setup, bytes memory reason)
        private
    {
        vm.expectRevert(reason);
        vm.prank(caller);
        factory.deploy(coreCode, setup, settlementCode);
    }

    function mismatch(bytes32 found, bytes32 expected) private pure returns (bytes memory) {
        return abi.encodeWithSelector(DeploymentFactory.CodeMismatch.selector, found, expected);
    }
}
