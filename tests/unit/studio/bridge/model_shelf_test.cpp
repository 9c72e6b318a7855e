// What a user knows of models: notes, images, hashes; kept, and found again where a file moved.
#include "plugin/base/error.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/model_images.hpp"
#include "ui/bridge/model_plans.hpp"
#include "ui/bridge/model_shelf.hpp"

#include <QCryptographicHash>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

Q_DECLARE_METATYPE(lowtide::ui::ModelFit)

namespace model_shelf_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// Writes bytes that no compiler guesses; the digest by Qt is the reference.
QByteArray writeBytes(const QString& path, qsizetype size) {
    QByteArray bytes(size, '\0');
    for (qsizetype i = 0; i < size; ++i) {
        bytes[i] = static_cast<char>((i * 131) ^ (i >> 8));
    }
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    [&] { QVERIFY(file.open(QIODevice::WriteOnly)); }();
    file.write(bytes);
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

FoundModel modelAt(const QString& path, ModelKind kind = ModelKind::Checkpoint) {
    FoundModel model;
    model.file.path = path.toStdString();
    model.file.name = QFileInfo(path).fileName().toStdString();
    model.file.kind = kind;
    model.file.isRunnable = true;
    model.file.family = "SD 1.x";
    if (QFileInfo(path).isFile()) {
        model.identity = files::stampOfFile(model.file.path).identity;
    }
    return model;
}

QImage coloured(Qt::GlobalColor colour, int side = 40) {
    QImage image(side, side, QImage::Format_RGB32);
    image.fill(colour);
    return image;
}

QColor middleOf(const QImage& image) {
    return image.isNull() ? QColor() : image.pixelColor(image.rect().center());
}

}  // namespace

class ModelShelfTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void hashesAsSha256sumDoes_andRemembersIt() {
        const QByteArray digest = writeBytes(at("a.safetensors"), 9'000'001);
        const FoundModel model = modelAt(at("a.safetensors"));
        {
            ModelShelf shelf(at("shelf"));
            QVERIFY(shelf.hashOf(model).empty());
            QSignalSpy ended(&shelf, &ModelShelf::hashEnded);
            QSignalSpy progressed(&shelf, &ModelShelf::hashProgressed);
            shelf.hash(model);
            QVERIFY(ended.wait());
            QCOMPARE(shelf.hashOf(model), digest.toStdString());
            QVERIFY(progressed.count() >= 1);
        }
        QCOMPARE(ModelShelf(at("shelf")).hashOf(model), digest.toStdString());
        QCOMPARE(autoV2(digest.toStdString()).size(), size_t{10});
    }

    void anotherFileOfThatNameHasNoHash() {
        writeBytes(at("a.safetensors"), 1000);
        ModelShelf shelf(at("shelf"));
        const FoundModel before = modelAt(at("a.safetensors"));
        hashed(shelf, before);
        writeBytes(at("a.safetensors"), 1001);
        QVERIFY(shelf.hashOf(modelAt(at("a.safetensors"))).empty());
        QVERIFY(!shelf.hashOf(before).empty());
    }

    void aHashThatIsCancelledEndsSoon_withoutAProblem() {
        writeBytes(at("large.safetensors"), 64'000'000);
        ModelShelf shelf(at("shelf"));
        QSignalSpy ended(&shelf, &ModelShelf::hashEnded);
        shelf.hash(modelAt(at("large.safetensors")));
        shelf.cancelHashing();
        QVERIFY(ended.wait());
        QVERIFY(shelf.hashOf(modelAt(at("large.safetensors"))).empty());
        QCOMPARE(ended.front().at(1).toString(), QString());
        QVERIFY(shelf.hashing().empty());
    }

    void aFileThatIsGoneIsAProblem() {
        writeBytes(at("a.safetensors"), 1000);
        const FoundModel model = modelAt(at("a.safetensors"));
        QVERIFY(QFile::remove(at("a.safetensors")));
        ModelShelf shelf(at("shelf"));
        QSignalSpy ended(&shelf, &ModelShelf::hashEnded);
        shelf.hash(model);
        QVERIFY(ended.wait());
        QVERIFY(!ended.front().at(1).toString().isEmpty());
    }

    void notesOutliveTheProgram_andFollowAMovedFileByItsHash() {
        writeBytes(at("old/a.safetensors"), 5000);
        const FoundModel old = modelAt(at("old/a.safetensors"));
        {
            ModelShelf shelf(at("shelf"));
            shelf.setNote(old, "trigger: tide\nstrength 0.8");
            hashed(shelf, old);
        }
        QDir().mkpath(at("new"));
        QVERIFY(QFile::rename(at("old/a.safetensors"), at("new/b.safetensors")));
        ModelShelf shelf(at("shelf"));
        QCOMPARE(shelf.noteOf(old), "trigger: tide\nstrength 0.8");
        const FoundModel moved = modelAt(at("new/b.safetensors"));
        QCOMPARE(shelf.noteOf(moved), QString());
        hashed(shelf, moved);
        QCOMPARE(shelf.noteOf(moved), "trigger: tide\nstrength 0.8");
    }

    void twoStudiosKeepTheNotesOfEachOther() {
        ModelShelf one(at("shelf"));
        ModelShelf other(at("shelf"));
        one.setNote(modelAt("/a"), "of the one");
        one.finish();
        other.setNote(modelAt("/b"), "of the other");
        other.finish();
        one.setNote(modelAt("/c"), "later");
        one.setNote(modelAt("/a"), "");
        one.finish();
        const ModelShelf both(at("shelf"));
        QCOMPARE(both.noteOf(modelAt("/a")), QString());
        QCOMPARE(both.noteOf(modelAt("/b")), "of the other");
        QCOMPARE(both.noteOf(modelAt("/c")), "later");
    }

    void anImageIsKeptWhenTheProgramEndsAtOnce() {
        ModelShelf(at("shelf")).setImage(modelAt("/a"), coloured(Qt::green, 600));
        const QImage kept(ModelShelf(at("shelf")).imageOf(modelAt("/a")));
        QCOMPARE(kept.size(), QSize(ModelShelf::kImagePixels, ModelShelf::kImagePixels));
        QCOMPARE(middleOf(kept), QColor(Qt::green));
    }

    void aDamagedFileIsSetAside() {
        QDir().mkpath(at("shelf"));
        QFile file(at("shelf/models.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"models\": [");
        file.close();
        ModelShelf shelf(at("shelf"));
        QVERIFY(QFile::exists(at("shelf/models.json.broken")));
        shelf.setNote(modelAt(at("x.safetensors")), "works");
        shelf.finish();
        QVERIFY(QFile::exists(at("shelf/models.json")));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("{");
        file.close();
        const ModelShelf again(at("shelf"));
        QCOMPARE(QDir(at("shelf")).entryList({"*.broken*"}).size(),
                 2);  // none takes another's place
    }

    void wrongShapesInTheFileAreLeftOut() {
        QDir().mkpath(at("shelf"));
        QFile file(at("shelf/models.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"models": {"/a": 5, "/b": {"note": 7, "sha256": []},
                       "/c": {"note": "kept", "identity": "x", "picture": "../../etc/passwd"}}})");
        file.close();
        ModelShelf shelf(at("shelf"));
        QCOMPARE(shelf.noteOf(modelAt("/c")), "kept");
        QCOMPARE(shelf.imageOf(modelAt("/c")), at("shelf/passwd"));
        QVERIFY(!QFile::exists(at("shelf/models.json.broken")));
    }

    void aFolderThatCannotBeWrittenIsReported() {
        QFile file(at("taken"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        ModelShelf shelf(at("taken/shelf"));
        QSignalSpy reported(&shelf, &ModelShelf::notKept);
        shelf.setNote(modelAt("/x"), "y");
        QVERIFY(reported.wait());
        QCOMPARE(shelf.problem(), reported.first().first().toString());
        QVERIFY(QFile::remove(at("taken")));
        QSignalSpy kept(&shelf, &ModelShelf::keptAgain);
        shelf.setNote(modelAt("/x"), "z");
        QVERIFY(kept.wait());
        QCOMPARE(shelf.problem(), QString());
    }

    /// Notes can be written where the image cannot.
    void anImageThatIsNotKeptRemainsAProblem() {
        ModelShelf shelf(at("shelf"));
        const FoundModel model = modelAt("/x");
        shelf.setImage(model, coloured(Qt::red));
        shelf.finish();
        const QString image = shelf.imageOf(model);
        QVERIFY(QFile::remove(image) && QDir().mkpath(image + "/in the way"));
        QSignalSpy kept(&shelf, &ModelShelf::keptAgain);
        QSignalSpy reported(&shelf, &ModelShelf::notKept);
        shelf.setImage(model, coloured(Qt::blue));
        shelf.setNote(model, "y");
        QVERIFY(reported.wait());
        shelf.finish();
        QTest::qWait(20);  // for the answers
        QVERIFY(!shelf.problem().isEmpty());
        QCOMPARE(kept.count(), 0);
        QVERIFY(QDir(image).removeRecursively());
        shelf.setImage(model, coloured(Qt::blue));
        QVERIFY(kept.wait());
    }

    void imagesLieNextToModels_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"a.preview.png", "a.png", "a.jpeg", "a.jpg"}) {
            QTest::newRow(name) << name;
        }
    }

    void imagesLieNextToModels() {
        QFETCH(QString, name);
        writeBytes(at("a.safetensors"), 10);
        QVERIFY(coloured(Qt::red).save(at(name)));
        QVERIFY(middleOf(imageOf(at("a.safetensors"))).red() > 200);
    }

    void theImageThatWasChosenComesFirst_thenTheOneNextToIt_thenTheLastThatWasMade() {
        writeBytes(at("a.safetensors"), 10);
        ModelShelf shelf(at("shelf"));
        ModelImages images(shelf);
        images.setEarlier([](const QString& name, auto done) {
            done(name == "a.safetensors" ? coloured(Qt::blue) : QImage());
        });
        const FoundModel model = modelAt(at("a.safetensors"));
        const auto shown = [&] {
            images.forgetAll();
            QSignalSpy made(&images, &ModelImages::made);
            static_cast<void>(images.find(model));
            [&] { QVERIFY(made.wait()); }();
            return middleOf(images.find(model));
        };
        QCOMPARE(shown(), QColor(Qt::blue));
        QVERIFY(coloured(Qt::red).save(at("a.png")));
        QCOMPARE(shown(), QColor(Qt::red));
        QSignalSpy changed(&shelf, &ModelShelf::changed);
        shelf.setImage(model, coloured(Qt::green, 600));
        QVERIFY(changed.wait());
        QCOMPARE(shown(), QColor(Qt::green));
        QVERIFY(QImage(shelf.imageOf(model)).width() <= ModelShelf::kImagePixels);
    }

    /// Thousands of rows scroll by: few are read, and memory has a bound.
    void manyImagesTakeLittleMemory() {
        QVERIFY(coloured(Qt::red, 800).save(at("p.png")));
        for (int i = 0; i < 1000; ++i) {
            QVERIFY(QFile::link(at("p.png"), at(QString("m%1.png").arg(i))));
        }
        ModelShelf shelf(at("shelf"));
        ModelImages images(shelf);
        const Bytes before = testing::residentMemory();
        int made = 0;
        connect(&images, &ModelImages::made, this, [&made] { ++made; });
        for (int i = 0; i < 1000; ++i) {
            static_cast<void>(images.find(modelAt(at(QString("m%1.safetensors").arg(i)))));
        }
        QTRY_VERIFY(made >= static_cast<int>(ModelImages::kMostWaiting));
        QTest::qWait(100);
        QVERIFY2(made <= static_cast<int>(ModelImages::kMostWaiting) + 2,
                 qPrintable(QString::number(made)));
        QVERIFY(testing::residentMemory() - before < 40 * kMiB);
    }

    void plansStateHowACheckpointFits_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("isOk");
        QTest::addColumn<ModelFit>("fit");
        QTest::newRow("whole") << QByteArray(R"({"plan": {"stays": [
                {"role": "denoiser", "streamed_bytes_per_pass": 0}]}})")
                               << true << ModelFit{.verdict = ModelVerdict::Fits};
        QTest::newRow("streams") << QByteArray(R"({"plan": {"stays": [
                {"streamed_bytes_per_pass": 7}, {"streamed_bytes_per_pass": 5000}]}})")
                                 << true
                                 << ModelFit{.verdict = ModelVerdict::Streams, .streamed = 5000};
        QTest::newRow("too big") << QByteArray(R"({"issues": [{"severity": "error", "message": "x",
                "code": "memory_infeasible", "facts": {"budget": 9000}}]})")
                                 << false
                                 << ModelFit{.verdict = ModelVerdict::TooBig, .needed = 9000};
        QTest::newRow("another reason")
            << QByteArray(R"({"issues": [{"severity": "error", "message": "x", "code": "y"}]})")
            << false << ModelFit{};
        QTest::newRow("no JSON") << QByteArray("oh") << true
                                 << ModelFit{.verdict = ModelVerdict::Fits};
    }

    void plansStateHowACheckpointFits() {
        QFETCH(QByteArray, answer);
        QFETCH(bool, isOk);
        QFETCH(ModelFit, fit);
        const auto found = fitFrom(isOk ? Status::Ok : Status::Invalid, answer.toStdString());
        QVERIFY(found && *found == fit);
    }

    void eachModelIsPlannedOnce_untilTheDeviceIsAnotherOne() {
        ScriptedRunner runner;
        runner.setAnswers({}, {{"plan", {{"stays", Json::array()}}}});
        ModelPlans plans(runner);
        plans.setOptions({{"device", "cuda:0"}, {"graphFolder", "/a"}});
        QSignalSpy answered(&plans, &ModelPlans::answered);
        const FoundModel model = modelAt("/models/a.safetensors");
        QVERIFY(!plans.find(model));
        QVERIFY(!plans.find(model));  // it is asked for already
        QVERIFY(answered.wait());
        QVERIFY(plans.find(model)->verdict == ModelVerdict::Fits);
        plans.setOptions({{"device", "cuda:0"}, {"graphFolder", "/b"}});
        QVERIFY(plans.find(model));
        QCOMPARE(runner.plannedGraphs().size(), size_t{1});
        QVERIFY(runner.plannedGraphs().front().find("/models/a.safetensors") != std::string::npos);
        plans.setOptions({{"device", "cuda:0"}, {"memoryBudget", "4GiB"}});
        QVERIFY(!plans.find(model));
        QVERIFY(answered.wait());
        QCOMPARE(runner.plannedGraphs().size(), size_t{2});
    }

    void partsOfModelsAndWhatDoesNotRunAreNotPlanned() {
        QVERIFY(ModelPlans::canPlan(modelAt("/a")));
        QVERIFY(!ModelPlans::canPlan(modelAt("/a", ModelKind::Lora)));
        FoundModel broken = modelAt("/a");
        broken.file.problem = Message("cut off");
        QVERIFY(!ModelPlans::canPlan(broken));
    }

    void aModuleAtWorkIsAskedAgain() {
        ScriptedRunner runner;
        runner.setAnswers({},
                          Json::parse(R"({"issues": [{"severity": "error", "code": "busy",
                                                      "message": "a run is at work"}]})"),
                          Status::Invalid);
        ModelPlans plans(runner);
        QSignalSpy answered(&plans, &ModelPlans::answered);
        static_cast<void>(plans.find(modelAt("/a")));
        QTRY_VERIFY(!runner.plannedGraphs().empty());
        QTest::qWait(50);
        QCOMPARE(answered.count(), 0);
        runner.setAnswers({}, {{"plan", Json::object()}});
        QVERIFY(answered.wait());
    }

private:
    [[nodiscard]] QString at(const QString& relative) const { return folder_->filePath(relative); }

    static void hashed(ModelShelf& shelf, const FoundModel& model) {
        QSignalSpy ended(&shelf, &ModelShelf::hashEnded);
        shelf.hash(model);
        QVERIFY(ended.wait());
        QVERIFY(!shelf.hashOf(model).empty());
    }

    [[nodiscard]] QImage imageOf(const QString& path) const {
        ModelShelf shelf(at("shelf"));
        ModelImages images(shelf);
        QSignalSpy made(&images, &ModelImages::made);
        static_cast<void>(images.find(modelAt(path)));
        [&] { QVERIFY(made.wait()); }();
        return images.find(modelAt(path));
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(ModelShelfTest)

}  // namespace model_shelf_test

#include "model_shelf_test.moc"
