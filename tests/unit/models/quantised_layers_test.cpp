// Quantised layers of files become single tensors; what does not fit is refused with file and key.
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace quantised_layers_test {

using namespace lowtide;
using testing::FileTensor;
using testing::TensorFile;

namespace {

FileTensor tensorOf(DType type, Shape shape) {
    const auto bytes = static_cast<size_t>(elementCount(shape).value() * sizeOf(type));
    return {.type = type, .shape = std::move(shape), .bytes = std::string(bytes, '\1')};
}

FileTensor jsonOf(const std::string& text) {
    return {.type = DType::U8, .shape = {static_cast<int64_t>(text.size())}, .bytes = text};
}

/// A layer "a" with its settings.
TensorFile layerOf(const std::string& settings, FileTensor weight) {
    return {{"a.weight", std::move(weight)},
            {"a.comfy_quant", jsonOf(settings)},
            {"b.bias", tensorOf(DType::F32, {3})}};
}

constexpr const char* kF8 = R"({"format": "float8_e4m3fn"})";
constexpr const char* kInt8 = R"({"format": "int8_tensorwise"})";
constexpr const char* kNvfp4 = R"({"format": "nvfp4"})";
constexpr const char* kMxfp8 = R"({"format": "mxfp8"})";
constexpr const char* kNf4 =
    R"({"quant_type": "nf4", "blocksize": 64, "shape": [8, 64], "nested_offset": 0.5})";

}  // namespace

class QuantisedLayersTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    models::WeightFileHeader opened(const TensorFile& tensors,
                                    const std::map<std::string, std::string>& metadata = {}) const {
        const std::string path = folder_.filePath("file.safetensors").toStdString();
        testing::writeTensorFile(path, tensors, metadata);
        return models::openWeightFile(path);
    }

    QString refusal(const TensorFile& tensors,
                    const std::map<std::string, std::string>& metadata = {}) const {
        const auto error = testing::errorOf([&] { (void)opened(tensors, metadata); });
        return error ? QString::fromStdString(error->message().str()) : QString("read");
    }

    /// What an index of these names gives.
    models::WeightMap sharded(const std::map<QString, QString>& names) const {
        Json index = Json::object();
        for (const auto& [name, file] : names) {
            index[name.toStdString()] = file.toStdString();
        }
        QDir().mkpath(folder_.filePath("unet"));
        testing::writeFile(folder_.filePath("unet/model.safetensors.index.json"),
                           QByteArray::fromStdString(Json{{"weight_map", index}}.dump()));
        return models::openWeights(folder_.path().toStdString(), "unet", "model");
    }

    /// The tensor a.weight of a file in which nothing else is left but b.bias.
    models::TensorLocation weightOf(const TensorFile& tensors) const {
        const models::WeightFileHeader header = opened(tensors);
        return header.map.tensors.size() == 2 && header.map.tensors.contains("b.bias")
                   ? header.map.tensors.at("a.weight")
                   : models::TensorLocation();
    }

private Q_SLOTS:

    void scaledOnesKeepTheirShape() {
        TensorFile file = layerOf(kF8, tensorOf(DType::F8E4M3, {4, 6}));
        file["a.weight_scale"] = tensorOf(DType::F32, {});
        file["a.input_scale"] = tensorOf(DType::F32, {});

        const models::TensorLocation weight = weightOf(file);

        QVERIFY(weight.encoded.has_value());
        QCOMPARE(weight.encoded->encoding, std::string("f8_e4m3"));
        QCOMPARE(weight.shape, (Shape{4, 6}));
        QCOMPARE(weight.type, DType::F32);
        QCOMPARE(weight.encoded->columns, int64_t{6});
        QCOMPARE(weight.encoded->companions.at(0).key, std::string("a.weight_scale"));
    }

    void oldFilesHaveNoSettings() {
        const TensorFile file = {{"a.weight", tensorOf(DType::F8E5M2, {4, 6})},
                                 {"a.scale_weight", tensorOf(DType::F32, {1})},
                                 {"a.scale_input", tensorOf(DType::F32, {1})},
                                 {"scaled_fp8", tensorOf(DType::F8E4M3, {2})},
                                 {"b.bias", tensorOf(DType::F32, {3})}};

        QCOMPARE(weightOf(file).encoded.value_or(memory::Encoded()).encoding,
                 std::string("f8_e5m2"));
    }

    void headersMayHoldTheSettings() {
        const TensorFile file = {
            {"model.diffusion_model.a.weight", tensorOf(DType::I8, {4, 16})},
            {"model.diffusion_model.a.weight_scale", tensorOf(DType::F32, {4, 1})}};
        const std::string layers =
            R"({"layers": {"a": {"format": "int8_tensorwise", "params": {"convrot": true,
                "convrot_groupsize": 16}}}})";

        const auto header = opened(file, {{"_quantization_metadata", layers}});

        const auto& weight = header.map.tensors.at("model.diffusion_model.a.weight");
        QCOMPARE(weight.encoded.value_or(memory::Encoded()).encoding, std::string("int8_convrot"));
        QCOMPARE(weight.encoded->blockElements, int64_t{16});
        QCOMPARE(header.map.tensors.size(), size_t{1});
    }

    void packedOnesGetTheirShapeBack() {
        TensorFile file = layerOf(kNvfp4, tensorOf(DType::U8, {130, 40}));
        file["a.weight_scale"] = tensorOf(DType::F8E4M3, {256, 8});
        file["a.weight_scale_2"] = tensorOf(DType::F32, {});

        const models::TensorLocation weight = weightOf(file);

        QCOMPARE(weight.shape, (Shape{130, 80}));
        QCOMPARE(weight.bytes(), Bytes{130 * 40});
    }

    void diffusersOnesAreRead() {
        const TensorFile nf4 = {{"a.weight", tensorOf(DType::U8, {256, 1})},
                                {"a.weight.absmax", tensorOf(DType::U8, {8})},
                                {"a.weight.quant_map", tensorOf(DType::F32, {16})},
                                {"a.weight.nested_absmax", tensorOf(DType::F32, {1})},
                                {"a.weight.nested_quant_map", tensorOf(DType::F32, {256})},
                                {"a.weight.quant_state.bitsandbytes__nf4", jsonOf(kNf4)},
                                {"b.bias", tensorOf(DType::F32, {3})}};
        const TensorFile int8 = {{"a.weight", tensorOf(DType::I8, {4, 6})},
                                 {"a.SCB", tensorOf(DType::F32, {4})},
                                 {"a.weight_format", tensorOf(DType::U8, {})},
                                 {"b.bias", tensorOf(DType::F32, {3})}};

        const models::TensorLocation weight = weightOf(nf4);
        QCOMPARE(weight.shape, (Shape{8, 64}));
        QCOMPARE(weight.encoded.value_or(memory::Encoded()).addedScale, 0.5F);
        QCOMPARE(weight.encoded->companions.size(), size_t{3});
        QCOMPARE(weightOf(int8).encoded.value_or(memory::Encoded()).encoding,
                 std::string("bnb_int8"));
    }

    void whatDoesNotFitIsRefused() {
        const QString start = "\"file.safetensors\", ";
        TensorFile file = layerOf(kF8, tensorOf(DType::F8E4M3, {4, 6}));
        QCOMPARE(refusal(file),
                 start + "\"a.weight\": its scales \"a.weight_scale\" are not there");
        file["a.weight_scale"] = tensorOf(DType::F32, {3});
        QCOMPARE(refusal(file),
                 start +
                     "\"a.weight_scale\": is F32 [3], needs one number, or 4, in F32, F16 or "
                     "BF16");
        file["a.weight_scale"] = tensorOf(DType::I32, {4});
        QVERIFY(refusal(file).startsWith(start + "\"a.weight_scale\": is I32 [4], needs"));
        file["a.weight_scale"] = tensorOf(DType::F32, {4});
        file["a.weight"] = tensorOf(DType::I8, {4, 6});
        QCOMPARE(refusal(file), start + "\"a.weight\": is I8, its layer's settings state F8_E4M3");
        file.erase("a.weight");
        QCOMPARE(refusal(file), start + "\"a.weight\": is not there, though its scales are");
        file["a.weight"] = tensorOf(DType::F8E4M3, {4, 6});
        file["a.pre_quant_scale"] = tensorOf(DType::F32, {6});
        QVERIFY(refusal(file).contains("pre_quant_scale"));
    }

    void formatsThatAreNotReadAreNamed() {
        const auto weight = tensorOf(DType::I8, {4, 6});
        QVERIFY(refusal(layerOf(R"({"format": "convrot_w4a4"})", weight))
                    .contains("it is quantised as \"convrot_w4a4\", which is not read"));
        QVERIFY(refusal(layerOf("{}", weight)).contains("it is quantised as nothing"));
        QVERIFY(refusal(layerOf("[1]", weight)).contains("\"a.comfy_quant\": is no JSON object"));
        QVERIFY(refusal(layerOf("{", weight)).contains("\"a.comfy_quant\""));
        TensorFile rotated =
            layerOf(R"({"format": "int8_tensorwise", "convrot": true, "convrot_groupsize": 24})",
                    tensorOf(DType::I8, {4, 48}));
        rotated["a.weight_scale"] = tensorOf(DType::F32, {4, 1});
        QVERIFY(refusal(rotated).contains("convrot_groupsize is 24, where a power of four"));
        rotated["a.comfy_quant"] = jsonOf(R"({"format": "int8_tensorwise", "convrot": true})");
        QVERIFY(refusal(rotated).contains("whose rows are no whole blocks of 256 numbers"));
        const TensorFile fp4 = {{"a.weight.quant_state.bitsandbytes__fp4", jsonOf(kNf4)}};
        QVERIFY(refusal(fp4).contains("bitsandbytes' fp4 is not read"));
        QVERIFY(refusal(layerOf(kInt8, weight)).contains("\"a.weight_scale\" are not there"));
    }

    void scalesOfBlocksAreMapped() {
        TensorFile file = layerOf(kMxfp8, tensorOf(DType::F8E4M3, {130, 96}));
        file["a.weight_scale"] = tensorOf(DType::U8, {130, 3});
        QVERIFY(
            refusal(file).contains("\"a.weight_scale\": is U8 [130, 3], needs 1024 of type "
                                   "F8_E8M0 or U8"));
        file["a.weight_scale"] = tensorOf(DType::F8E8M0, {256, 4});
        QCOMPARE(weightOf(file).encoded.value_or(memory::Encoded()).encoding, std::string("mxfp8"));
        file["a.weight"] = tensorOf(DType::F8E4M3, {130, 95});
        QVERIFY(refusal(file).contains("whose rows are no whole blocks of 32 numbers"));
    }

    /// Query, key and value of one tensor, in blocks that go on from row to row.
    void rowsArePartedWhereNoBlockIsCut() {
        const models::TensorLocation whole{
            .offset = 1000,
            .shape = {384, 128},
            .encoded = memory::Encoded{
                .encoding = "q4_k", .blockElements = 256, .blockBytes = 144, .columns = 256}};
        models::TensorLocation third = whole;

        third.takeRows(0, 128, 128, "a.weight");

        QCOMPARE(third.offset, int64_t{1000 + 64 * 144});
        QCOMPARE(third.bytes(), Bytes{64 * 144});
        QCOMPARE(third.encoded->firstElement, int64_t{128 * 128});
        QCOMPARE(third.shape, (Shape{128, 128}));
        for (const auto& [first, count] : {std::pair(1, 2), {2, 1}}) {
            models::TensorLocation cut = whole;
            const auto error = testing::errorOf([&] { cut.takeRows(0, first, count, "a.weight"); });
            QVERIFY(error && error->kind() == ErrorKind::Unsupported);
            QCOMPARE(QString::fromStdString(error->message().str()),
                     QString("a.weight: %1 rows of 128 numbers from row %2 on are no whole blocks "
                             "of 256")
                         .arg(count)
                         .arg(first));
        }
    }

    void aLayerLiesInOneShard_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"a.weight_scale",
                                 "a.weight_scale_2",
                                 "a.scale_weight",
                                 "a.comfy_quant",
                                 "a.SCB",
                                 "a.weight.absmax",
                                 "a.weight.nested_quant_map",
                                 "a.weight.quant_state.bitsandbytes__nf4"}) {
            QTest::newRow(name) << name;
        }
    }

    /// Refused by the index alone, with both files.
    void aLayerLiesInOneShard() {
        QFETCH(QString, name);
        const auto error = testing::errorOf([&] {
            (void)sharded({{"a.weight", "1.safetensors"}, {name, "2.safetensors"}});
        });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(QString::fromStdString(error->message().str()),
                 "unet/model.safetensors.index.json: \"a.weight\" is in \"1.safetensors\", but \"" +
                     name + "\", which decodes it, in \"2.safetensors\"");
        QVERIFY(error->hint().str().starts_with("save the component as one file"));
    }

    void shardsOfWholeLayersAreRead() {
        const auto folder = folder_.filePath("unet").toStdString();
        QVERIFY(QDir().mkpath(QString::fromStdString(folder)));
        testing::writeTensorFile(folder + "/1.safetensors",
                                 {{"a.weight", tensorOf(DType::F8E4M3, {4, 6})},
                                  {"a.weight_scale", tensorOf(DType::F32, {})}});
        testing::writeTensorFile(folder + "/2.safetensors",
                                 {{"b.bias", tensorOf(DType::F32, {3})}});
        const models::WeightMap map = sharded({{"a.weight", "1.safetensors"},
                                               {"a.weight_scale", "1.safetensors"},
                                               {"b.bias", "2.safetensors"}});
        QCOMPARE(map.tensors.size(), size_t{2});
        QVERIFY(map.tensors.at("a.weight").encoded.has_value());
        QCOMPARE(map.files.size(), size_t{2});
    }

    void settingsOfNf4MustFit() {
        TensorFile file = {{"a.weight", tensorOf(DType::U8, {255, 1})},
                           {"a.weight.absmax", tensorOf(DType::F32, {8})},
                           {"a.weight.quant_state.bitsandbytes__nf4", jsonOf(kNf4)}};
        QVERIFY(refusal(file).contains("has 255 bytes, which are not those of [8, 64]"));
        file["a.weight.quant_state.bitsandbytes__nf4"] =
            jsonOf(R"({"blocksize": 64, "shape": [-8, 64]})");
        QVERIFY(refusal(file).contains("needs a shape, a blocksize that is a multiple of 8"));
        file["a.weight.quant_state.bitsandbytes__nf4"] =
            jsonOf(R"({"blocksize": 4, "shape": [8, 64]})");
        QVERIFY(refusal(file).contains("needs a shape, a blocksize that is a multiple of 8"));
        file["a.weight.quant_state.bitsandbytes__nf4"] =
            jsonOf(R"({"blocksize": 0, "shape": [9223372036854775807, 64]})");
        QVERIFY(refusal(file).contains("needs a shape, a blocksize that is a multiple of 8"));
    }
};

LOWTIDE_TEST(QuantisedLayersTest)

}  // namespace quantised_layers_test

#include "quantised_layers_test.moc"
