#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"
#include "tests/unit/models/rrdb_file.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <memory>

namespace upscaler_test {

using namespace lowtide;
using nodes::WireRef;
using testing::ModelBench;
using testing::RrdbFile;
using Style = RrdbFile::Style;

namespace {

RrdbFile smallFile(Style style = Style::Basicsr, int ups = 2, int64_t channels = 3) {
    return {style, 8, 4, 2, ups, channels};
}

/// A file that is refused.
struct Refusal {
    const char* row;
    RrdbFile file;
    std::function<void(RrdbFile&)> change;
    ErrorKind kind;
    std::vector<const char*> expected;
};

std::vector<Refusal> refusals() {
    const auto erase = [](const char* name) {
        return [name](RrdbFile& file) { file.tensors.erase(name); };
    };
    const auto reshape = [](const char* name, const Shape& shape) {
        return [=](RrdbFile& file) { file.tensors.at(name) = shape; };
    };
    return {
        {"another network",
         smallFile(),
         [](RrdbFile& file) {
             file.tensors = {{"body.0.weight", {64, 3, 3, 3}}, {"head.bias", {64}}};
         },
         ErrorKind::Unsupported,
         {"no upscaler that is built (ESRGAN)", "\"body.0.weight\", \"head.bias\""}},
        {"no first convolution",
         smallFile(),
         erase("conv_first.weight"),
         ErrorKind::Corrupt,
         {"there is no tensor conv_first.weight"}},
        {"no bias in a block",
         smallFile(Style::Trunk),
         erase("RRDB_trunk.1.RDB2.conv3.bias"),
         ErrorKind::Corrupt,
         {"1 missing: RRDB_trunk.1.RDB2.conv3.bias",
          "an RRDBNet of 2 blocks, 8 channels and scale 4"}},
        {"no convolution of the enlargement",
         smallFile(Style::Old),
         erase("model.6.weight"),
         ErrorKind::Corrupt,
         {"1 missing: model.6.weight"}},
        {"a surplus tensor",
         smallFile(),
         [](RrdbFile& file) {
             file.tensors["body.0.rdb1.conv1x1.weight"] = {4, 8, 1, 1};
         },
         ErrorKind::Corrupt,
         {"that the network does not have: body.0.rdb1.conv1x1.weight"}},
        {"other channels",
         smallFile(Style::Basicsr, 2, 27),
         [](RrdbFile&) {},
         ErrorKind::Unsupported,
         {"conv_first.weight takes 27 channels"}},
        {"smaller than the image",
         smallFile(Style::Trunk, 1, 48),
         [](RrdbFile&) {},
         ErrorKind::Unsupported,
         {"upconv1", "scales 1, 2, 4 and 8 are read"}},
        {"sixteenfold",
         smallFile(Style::Old, 4),
         [](RrdbFile&) {},
         ErrorKind::Unsupported,
         {"model.12", "scales 1, 2, 4 and 8 are read"}},
        {"grey images",
         smallFile(Style::Old),
         [](RrdbFile& file) {
             file.tensors.at("model.10.weight") = {1, 8, 3, 3};
             file.tensors.at("model.10.bias") = {1};
         },
         ErrorKind::Corrupt,
         {"model.10.weight is [1, 8, 3, 3], needs [3, 8, 3, 3]"}},
        {"a first layer that is no convolution",
         smallFile(),
         reshape("conv_first.weight", {8, 27}),
         ErrorKind::Unsupported,
         {"conv_first.weight is [8, 27]"}},
        {"no channels",
         smallFile(),
         reshape("body.0.rdb1.conv1.weight", {0, 8, 3, 3}),
         ErrorKind::Unsupported,
         {"body.0.rdb1.conv1.weight is [0, 8, 3, 3]"}},
        {"a block far behind the others",
         smallFile(),
         [](RrdbFile& file) {
             file.tensors["body.9000.rdb1.conv1.weight"] = {4, 8, 3, 3};
         },
         ErrorKind::Corrupt,
         {"missing: body.2.rdb1.conv1.weight"}},
    };
}

}  // namespace

/// ESRGAN files as users have them, by header alone.
class UpscalerTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string pathOf(const char* name) const { return folder_.filePath(name).toStdString(); }

    WireRef load(ModelBench& bench, const std::string& path) const {
        return bench.stages().loadUpscaler(path, folder_.path().toStdString());
    }

