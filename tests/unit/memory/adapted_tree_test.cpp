// Trees that adapters make of others: what is there, what it takes, who it is.
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

namespace adapted_tree_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr int64_t kRank = 4;
const WeightFile kAdapter{.path = "adapter.safetensors", .size = 99};

/// Layers [8, 16] of 128 numbers each, as testing::tree makes them but for their shape.
ComponentTree base(DType fileType = DType::F16) {
    ComponentTree tree = *testing::tree("denoiser", {128, 128, 128}, fileType, DType::F32);
    for (Weight& weight : tree.weights) {
        weight.shape = {8, 16};
    }
    return tree;
}

AddedDelta lowRank(WeightId weight, double strength = 1) {
    return {.weight = weight,
            .kind = "low_rank",
            .factors = {{.name = "up", .key = "a.up", .type = DType::F16, .shape = {8, kRank}},
                        {.name = "down",
                         .key = "a.down",
                         .fileOffset = 64,
                         .type = DType::F16,
                         .shape = {kRank, 16}}},
            .strength = strength};
}

ComponentTree adapted(const ComponentTree& tree, std::vector<AddedDelta> deltas) {
    return patched(tree, {.files = {kAdapter}, .deltas = std::move(deltas)});
}

const WeightFile kLayers{.path = "layers.safetensors", .size = 77};

/// A pair of layers behind the own weights of a leaf.
Composition pairOf(LeafId leaf) {
    const auto layer = [&](const char* name, int64_t offset) {
        return AddedWeight{.leaf = leaf,
                           .location = {.name = name,
                                        .key = std::string("ip.") + name,
                                        .fileOffset = offset,
                                        .type = DType::F16,
                                        .shape = {8, 4}}};
    };
    return {.files = {kLayers}, .weights = {layer("to_k", 0), layer("to_v", 64)}};
}

ComponentPrecision stored(std::optional<DType> type, DType compute) {
    ComponentPrecision precision{.role = "denoiser", .compute = compute};
    precision.storesAsInFile = !type;
    precision.storage = type.value_or(DType::F32);
    return precision;
}

}  // namespace

class AdaptedTreeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Networks ask for what they asked for before; groups bring the factors along.
    void factorsAreWeightsOfTheirLeaf() {
        const ComponentTree plain = base();
        const ComponentTree tree = adapted(plain, {lowRank(1)});
        QCOMPARE(tree.leaves[1].ownWeights().size(), plain.leaves[1].weights.size());
        QCOMPARE(tree.leaves[1].weights.size(), plain.leaves[1].weights.size() + 2);
        QCOMPARE(tree.leaves[0].weights, plain.leaves[0].weights);
        const Layout before = groupByLeaf(plain);
        const Layout after = groupByLeaf(tree);
        const Bytes factors = sizeOf(DType::F16) * kRank * (8 + 16);
        QCOMPARE(after.groups[1].contentBytes, before.groups[1].contentBytes + factors);
        QCOMPARE(after.groups[0].contentBytes, before.groups[0].contentBytes);
        QVERIFY(after.leaves[1].compute == before.leaves[1].compute);
        QCOMPARE(tree.files.size(), plain.files.size() + 1);
        QCOMPARE(tree.networkFiles(), plain.files);
    }

    /// Equal content has an equal id, whatever else differs has another one.
    void aTreeIsKnownByItsDeltas() {
        const ComponentTree plain = base();
        const ComponentTree tree = adapted(plain, {lowRank(1, 0.5)});
        QVERIFY(tree.id != plain.id);
        QCOMPARE(tree.networkId(), plain.id);
        QCOMPARE(tree.weightsId(), tree.id);
        QCOMPARE(tree.id, adapted(plain, {lowRank(1, 0.5)}).id);
        QVERIFY(tree.id != adapted(plain, {lowRank(1, 0.5000000000000001)}).id);
        QVERIFY(tree.id != adapted(plain, {lowRank(0, 0.5)}).id);
        AddedDelta scaled = lowRank(1, 0.5);
        scaled.scale = 2;
        QVERIFY(tree.id != adapted(plain, {scaled}).id);
        WeightFile newer = kAdapter;
        newer.modifiedNanoseconds = 1;
        QVERIFY(tree.id != patched(plain, {.files = {newer}, .deltas = {lowRank(1, 0.5)}}).id);
    }

    void theOrderOfAdaptersIsPartOfIt() {
        const ComponentTree plain = base();
        const ComponentTree one = adapted(adapted(plain, {lowRank(1, 1)}), {lowRank(1, 2)});
        const ComponentTree other = adapted(adapted(plain, {lowRank(1, 2)}), {lowRank(1, 1)});
        QVERIFY(one.id != other.id);
        QCOMPARE(one.networkId(), plain.id);
        QCOMPARE(one.deltas.size(), size_t{2});
        QCOMPARE(one.deltas[0].strength, 1.0);
        QCOMPARE(one.networkFiles(), plain.files);
        QCOMPARE(one.leaves[1].ownWeights().size(), plain.leaves[1].weights.size());
    }

    void aDeltaOfStrengthZeroIsNone() {
        const ComponentTree plain = base();
        const ComponentTree tree = adapted(plain, {lowRank(0, 0), lowRank(1, 0)});
        QCOMPARE(tree.id, plain.id);
        QCOMPARE(tree.files, plain.files);
        QVERIFY(tree.deltas.empty());
    }

    /// The factors of a tied weight come with each leaf that may be the first to use it.
    void factorsOfATiedWeightAreShared() {
        ComponentTree plain = base();
        plain.weights[2].storage = plain.weights[0].storage;
        const ComponentTree tree = adapted(plain, {lowRank(0)});
        const Layout layout = groupByLeaf(tree);
        QVERIFY(layout.groups[0].isShared);
        QCOMPARE(layout.groups[0].storages.size(), size_t{3});
        for (const LeafId leaf : {0u, 2u}) {
            QCOMPARE(tree.leaves[leaf].factorCount, 2u);
            QCOMPARE(layout.leafGroups[leaf], std::vector<GroupId>{0});
        }
    }

    /// What is composed in is asked for behind the leaf's own weights, factors remain behind it.
    void composedWeightsStandBeforeFactors_data() {
        QTest::addColumn<bool>("isPatchedFirst");
        QTest::newRow("LoRA, then layers") << true;
        QTest::newRow("layers, then LoRA") << false;
    }

    void composedWeightsStandBeforeFactors() {
        QFETCH(bool, isPatchedFirst);
        const ComponentTree plain = base();
        const ComponentTree tree = isPatchedFirst
                                       ? composed(adapted(plain, {lowRank(1)}), pairOf(1))
                                       : adapted(composed(plain, pairOf(1)), {lowRank(1)});
        const Leaf& leaf = tree.leaves[1];
        const auto nameAt = [&](size_t i) { return tree.weights[leaf.weights[i]].name; };
        const size_t own = plain.leaves[1].weights.size();
        QCOMPARE(leaf.addedCount, 2u);
        QCOMPARE(leaf.factorCount, 2u);
        QCOMPARE(leaf.ownWeights().size(), own + 2);
        QCOMPARE(leaf.weights.size(), own + 4);
        QCOMPARE(nameAt(own), leaf.name + ".to_k");
        QCOMPARE(nameAt(own + 1), leaf.name + ".to_v");
        QCOMPARE(nameAt(own + 2), std::string("a.up"));
        for (size_t i = own; i < own + 2; ++i) {
            const Storage& storage = tree.storages[tree.weights[leaf.weights[i]].storage];
            QCOMPARE(tree.files[storage.file], kLayers);
        }
        for (const DeltaFactor& factor : tree.deltas.front().factors) {
            QCOMPARE(tree.files[tree.storages[tree.weights[factor.weight].storage].file], kAdapter);
        }
        QCOMPARE(tree.networkId(), plain.id);
        QCOMPARE(tree.networkFiles(), plain.files);
    }

    /// They lie in the types of the network, in the leaf's group.
    void composedWeightsHaveTheTypesOfTheNetwork() {
        const ComponentTree plain = base();
        const ComponentTree tree = composed(plain, pairOf(1));
        const Bytes bytes = groupByLeaf(tree).groups[1].contentBytes;
        QCOMPARE(bytes, groupByLeaf(plain).groups[1].contentBytes + 2 * 32 * sizeOf(DType::F32));
        const ComponentTree half = inPrecision(tree, stored(DType::F16, DType::F16));
        const WeightId pair = half.leaves[1].ownWeights().back();
        QVERIFY(half.weights[pair].computeType == DType::F16);
        QVERIFY(half.deviceType(half.weights[pair].storage) == DType::F16);
        QCOMPARE(half.networkId(), plain.id);
        const ComponentTree eight = inPrecision(tree, stored(DType::F8E4M3, DType::F16));
        QVERIFY(eight.deviceType(eight.weights[pair].storage) == DType::F8E4M3);
    }

    /// Offload names the networks of a model by the trees that it has; what a stage composed into
    /// one of them is that network still, one with LoRAs is another model's.
    void aModelNamesWhatIsComposedIntoIt() {
        const ComponentTree plain = base();
        const ComponentTree changed = adapted(plain, {lowRank(1)});
        const ComponentTree tree = composed(changed, pairOf(1));
        for (const ComponentTree& each :
             {tree, inPrecision(tree, stored(DType::F16, DType::F16))}) {
            QVERIFY(isNamed(each, changed.id));
            QVERIFY(isNamed(each, tree.id));
            QVERIFY(!isNamed(each, plain.id));
        }
        QVERIFY(isNamed(composed(plain, pairOf(1)), plain.id));
        QVERIFY(!isNamed(plain, ""));
    }

    void aTreeIsKnownByWhatIsComposedIn() {
        const ComponentTree plain = base();
        const ComponentTree tree = composed(plain, pairOf(1));
        QVERIFY(tree.id != plain.id);
        QCOMPARE(tree.id, composed(plain, pairOf(1)).id);
        QVERIFY(tree.id != composed(plain, pairOf(0)).id);
        Composition newer = pairOf(1);
        newer.files.front().modifiedNanoseconds = 1;
        QVERIFY(tree.id != composed(plain, newer).id);
        Composition moved = pairOf(1);
        moved.weights.front().location.fileOffset = 8;
        QVERIFY(tree.id != composed(plain, moved).id);
        QCOMPARE(composed(plain, {}).id, plain.id);
    }

    void whatIsAdaptedIsNotReadInPlace() {
        const DeviceTraits cpu{.usesWeightsInPlace = true};
        const ComponentTree plain = base(DType::F32);
        QVERIFY(isUsedInPlace(plain, cpu));
        QVERIFY(!isUsedInPlace(adapted(plain, {lowRank(1)}), cpu));
    }

    void howAnAdaptedWeightIsStored_data() {
        // No storage: as in the file.
        const testing::Rows<DType, std::optional<DType>, DType, DType, DType> row(
            "file", "storage", "compute", "held", "arrives");
        using enum DType;
        row("f16 as f32", F16, F32, F32, F32, F32);
        row("f16 as it is", F16, {}, F16, F16, F16);
        row("f16 as f16", F16, F16, F16, F16, F16);
        row("f32 as f16", F32, F16, F16, F16, F32);
        row("f16 as bf16", F16, BF16, BF16, BF16, F16);
        row("f16 as f8", F16, F8E4M3, BF16, F8E4M3, F8E4M3);
        row("f8 as it is", F8E4M3, {}, BF16, F8E4M3, F8E4M3);
        row("f8 as f16", F8E4M3, F16, F16, F16, F16);
    }

    /// It comes with every value of its file and is rounded once. In eight bits it lies as it is
    /// without its delta, which is added with every lease.
    void howAnAdaptedWeightIsStored() {
        QFETCH(DType, file);
        QFETCH(std::optional<DType>, storage);
        QFETCH(DType, compute);
        QFETCH(DType, held);
        QFETCH(DType, arrives);
        const ComponentTree tree = adapted(base(file), {lowRank(1)});
        const ComponentTree typed = inPrecision(tree, stored(storage, compute));
        const StorageId changed = typed.weights[1].storage;
        QVERIFY(typed.deviceType(changed) == held);
        const bool isByte = held == DType::F8E4M3;
        QCOMPARE(deltasAtLease(typed.storages[changed]), isByte);
        const int64_t scales = isByte && storage ? 8 : 0;
        QCOMPARE(typed.storages[changed].scaleCount, scales);
        QVERIFY(typed.storages[changed].uploadType.value_or(typed.deviceType(changed)) == arrives);
        const Bytes widest = std::max(sizeOf(held), sizeOf(arrives));
        const Bytes ofScales = scales * sizeOf(DType::F32);
        QCOMPARE(uploadBytes(typed, changed), 128 * widest + ofScales);
        QCOMPARE(typed.deviceBytes(changed), 128 * sizeOf(held) + ofScales);
        QCOMPARE(typed.networkId(), base(file).id);
        for (const DeltaFactor& factor : typed.deltas[0].factors) {
            QVERIFY(typed.deviceType(typed.weights[factor.weight].storage) == DType::F16);
            QVERIFY(typed.weights[factor.weight].computeType == DType::F16);
        }
    }

    void residentsHaveSpaceForWhatRemainsAlone_data() {
        const testing::Rows<DType, std::optional<DType>> row("file", "storage");
        row("f32 as f16", DType::F32, DType::F16);
        row("f32 as f8", DType::F32, DType::F8E4M3);
        row("f16 as it is", DType::F16, {});
        row("f16 as bf16", DType::F16, DType::BF16);
        row("f8 as it is", DType::F8E4M3, {});
    }

    /// An adapter takes what its factors take and nothing more, under each policy that holds the
    /// whole component.
    void residentsHaveSpaceForWhatRemainsAlone() {
        QFETCH(DType, file);
        QFETCH(std::optional<DType>, storage);
        const ComponentPrecision precision = stored(storage, DType::F16);
        const ComponentTree plain = base(file);
        const ComponentTree before = inPrecision(plain, precision);
        const ComponentTree after =
            inPrecision(adapted(plain, {lowRank(0), lowRank(1), lowRank(2)}), precision);
        const Bytes factors = 3 * (alignUp(8 * kRank * sizeOf(DType::F16), kSlotAlignment) +
                                   alignUp(16 * kRank * sizeOf(DType::F16), kSlotAlignment));
        QCOMPARE(after.deviceBytes(), before.deviceBytes() + factors);
        for (const char* policy : {"none", "model", "auto"}) {
            const auto bytesOf = [&](const ComponentTree& tree) {
                return findPlanner(policy)
                    ->lay({.tree = tree,
                           .traits = {},
                           .profile = estimatedProfile("cuda"),
                           .policy = parsePolicy(policy),
                           .space = before.deviceBytes() + factors})
                    .bytes();
            };
            QCOMPARE(bytesOf(after), bytesOf(before) + factors);
        }
    }

    /// What streams needs space for what comes.
    void theRingBufferHoldsWhatComes() {
        const ComponentPrecision precision = stored(DType::F16, DType::F16);
        const ComponentTree tree =
            inPrecision(adapted(base(DType::F32), {lowRank(0), lowRank(1), lowRank(2)}), precision);
        const Layout layout = findPlanner("sequential")
                                  ->lay({.tree = tree,
                                         .traits = {},
                                         .profile = estimatedProfile("cuda"),
                                         .policy = parsePolicy("sequential")});
        const Bytes comes = alignUp(128 * sizeOf(DType::F32), kSlotAlignment);
        QVERIFY(layout.ringBufferBytes >= comes);
        QVERIFY(layout.groups[0].bytes >= comes);
        QVERIFY(tree.deviceBytes(0) < 128 * sizeOf(DType::F32));
    }
};

LOWTIDE_TEST(AdaptedTreeTest)

}  // namespace adapted_tree_test

#include "adapted_tree_test.moc"
