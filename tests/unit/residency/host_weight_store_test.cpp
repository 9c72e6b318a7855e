#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/host_weight_store.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/synthetic_model.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QTest>

namespace host_weight_store_test {

using namespace lowtide;
using residency::HostWeightStore;
using residency::Upload;
using testing::SyntheticModel;

class HostWeightStoreTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string pathOf(const char* name) const { return folder_.filePath(name).toStdString(); }

    /// All of one storage through its source, in pieces of `piece` bytes.
    static at::Tensor readThrough(const residency::ByteSource& source,
                                  const at::Tensor& like,
                                  Bytes piece) {
        at::Tensor result = at::zeros_like(like);
        auto* target = static_cast<std::byte*>(result.data_ptr());
        const auto bytes = static_cast<Bytes>(result.nbytes());
        for (Bytes done = 0; done < bytes; done += piece) {
            static_cast<void>(source(target + done, done, std::min(piece, bytes - done)));
        }
        return result;
    }

private Q_SLOTS:

    void readsAndConvertsInAnyPieces_data() {
        const testing::Rows<qint64, qint64> row("piece", "scratch");
        row("at once", qint64(1 << 30), qint64(HostWeightStore::kScratchBytes));
        row("small pieces", 64, qint64(HostWeightStore::kScratchBytes));
        row("small scratch", qint64(1 << 30), 96);
    }

    void readsAndConvertsInAnyPieces() {
        QFETCH(qint64, piece);
        QFETCH(qint64, scratch);
        const SyntheticModel model(pathOf("pieces"), {.alignment = 8, .shift = 1});
        HostWeightStore store;
        std::vector<std::byte> buffer(static_cast<size_t>(scratch));
        for (const auto& tree : model.trees()) {
            store.open(*tree);
            for (const memory::Weight& weight : tree->weights) {
                const auto source = store.source(*tree,
                                                 weight.storage,
                                                 weight.computeType,
                                                 buffer,
                                                 std::make_shared<Upload>(),
                                                 {});
                const at::Tensor seen = model.expected(*tree, weight);
                const at::Tensor expected = weight.isTransposed ? seen.t().contiguous() : seen;
                QVERIFY(at::equal(readThrough(source, expected, piece), expected));
            }
        }
    }

    void mapsOnlyAlignedStorages() {
        const SyntheticModel even(pathOf("even"), {.alignment = 8});
        const SyntheticModel odd(pathOf("odd"), {.alignment = 8, .shift = 1});
        HostWeightStore store;
        store.open(*even.denoiser());
        QVERIFY(store.mapped(*even.denoiser(), 0) != nullptr);
        store.closeOthers({});
        store.open(*odd.denoiser());
        QCOMPARE(store.mapped(*odd.denoiser(), 0), nullptr);
    }

    void refusesAFileThatWasReplaced() {
        const SyntheticModel model(pathOf("replaced"));
        HostWeightStore store;
        store.open(*model.denoiser());
        files::writeFileAtomically(model.path(), "something else");
        try {
            store.open(*model.denoiser());
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Corrupt);
            QVERIFY(QString::fromStdString(error.message().str()).contains("replaced"));
            QVERIFY(QString::fromStdString(error.message().str())
                        .contains("changed since it was opened"));
        }
    }

    void readsTheOldFileThroughAnOpenSourceAfterItWasReplaced() {
        const SyntheticModel model(pathOf("old"));
        const memory::Weight& weight = model.denoiser()->weights[0];
        HostWeightStore store;
        store.open(*model.denoiser());
        const auto source = store.source(*model.denoiser(),
                                         weight.storage,
                                         weight.computeType,
                                         {},
                                         std::make_shared<Upload>(),
                                         {});
        files::writeFileAtomically(model.path(), "something else");
        store.close(*model.denoiser());
        const at::Tensor expected = model.expected(*model.denoiser(), weight);
        QVERIFY(at::equal(readThrough(source, expected, 1 << 20), expected));
    }

    void stopsWhenTheRunIsCancelled_data() {
        QTest::addColumn<bool>("isConverted");
        QTest::newRow("plain") << false;
        QTest::newRow("converted") << true;
    }

    void stopsWhenTheRunIsCancelled() {
        QFETCH(bool, isConverted);
        const SyntheticModel model(pathOf("cancel"));
        const auto& tree = isConverted ? model.textEncoder() : model.denoiser();
        HostWeightStore store;
        store.open(*tree);
        StopSource stop;
        stop.cancel(CancelMode::Now);
        std::vector<std::byte> scratch(64);
        const auto source =
            store.source(*tree, 0, DType::F32, scratch, std::make_shared<Upload>(), stop.token());
        std::byte target[16] = {};
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(source(target, 0, 16)));
    }

    void reportsThatAnAbandonedUploadIsPartial() {
        const SyntheticModel model(pathOf("abandoned"));
        HostWeightStore store;
        store.open(*model.denoiser());
        const auto upload = std::make_shared<Upload>();
        upload->isAbandoned = true;
        std::byte target[16] = {};
        const auto source = store.source(*model.denoiser(), 0, DType::F32, {}, upload, {});
        QVERIFY(!source(target, 0, 16));
        QVERIFY(upload->isPartial);
        QCOMPARE(static_cast<int>(target[0]), 0);
    }
};

LOWTIDE_TEST(HostWeightStoreTest)

}  // namespace host_weight_store_test

#include "host_weight_store_test.moc"
