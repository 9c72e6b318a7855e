// Models whose weights lie in several files.
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace sharded_weights_test {

using namespace lowtide;

namespace {

constexpr const char* kStem = "diffusion_pytorch_model";

}  // namespace

class ShardedWeightsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    std::string at(const QString& name) const { return folder_->filePath(name).toStdString(); }

    void write(const QString& name, const std::vector<std::string>& tensors) const {
        const std::string bytes(8, '\0');
        std::map<std::string, files::TensorBytes> all;
        for (const std::string& tensor : tensors) {
            all[tensor] = {DType::F32, {2}, std::as_bytes(std::span(bytes))};
        }
        files::writeSafetensors(at(name), all);
    }

    void writeText(const QString& name, const std::string& text) const {
        QFile file(folder_->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(text));
    }

    /// Three shards with their index.
    void writeModel() const {
        Json index = {{"weight_map", Json::object()}};
        for (int i = 1; i <= 3; ++i) {
            const QString name = QString("%1-0000%2-of-00003.safetensors").arg(kStem).arg(i);
            write(name, {"w" + std::to_string(i)});
            index["weight_map"]["w" + std::to_string(i)] = name.toStdString();
        }
        writeText(QString(kStem) + ".safetensors.index.json", index.dump());
    }

    static std::vector<std::string> namesOf(const models::WeightMap& map) {
        std::vector<std::string> names;
        for (const auto& [name, location] : map.tensors) {
            names.push_back(name + " in " +
                            map.files.at(location.file)
                                .path.substr(map.files.at(location.file).path.rfind('/') + 1));
        }
        return names;
    }

    static std::vector<std::string> allThree() {
        const std::string stem = kStem;
        return {"w1 in " + stem + "-00001-of-00003.safetensors",
                "w2 in " + stem + "-00002-of-00003.safetensors",
                "w3 in " + stem + "-00003-of-00003.safetensors"};
    }

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void anyOfItsFilesIsTheModel_data() {
        QTest::addColumn<QString>("name");
        const QString stem = kStem;
        QTest::newRow("index") << stem + ".safetensors.index.json";
        QTest::newRow("first") << stem + "-00001-of-00003.safetensors";
        QTest::newRow("last") << stem + "-00003-of-00003.safetensors";
    }

    void anyOfItsFilesIsTheModel() {
        QFETCH(QString, name);
        writeModel();
        QCOMPARE(namesOf(models::openWeightFile(at(name)).map), allThree());
    }

    void shardsWithoutAnIndexAreOneModelToo() {
        writeModel();
        QVERIFY(QFile::remove(folder_->filePath(QString(kStem) + ".safetensors.index.json")));
        const std::string name = std::string(kStem) + "-00002-of-00003.safetensors";
        QCOMPARE(namesOf(models::openWeightFile(at(QString::fromStdString(name))).map), allThree());
    }

    void aLoneShardIsNamedAsOne() {
        write("model-00002-of-00003.safetensors", {"w2"});
        const auto error = testing::errorOf(
            [&] { (void)models::openWeightFile(at("model-00002-of-00003.safetensors")); });
        QVERIFY(error && error->kind() == ErrorKind::NotFound);
        const QString text = QString::fromStdString(error->message().str());
        QVERIFY2(text.contains("one of 3 files") && text.contains("model-00001-of-00003") &&
                     text.contains("model-00003-of-00003"),
                 error->what());
    }

    void anIndexIsNeverADamagedHeader() {
        writeText("model.safetensors.index.json", R"({"metadata": {}})");
        const auto error = testing::errorOf(
            [&] { (void)models::openWeightFile(at("model.safetensors.index.json")); });
        QVERIFY(error && error->message().str().find("weight_map") != std::string::npos);
    }

    void filesOfOtherNamesAreWhole_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"model-00001.safetensors",
                                 "model-00001-of-00001.safetensors",
                                 "model-00009-of-00003.safetensors",
                                 "flux-1-of-3.safetensors"}) {
            QTest::newRow(name) << name;
        }
    }

    void filesOfOtherNamesAreWhole() {
        QFETCH(QString, name);
        QVERIFY(!models::shardNameOf(name.toStdString()));
        write(name, {"w"});
        QCOMPARE(models::openWeightFile(at(name)).map.tensors.size(), size_t{1});
    }

    void theOnlyVariantOfAFolderIsTaken_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"diffusion_pytorch_model.bf16.safetensors",
                                 "diffusion_pytorch_model.fp8_e4m3fn.safetensors",
                                 "diffusion_pytorch_model.non_ema.safetensors"}) {
            QTest::newRow(name) << name;
        }
    }

    void theOnlyVariantOfAFolderIsTaken() {
        QFETCH(QString, name);
        write(name, {"w"});
        QCOMPARE(namesOf(models::openWeights(at(""), ".", kStem)),
                 std::vector<std::string>{"w in " + name.toStdString()});
    }

    /// As diffusers saves it with variant="bf16".
    void aVariantInShardsIsTaken() {
        const Json index = {{"weight_map",
                             {{"w1", "diffusion_pytorch_model.bf16-00001-of-00002.safetensors"},
                              {"w2", "diffusion_pytorch_model.bf16-00002-of-00002.safetensors"}}}};
        write("diffusion_pytorch_model.bf16-00001-of-00002.safetensors", {"w1"});
        write("diffusion_pytorch_model.bf16-00002-of-00002.safetensors", {"w2"});
        writeText("diffusion_pytorch_model.safetensors.index.bf16.json", index.dump());
        QCOMPARE(models::openWeights(at(""), ".", kStem).tensors.size(), size_t{2});
    }

    void severalVariantsAreNamed() {
        write("diffusion_pytorch_model.bf16.safetensors", {"w"});
        write("diffusion_pytorch_model.non_ema.safetensors", {"w"});
        const auto error =
            testing::errorOf([&] { (void)models::openWeights(at(""), "unet", kStem); });
        QVERIFY(!error || error->kind() == ErrorKind::NotFound);  // no folder unet here
        const auto here = testing::errorOf([&] { (void)models::openWeights(at(""), ".", kStem); });
        QVERIFY(here && here->message().str().find("bf16, non_ema") != std::string::npos);
        write("diffusion_pytorch_model.safetensors", {"w"});
        QCOMPARE(models::openWeights(at(""), ".", kStem).tensors.size(), size_t{1});
    }

    void aFolderOfOneNetworkHasAFile() {
        QVERIFY(models::networkFileIn(at("")).empty());
        write("one.safetensors", {"w"});
        QVERIFY(models::networkFileIn(at("")).empty());  // a folder of models, it may be
        writeText("config.json", "{}");
        QCOMPARE(QString::fromStdString(models::networkFileIn(at(""))).section('/', -1),
                 QString("one.safetensors"));
        writeModel();
        QCOMPARE(QString::fromStdString(models::networkFileIn(at(""))).section('/', -1),
                 QString(kStem) + ".safetensors.index.json");
    }
};

LOWTIDE_TEST(ShardedWeightsTest)

}  // namespace sharded_weights_test

#include "sharded_weights_test.moc"
