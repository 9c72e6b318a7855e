#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/layout.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

namespace component_tree_test {

using namespace lowtide;
using namespace lowtide::memory;

class ComponentTreeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void deviceBytesAreComputeBytesInAlignedSlots() {
        const auto half = testing::tree("denoiser", {100, 129}, DType::F16);
        QCOMPARE(half->fileBytes(), Bytes{458});
        QCOMPARE(half->deviceBytes(), Bytes{512 + 1024});
    }

    void tiedWeightsCountOnce() {
        auto tied = std::make_shared<ComponentTree>(*testing::tree("text_encoder", {128, 128}));
        tied->weights[1].storage = 0;
        tied->storages.resize(1);
        QCOMPARE(tied->deviceBytes(), Bytes{512});
    }

    void gatheredLeavesNeverReachTheDevice() {
        auto tree = std::make_shared<ComponentTree>(*testing::tree("text_encoder", {1000, 128}));
        tree->leaves[0].gathered = true;
        QCOMPARE(tree->deviceBytes(), Bytes{512});
    }

    void aWeightIsUsedInPlaceOnlyWhenItsBytesFit() {
        const DeviceTraits cpu{.usesWeightsInPlace = true};
        const DeviceTraits card{.usesWeightsInPlace = false};
        const auto whole = testing::tree("denoiser", {128});
        const auto half = testing::tree("denoiser", {128}, DType::F16);
        auto odd = std::make_shared<ComponentTree>(*whole);
        odd->storages[0].fileOffset = 6;
        auto remote = std::make_shared<ComponentTree>(*whole);
        remote->files[0].isLocal = false;
        QVERIFY(!isUsedInPlace(*remote, 0, cpu));
        QVERIFY(isUsedInPlace(*whole, 0, cpu));
        QVERIFY(!isUsedInPlace(*whole, 0, card));
        QVERIFY(!isUsedInPlace(*half, 0, cpu));
        QVERIFY(!isUsedInPlace(*odd, 0, cpu));
        for (const auto& tree : {remote, odd}) {
            QVERIFY(!isUsedInPlace(*tree, cpu));
        }
    }

    void bytesOfAllStoragesAreThoseOfEach() {
        ComponentTree tree =
            *testing::tree("denoiser", {100, 128, 77, 256, 30}, DType::F16, DType::F32);
        tree.storages[1].deviceType = DType::F8E4M3;
        tree.storages[1].scaleCount = 3;
        tree.storages[2].deviceType = DType::F8E4M3;
        tree.storages[2].uploadType = DType::F16;
        tree.weights[3].computeType = DType::F16;
        tree.weights[4].storage = 3;  // tied; storage 4 belongs to nobody
        std::vector<Bytes> each;
        for (StorageId storage = 0; storage < tree.storages.size(); ++storage) {
            each.push_back(tree.deviceBytes(storage));
        }
        QCOMPARE(each, (std::vector<Bytes>{400, 140, 77, 512, 60}));
        QCOMPARE(tree.bytesOfStorages(), each);
        QCOMPARE(tree.deviceBytes(), Bytes{4 * 512});
    }
};

LOWTIDE_TEST(ComponentTreeTest)

}  // namespace component_tree_test

#include "component_tree_test.moc"
