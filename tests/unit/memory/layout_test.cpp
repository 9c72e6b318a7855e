#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/layout.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

namespace layout_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

/// Two levels of two units each (one large), leaves before and behind.
ComponentTree nested() {
    ComponentTree tree = *testing::tree("denoiser", {128, 128, 128, 128, 1280, 128, 128});
    tree.blocks = {{"level.0", 1, 2, 0},
                   {"level.0.unit.0", 1, 1, 1},
                   {"level.0.unit.1", 2, 1, 1},
                   {"level.1", 3, 3, 0},
                   {"level.1.unit.0", 3, 1, 1},
                   {"level.1.unit.1", 4, 2, 1}};
    return tree;
}

std::vector<std::string> namesOf(const Layout& layout) {
    std::vector<std::string> names;
    for (const Group& group : layout.groups) {
        names.push_back(group.name);
    }
    return names;
}

}  // namespace

class LayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void everyLeafIsAGroup() {
        const Layout layout = groupByLeaf(nested());
        QCOMPARE(layout.groups.size(), size_t{7});
        QCOMPARE(layout.groups[4].bytes, Bytes{4 * 1280});
        QCOMPARE(layout.leafGroups[4], std::vector<GroupId>{4});
    }

    void blocksThatAreTooLargeAreDivided() {
        // level.1 holds 12 of 16 units of bytes, level.0 an eighth: only the first is divided.
        const Layout layout = groupByBlock(nested(), 1);
        QCOMPARE(namesOf(layout),
                 (std::vector<std::string>{"layer.0", "layer.1", "layer.3", "layer.4", "layer.6"}));
        const Layout two = groupByBlock(nested(), 2);
        QCOMPARE(namesOf(two), (std::vector<std::string>{"layer.0", "layer.3", "layer.6"}));
        QCOMPARE(two.groups[0].storages.size(), size_t{3});
    }

    void whatSeveralGroupsShareRemains() {
        ComponentTree tree = nested();
        tree.weights[5].storage = 0;  // tied
        Layout layout = groupByLeaf(tree);
        QVERIFY(layout.groups[0].isShared);
        QCOMPARE(layout.groups[0].storages, std::vector<StorageId>{0});
        QCOMPARE(layout.leafGroups[0], std::vector<GroupId>{0});
        QCOMPARE(layout.leafGroups[5], std::vector<GroupId>{0});
        layOutGroups(layout, std::vector<bool>(layout.groups.size(), false), 1 << 20, 1);
        QVERIFY(layout.groups[0].isResident);
        QCOMPARE(layout.residentBytes, Bytes{512});
    }

    void weightsThatOnlyOneGroupTiesAreNotShared() {
        ComponentTree tree = nested();
        tree.weights[2].storage = 1;  // both in level.0
        const Layout layout = groupByBlock(tree, 1);
        QVERIFY(!layout.groups[0].isShared);
    }

    void gatheredTablesHaveNoGroup() {
        ComponentTree tree = nested();
        tree.leaves[0].gathered = true;
        const Layout layout = groupByLeaf(tree);
        QVERIFY(layout.leafGroups[0].empty());
        QCOMPARE(layout.groups.size(), tree.leaves.size() - 1);
    }

    void theFloorIsTwoNeighboursOfTheOrder() {
        Layout layout = groupByLeaf(nested());
        QCOMPARE(ringBufferFloor(layout), Bytes{4 * 1280});
        layout.prefetches = true;
        QCOMPARE(ringBufferFloor(layout), Bytes{4 * 1280 + 512});
        layout.order = {4, 0, 4};
        QCOMPARE(ringBufferFloor(layout), Bytes{4 * 1280 + 512});  // it follows itself at no cost
    }

    void mappedFilesOfTheComputeTypeAreReadWhereTheyLie() {
        const DeviceTraits cpu{.usesWeightsInPlace = true};
        QVERIFY(isUsedInPlace(*testing::tree("vae", {128, 7}), cpu));
        QVERIFY(!isUsedInPlace(*testing::tree("vae", {128}, DType::F16, DType::F32), cpu));
        QVERIFY(!isUsedInPlace(*testing::tree("vae", {128}), DeviceTraits{}));
    }
};

LOWTIDE_TEST(LayoutTest)

}  // namespace layout_test

#include "layout_test.moc"
