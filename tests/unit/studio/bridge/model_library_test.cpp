#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "ui/bridge/model_library.hpp"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace model_library_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::testing;

class ModelLibraryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        writeModel(at("checkpoints/sub/b.safetensors"), kSd15, 1000);
        writeModel(at("checkpoints/a.safetensors"), kSd15);
        writeModel(at("vae/plain.safetensors"), {"x"});
        QFile text(at("checkpoints/readme.txt"));
        QVERIFY(text.open(QIODevice::WriteOnly));
    }

    void findsModelsOfEveryFolder_byName() {
        ModelLibrary library(sampleRecognise);

        scan(library, {folder_->path()});

        QStringList found;
        for (const FoundModel& model : library.models()) {
            found.push_back(QString::fromStdString(model.relative));
        }
        QCOMPARE(found, (QStringList{"a.safetensors", "sub/b.safetensors", "plain.safetensors"}));
        QCOMPARE(library.models().at(2).file.kind, ModelKind::Autoencoder);
        QVERIFY(library.problems().isEmpty());
    }

    /// What its header does not state is taken from its folder's name; .bin files are adapters
    /// in folders of adapters, elsewhere parts of something.
    void takesAdaptersOfEveryFolder() {
        for (const char* file : {"loras/style.safetensors",
                                 "controlnet/edges.safetensors",
                                 "t2i_adapter/depth.safetensors",
                                 "embeddings/word.bin",
                                 "ipadapter/plus.bin",
                                 "checkpoints/part.bin"}) {
            writeModel(at(file), {"x"});
        }
        ModelLibrary library(sampleRecognise);

        scan(library, {folder_->path()});

        std::map<std::string, ModelKind> found;
        for (const FoundModel& model : library.models()) {
            found[model.relative] = model.file.kind;
        }
        QCOMPARE(found.size(), size_t{8});
        QCOMPARE(found.at("style.safetensors"), ModelKind::Lora);
        QCOMPARE(found.at("edges.safetensors"), ModelKind::ControlNet);
        QCOMPARE(found.at("depth.safetensors"), ModelKind::ControlNet);
        QCOMPARE(found.at("word.bin"), ModelKind::Embedding);
        QCOMPARE(found.at("plus.bin"), ModelKind::IpAdapter);
    }

    /// A folder in the diffusers layout has a folder "vae", as collections of models have.
    void takesTheFolderOfOneCheckpoint() {
        const QString one = at("sd15");
        writeModel(one + "/unet/diffusion_pytorch_model.safetensors", {"conv_in.weight"});
        writeModel(one + "/vae/diffusion_pytorch_model.safetensors", {"decoder.conv_in.weight"});
        QFile index(one + "/model_index.json");
        QVERIFY(index.open(QIODevice::WriteOnly));
        index.write(R"({"_class_name": "StableDiffusionPipeline"})");
        index.close();
        ModelLibrary library(sampleRecognise);

        scan(library, {one});

        QCOMPARE(library.models().size(), size_t{1});
        const FoundModel& found = library.models().front();
        QCOMPARE(found.file.kind, ModelKind::Checkpoint);
        QCOMPARE(found.relative, std::string("sd15"));
        QCOMPARE(valueOf(library, 0), one);
        library.setEngineFolders({one.toStdString(), folder_->path().toStdString()});
        scan(library, {one});
        QCOMPARE(valueOf(library, 0), QString("sd15"));
    }

    void looksOnceIntoAFolderThatLinksToItself() {
        QVERIFY(QFile::link(folder_->path(), at("checkpoints/again")));
        ModelLibrary library(sampleRecognise);

        scan(library, {folder_->path()});

        QCOMPARE(library.models().size(), size_t{3});
    }

    void readsAChangedFileAgain() {
        ModelLibrary library(sampleRecognise);
        scan(library, {folder_->path()});
        const Bytes before = library.models().at(0).file.weights;
        writeModel(at("checkpoints/a.safetensors"), kSd15, 50);

        QSignalSpy scanned(&library, &ModelLibrary::scanned);
        library.rescan();
        QVERIFY(scanned.wait());

        QCOMPARE(library.models().at(0).file.weights, Bytes{3 * 50 * 4});
        QVERIFY(library.models().at(0).file.weights != before);
    }

    /// A file of settings next to it, a missing shard: the model itself is the same.
    void asksAgainForWhatLackedSomething() {
        Json lacks = {{"problem", "there is no file of settings"}};
        ModelLibrary library([&lacks](const std::string& path, std::string& result) {
            const Status status = sampleRecognise(path, result);
            Json known = Json::parse(result);
            known.update(lacks);
            result = known.dump();
            return status;
        });
        scan(library, {folder_->path()});
        QVERIFY(!library.models().at(0).file.problem.empty());

        for (const Json& next : {Json{{"needs", "a tokenizer"}}, Json::object()}) {
            lacks = next;
            QSignalSpy scanned(&library, &ModelLibrary::scanned);
            library.rescan();
            QVERIFY(scanned.wait());
            QVERIFY(library.models().at(0).file.problem.empty());
            QCOMPARE(library.models().at(0).file.needs.str(), lacks.value("needs", ""));
        }
    }

    void namesFoldersAndFilesThatAreNotThere() {
        ModelLibrary library(sampleRecognise);
        QSignalSpy scanned(&library, &ModelLibrary::scanned);

        library.setFolders({at("gone")}, {at("gone.yaml")});
        QVERIFY(scanned.wait());

        QCOMPARE(library.problems().size(), 2);
        QVERIFY(library.problems().at(0).contains(at("gone")));
        QVERIFY(library.problems().at(1).contains("gone.yaml"));
    }

    void showsDamagedFiles_withTheReason() {
        QFile bad(at("checkpoints/bad.safetensors"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("no header");
        bad.close();
        ModelLibrary library(sampleRecognise);

        scan(library, {folder_->path()});

        const ModelFile& file = library.models().at(1).file;
        QCOMPARE(file.name, std::string("bad.safetensors"));
        QVERIFY(!file.problem.empty());
        QCOMPARE(file.kind, ModelKind::Checkpoint);
    }

    void namesModelsAsTheModuleFindsThem() {
        ModelLibrary library(sampleRecognise);
        scan(library, {folder_->path()});
        QCOMPARE(valueOf(library, 1), at("checkpoints/sub/b.safetensors"));

        library.setEngineFolders({at("checkpoints").toStdString()});
        scan(library, {folder_->path()});

        QCOMPARE(valueOf(library, 1), QString("sub/b.safetensors"));
    }

    void namesAModelByItsFullPath_whereAnotherHasItsName() {
        const QTemporaryDir other;
        writeModel(other.filePath("a.safetensors"), kSd15);
        ModelLibrary library(sampleRecognise);
        library.setEngineFolders({other.path().toStdString(), at("checkpoints").toStdString()});

        scan(library, {folder_->path()});

        QCOMPARE(valueOf(library, 0), at("checkpoints/a.safetensors"));
    }

    void knowsWhichFilesAreThere_data() {
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("isThere");
        QTest::newRow("built in") << "builtin:mini" << true;
        QTest::newRow("unknown built in") << "builtin:maxi" << false;
        QTest::newRow("next to the graph") << "plain.safetensors" << true;
        QTest::newRow("in a model folder") << "sub/b.safetensors" << true;
        QTest::newRow("nowhere") << "c.safetensors" << false;
        QTest::newRow("full path of nothing") << "/nowhere/c.safetensors" << false;
    }

    void knowsWhichFilesAreThere() {
        QFETCH(QString, value);
        ModelLibrary library(sampleRecognise);
        library.setEngineFolders({at("checkpoints").toStdString()});

        QTEST(library.isThere(value.toStdString(), at("vae")), "isThere");
        QTEST(library.whatIsThere()(value.toStdString(), at("vae")), "isThere");
    }

    void takesTheLastScan_whenAnotherWasAskedForMeanwhile() {
        const QTemporaryDir empty;
        ModelLibrary library(sampleRecognise);
        QSignalSpy scanned(&library, &ModelLibrary::scanned);

        library.setFolders({folder_->path()}, {});
        library.setFolders({empty.path()}, {});
        QVERIFY(scanned.wait());
        QTest::qWait(50);

        QCOMPARE(scanned.count(), 1);
        QVERIFY(library.models().empty());
    }

    void judgesAgain_whenTheBudgetChanges() {
        ModelLibrary library(sampleRecognise);
        scan(library, {folder_->path()});
        QSignalSpy changed(&library, &ModelLibrary::changed);
        QSignalSpy judged(&library, &ModelLibrary::budgetChanged);

        library.setBudget(1000);

        QCOMPARE(changed.count(), 0);
        QCOMPARE(judged.count(), 1);
        QCOMPARE(library.verdictOf(library.models().at(0)), ModelVerdict::Fits);
        QCOMPARE(library.verdictOf(library.models().at(1)), ModelVerdict::TooBig);
    }

private:
    [[nodiscard]] QString at(const QString& relative) const { return folder_->filePath(relative); }

    static QString valueOf(const ModelLibrary& library, size_t model) {
        return QString::fromStdString(library.models().at(model).value);
    }

    static void scan(ModelLibrary& library, const QStringList& folders) {
        QSignalSpy scanned(&library, &ModelLibrary::scanned);
        library.setFolders(folders, {});
        QVERIFY(library.isScanning());
        QVERIFY(scanned.wait());
        QVERIFY(!library.isScanning());
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(ModelLibraryTest)

}  // namespace model_library_test

#include "model_library_test.moc"