    static const models::Upscaler& upscalerOf(const WireRef& value) {
        return dynamic_cast<const models::Upscaler&>(*value);
    }

private Q_SLOTS:

    void settingsFollowFromShapes_data() {
        const testing::Rows<int, int, int, int, int> add(
            "style", "ups", "channels", "scale", "multiple");
        const auto row = [&](const char* name, Style style, int ups, int channels, int scale) {
            add(name, static_cast<int>(style), ups, channels, scale, (1 << ups) / scale);
        };
        row("old", Style::Old, 2, 3, 4);
        row("trunk", Style::Trunk, 2, 3, 4);
        row("basicsr", Style::Basicsr, 2, 3, 4);
        row("Real-ESRGAN x2", Style::Basicsr, 2, 12, 2);
        row("Real-ESRGAN x1", Style::Basicsr, 2, 48, 1);
        row("old x8", Style::Old, 3, 3, 8);
        row("trunk x2", Style::Trunk, 1, 3, 2);
        row("old x2 of squares", Style::Old, 2, 12, 2);
    }

    void settingsFollowFromShapes() {
        QFETCH(int, style);
        QFETCH(int, ups);
        QFETCH(int, channels);
        QFETCH(int, scale);
        QFETCH(int, multiple);
        const RrdbFile file(static_cast<Style>(style), 12, 5, 3, ups, channels);
        file.write(pathOf("a.safetensors"));
        ModelBench bench;
        const WireRef value = load(bench, "a.safetensors");
        const models::Upscaler& upscaler = upscalerOf(value);
        QCOMPARE(std::string(value->type()), std::string("UPSCALER"));
        QCOMPARE(upscaler.info().scale, scale);
        QCOMPARE(upscaler.info().multiple, multiple);
        QCOMPARE(upscaler.info().name, std::string("a.safetensors"));
        const memory::ComponentTree& tree = *upscaler.tree(models::kUpscaler);
        QCOMPARE(tree.role, std::string("upscaler"));
        QCOMPARE(tree.storages.size(), file.tensors.size());
        QCOMPARE(tree.leaves.size(), file.tensors.size() / 2);
        QCOMPARE(tree.blocks.size(), 3U * 4);
        QCOMPARE(tree.blocks[0].leafCount, 15U);
    }

    void withoutAnEnlargementTheScaleIsOne() {
        RrdbFile(Style::Old, 8, 4, 1, 0, 3).write(pathOf("one.safetensors"));
        ModelBench bench;
        QCOMPARE(upscalerOf(load(bench, "one.safetensors")).info().scale, 1);
    }

    void refusesWhatItCannotRead_data() { testing::addEach(refusals(), &Refusal::row); }

    void refusesWhatItCannotRead() {
        QFETCH(int, index);
        Refusal refusal = refusals()[static_cast<size_t>(index)];
        refusal.change(refusal.file);
        refusal.file.write(pathOf("bad.safetensors"));
        ModelBench bench;
        const auto error = testing::errorOf([&] { (void)load(bench, "bad.safetensors"); });
        QVERIFY(error);
        QCOMPARE(error->item(), std::string("upscaler"));
        QVERIFY2(error->kind() == refusal.kind, error->message().str().c_str());
        QVERIFY2(error->message().str().find("bad.safetensors") < 2,
                 error->message().str().c_str());
        QVERIFY(!error->hint().empty());
        for (const char* part : refusal.expected) {
            QVERIFY2(error->message().str().find(part) != std::string::npos,
                     error->message().str().c_str());
        }
    }

    void refusesFilesThatAreNone_data() {
        const testing::Rows<QByteArray, QString> row("bytes", "name");
        row("empty", QByteArray(), "empty.safetensors");
        row("text", QByteArray(1000, 'x'), "text.safetensors");
    }

