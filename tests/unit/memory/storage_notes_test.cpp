// What a plan states of the bytes of quantised files and of weights that adapters change.
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

namespace storage_notes_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr int64_t kNumbers = 8 * 1024 * 1024;

ComponentTree plainTree(DType fileType) {
    ComponentTree tree = *testing::tree("denoiser", {kNumbers}, fileType, DType::F32);
    tree.weights[0].shape = {4096, 2048};
    return tree;
}

/// 32 numbers in 18 bytes.
ComponentTree quantisedTree() {
    ComponentTree tree = plainTree(DType::F32);
    tree.storages[0].encoded =
        Encoded{.encoding = "q4_0", .blockElements = 32, .blockBytes = 18, .columns = 2048};
    return tree;
}

ComponentPrecision precisionOf(bool asInFile, DType storage, DType compute) {
    ComponentPrecision precision{.role = "denoiser", .storage = storage};
    precision.storesAsInFile = asInFile;
    precision.compute = compute;
    return precision;
}

using Notes = std::vector<Message>;

}  // namespace

class StorageNotesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aQuantisedFileHasBothSizes() {
        const std::string sizes =
            ", with the same bits (decoded: 16.0 MiB; as in the file: 4.5 MiB)";
        QCOMPARE(storageNotes(quantisedTree(), precisionOf(true, DType::F32, DType::BF16)),
                 Notes{Message("the file has the denoiser as q4_0, which remains so and is decoded "
                               "at every use; storage=bf16 decodes it once" +
                               sizes)});
        QCOMPARE(
            storageNotes(quantisedTree(), precisionOf(false, DType::BF16, DType::BF16)),
            Notes{Message("the file has the denoiser as q4_0, which is decoded once; storage=file "
                          "leaves it as it is" +
                          sizes)});
        const Notes ofF8 =
            storageNotes(plainTree(DType::F8E4M3), precisionOf(true, DType::F32, DType::F32));
        QCOMPARE(ofF8.size(), size_t{1});
        QVERIFY(ofF8[0].str().ends_with("(decoded: 32.0 MiB; as in the file: 8.0 MiB)"));
    }

    /// As a preset leaves it, where nobody asked for a storage.
    void thePresetsSizesAreThose() {
        ComponentPrecision preset = precisionOf(false, DType::BF16, DType::BF16);
        preset.keepsQuantised = true;
        QCOMPARE(storageNotes(quantisedTree(), settled(preset, quantisedTree())),
                 storageNotes(quantisedTree(), precisionOf(true, DType::F32, DType::BF16)));
    }

    void nothingIsReportedOfOthers() {
        for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
            for (const bool asInFile : {true, false}) {
                QCOMPARE(
                    storageNotes(plainTree(type), precisionOf(asInFile, DType::F16, DType::F16)),
                    Notes());
            }
        }
        QCOMPARE(storageNotes(quantisedTree(), precisionOf(false, DType::F8E4M3, DType::F16)),
                 Notes());
    }

    /// Where an adapted weight is kept it has no more; where it streams it comes as its file has
    /// it.
    void whatComesWiderIsReported() {
        const auto changed = [](DType fileType) {
            return patched(plainTree(fileType),
                           {.files = {{.path = "adapter.safetensors"}},
                            .deltas = {{.weight = 0,
                                        .kind = "difference",
                                        .factors = {{.name = "difference",
                                                     .key = "a.diff",
                                                     .type = DType::F16,
                                                     .shape = {4096, 2048}}}}}});
        };
        const ComponentPrecision half = precisionOf(false, DType::F16, DType::F16);
        QCOMPARE(
            storageNotes(changed(DType::F32), half),
            Notes{Message("weights of the denoiser that adapters change come with every value of "
                          "their file: where they stream instead of being kept, 16.0 MiB more")});
        QCOMPARE(storageNotes(changed(DType::F16), half), Notes());
        QCOMPARE(storageNotes(changed(DType::BF16), half), Notes());
        QCOMPARE(storageNotes(changed(DType::F32), precisionOf(true, DType::F32, DType::F16)),
                 Notes());
    }
};

LOWTIDE_TEST(StorageNotesTest)

}  // namespace storage_notes_test

#include "storage_notes_test.moc"