    void refusesFilesThatAreNone() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, name);
        QFile file(folder_.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        file.close();
        ModelBench bench;
        const auto error = testing::errorOf([&] { (void)load(bench, name.toStdString()); });
        QVERIFY(error && error->kind() == ErrorKind::Corrupt);
        QCOMPARE(error->item(), std::string("upscaler"));
        QVERIFY2(error->message().str().find(name.toStdString()) != std::string::npos,
                 error->message().str().c_str());
    }

    void namesFilesThatAreNotThere() {
        ModelBench bench;
        for (const char* typed : {"", "no-such-file.pth", "/no/such/file.pth"}) {
            const auto error = testing::errorOf([&] { (void)load(bench, typed); });
            QVERIFY(error && error->kind() == ErrorKind::NotFound);
            QCOMPARE(error->item(), std::string("upscaler"));
        }
    }

    /// As trainings leave them next to the weights.
    void numbersOutsideTheLayersAreLeftOut() {
        RrdbFile file = smallFile();
        ModelBench bench;
        file.write(pathOf("plain.safetensors"));
        const size_t plain =
            upscalerOf(load(bench, "plain.safetensors")).tree(models::kUpscaler)->storages.size();
        file.tensors["step"] = {};
        file.tensors["ema.n_averaged"] = {1};
        file.write(pathOf("counted.safetensors"));
        QCOMPARE(
            upscalerOf(load(bench, "counted.safetensors")).tree(models::kUpscaler)->storages.size(),
            plain);
    }

    void anUnchangedFileIsOpenedOnce() {
        ModelBench bench;
        smallFile().write(pathOf("once.safetensors"));
        const WireRef first = load(bench, "once.safetensors");
        QVERIFY(load(bench, "once.safetensors") == first);
        smallFile().write(pathOf("once.safetensors"));
        QVERIFY(load(bench, "once.safetensors") != first);
    }

    void onlyTheLastFewAreKept() {
        constexpr size_t kKept = 8;
        ModelBench bench;
        std::vector<std::weak_ptr<const memory::WireValue>> loaded;
        for (size_t i = 0; i < kKept; ++i) {
            const std::string name = "kept" + std::to_string(i) + ".safetensors";
            smallFile().write(pathOf(name.c_str()));
            loaded.push_back(load(bench, name));
        }
        QVERIFY(load(bench, "kept0.safetensors") == loaded[0].lock());  // now it was used last
        smallFile().write(pathOf("another.safetensors"));
        const WireRef another = load(bench, "another.safetensors");
        QVERIFY(loaded[1].expired());
        loaded.erase(loaded.begin() + 1);
        QVERIFY(std::ranges::none_of(loaded, [](const auto& value) { return value.expired(); }));
    }

    void aChangedFileHasAnotherFingerprint() {
        ModelBench bench;
        smallFile().write(pathOf("twice.safetensors"));
        const WireRef first = load(bench, "twice.safetensors");
        const WireRef again = load(bench, "twice.safetensors");
        smallFile().write(pathOf("twice.safetensors"));
        const WireRef second = load(bench, "twice.safetensors");
        nodes::Stages& stages = bench.stages();
        QCOMPARE(stages.fingerprint(first), stages.fingerprint(again));
        QCOMPARE(upscalerOf(first).tree(models::kUpscaler)->id,
                 upscalerOf(again).tree(models::kUpscaler)->id);
        QVERIFY(stages.fingerprint(first) != stages.fingerprint(second));
        QVERIFY(upscalerOf(first).tree(models::kUpscaler)->id !=
                upscalerOf(second).tree(models::kUpscaler)->id);
    }

    void specsRefuseWhatCannotBe_data() {
        const testing::Rows<int, int, int, QString> row("width", "tile", "overlap", "item");
        row("overlap of more than half", 64, 32, 17, "overlap");
        row("negative overlap", 64, 32, -1, "overlap");
        row("negative tile", 64, -1, 0, "tile");
        row("too large", 20000, 32, 16, "image");
    }

    void specsRefuseWhatCannotBe() {
        QFETCH(int, width);
        QFETCH(int, tile);
        QFETCH(int, overlap);
        QFETCH(QString, item);
        smallFile().write(pathOf("good.safetensors"));
        ModelBench bench;
        const auto error = testing::errorOf([&] {
            (void)testing::spec(bench.stages(),
                                testing::known({1, 3, 64, width},
                                               testing::UpscaleWithModelRequest{
                                                   .upscaler = load(bench, "good.safetensors"),
                                                   .tilePixels = tile,
                                                   .overlapPixels = overlap}));
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
    }

    void refusesAnotherValueThanAnUpscaler() {
        ModelBench bench;
        const auto error = testing::errorOf([&] {
            (void)testing::spec(bench.stages(),
                                testing::known({1, 3, 8, 8},
                                               testing::UpscaleWithModelRequest{
                                                   .upscaler = bench.load(testing::miniModel())}));
        });
        QVERIFY(error && error->item() == "upscaler");
    }
};

LOWTIDE_TEST(UpscalerTest)

}  // namespace upscaler_test

#include "upscaler_test.moc"
