#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/driven_canvas.hpp"

#include <QDir>
#include <QLabel>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <set>

#include "examples/qtnodes_host/host/module_loader.hpp"

namespace qtnodes_driven_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;
using QtNodes::NodeId;
using Shown = QtNodes::NodeProcessingStatus;

/// One sitting at the window: each slot goes on where the one before stopped.
class QtNodesDrivenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void offersEveryNode_onceInItsCategory();
    void addsNodesByMouse();
    void takesWiresByType();
    void typesValues_andRefusesWhatDoesNotFit();
    void reportsWhatIsMissing_beforeTheRun();
    void runs_withProgressAndTheImageInAHostNode();
    void theImageIsThatOfTheCommand();
    void cancels();
    void savesAndLoads();
    void keepsTheCanvas_whenAFileIsBroken();
    void cleanupTestCase();

private:
    QByteArray contentsOf(const QString& path) const;
    QStringList images() const;
    void takeScreenshot(const char* name);
    void finishRun(std::set<Shown>& seen);

    Plugin* plugin_ = nullptr;
    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    std::unique_ptr<DrivenCanvas> user_;
    NodeId load_{}, encode_{}, latent_{}, denoise_{}, decode_{}, save_{}, host_{};
    int finished_ = 0;
};

void QtNodesDrivenTest::initTestCase() {
    plugin_ = &openModule();
    window_ = std::make_unique<MainWindow>(*plugin_, folder_.filePath("out"));
    window_->resize(1700, 1000);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    user_ = std::make_unique<DrivenCanvas>(*window_);
}

void QtNodesDrivenTest::offersEveryNode_onceInItsCategory() {
    QStringList expected{"Host/To host image"};
    for (const NodeDesc& desc : plugin_->nodes()) {
        expected << QString::fromStdString(desc.category + "/" + desc.id);
    }
    QStringList offered = user_->offered();
    offered.sort();
    expected.sort();

    QCOMPARE(offered, expected);
    qInfo("%lld node types offered", static_cast<long long>(offered.size()));
}

void QtNodesDrivenTest::addsNodesByMouse() {
    load_ = user_->add("load.checkpoint", {40, 60});
    encode_ = user_->add("prompt.encode", {270, 40});
    latent_ = user_->add("latent.empty", {270, 320});
    denoise_ = user_->add("denoise.sample", {520, 60});
    decode_ = user_->add("decode.image", {770, 60});
    save_ = user_->add("save.image", {1000, 40});
    host_ = user_->add("To host image", {900, 320});

    QCOMPARE(user_->model().allNodeIds().size(), size_t{7});
    for (const NodeId id : {load_, encode_, latent_, denoise_, decode_, save_, host_}) {
        QVERIFY(user_->model().nodeExists(id));
    }
}

void QtNodesDrivenTest::takesWiresByType() {
    QVERIFY(!user_->wire(load_, 0, save_, 0));        // a model is no image
    QVERIFY(!user_->wire(latent_, 0, decode_, 0));    // nor a latent a model
    QVERIFY(!user_->wire(denoise_, 0, denoise_, 3));  // a node cannot feed itself

    QVERIFY(user_->wire(load_, 0, encode_, 0));
    QVERIFY(user_->wire(load_, 0, denoise_, 0));
    QVERIFY(user_->wire(encode_, 0, denoise_, 1));
    QVERIFY(user_->wire(encode_, 1, denoise_, 2));
    QVERIFY(user_->wire(latent_, 0, denoise_, 3));
    QVERIFY(user_->wire(load_, 0, decode_, 0));
    QVERIFY(user_->wire(denoise_, 0, decode_, 1));
    QVERIFY(user_->wire(decode_, 0, save_, 0));
    QVERIFY(user_->wire(decode_, 0, host_, 0));
}

void QtNodesDrivenTest::reportsWhatIsMissing_beforeTheRun() {
    const auto state = [this] {
        return user_->model()
            .nodeData(load_, QtNodes::NodeRole::ValidationState)
            .value<QtNodes::NodeValidationState>();
    };
    user_->choose(load_);
    user_->type("param checkpoint", "nothing.safetensors");
    QTRY_COMPARE_WITH_TIMEOUT(state()._state, QtNodes::NodeValidationState::State::Error, 10000);
    QVERIFY2(state()._stateMessage.contains("nothing.safetensors"),
             qPrintable(state()._stateMessage));
    takeScreenshot("refused");

    user_->type("param checkpoint", "builtin:mini");
    QTRY_COMPARE_WITH_TIMEOUT(state()._state, QtNodes::NodeValidationState::State::Valid, 10000);
}

void QtNodesDrivenTest::typesValues_andRefusesWhatDoesNotFit() {
    user_->choose(latent_);
    user_->type("param width", "128");
    user_->type("param height", "128");
    user_->choose(encode_);
    user_->type("param prompt", "a cat face on a blue background");
    user_->choose(denoise_);
    user_->type("param seed", "18446744073709551615");
    user_->type("policy ", "leaf+stream");
    user_->type("param steps", "many");
    auto* refusal = window_->findChild<QLabel*>("refusal of steps");
    QVERIFY(refusal->isVisible());
    QVERIFY2(refusal->text().contains("whole number"), qPrintable(refusal->text()));

    user_->type("param steps", "8");
    QVERIFY(!refusal->isVisible());
    QVERIFY(window_->exportGraph(folder_.filePath("graph.json")));
    const Json graph = Json::parse(contentsOf(folder_.filePath("graph.json")).toStdString());
    const Json denoise = graph.at("nodes").at("denoise_sample");
    QCOMPARE(denoise.at("params").at("steps"), Json(8));
    QCOMPARE(denoise.at("params").at("seed"), Json(18446744073709551615ull));
    QCOMPARE(denoise.at("memory"), Json("leaf+stream"));
}

void QtNodesDrivenTest::runs_withProgressAndTheImageInAHostNode() {
    std::set<Shown> seen;
    user_->press("Run");
    finishRun(seen);

    QVERIFY2(user_->log().contains("run: ok"), qPrintable(user_->log()));
    QVERIFY(seen.contains(Shown::Pending) && seen.contains(Shown::Processing));
    for (const NodeId id : {load_, encode_, latent_, denoise_, decode_, save_, host_}) {
        QCOMPARE(user_->status(id), Shown::Updated);
    }
    QCOMPARE(images().size(), 1);
    auto* label = dynamic_cast<QLabel*>(
        user_->model().nodeData(host_, QtNodes::NodeRole::Widget).value<QWidget*>());
    const QImage written = QImage(images()[0]).convertToFormat(QImage::Format_RGB888);
    QVERIFY(!written.isNull());
    QCOMPARE(label->pixmap().toImage().convertToFormat(QImage::Format_RGB888),
             QPixmap::fromImage(written)
                 .scaled(label->size(), Qt::KeepAspectRatio)
                 .toImage()
                 .convertToFormat(QImage::Format_RGB888));
    takeScreenshot("finished");
}

/// The command next to the module runs the exported graph.
void QtNodesDrivenTest::theImageIsThatOfTheCommand() {
    QVERIFY(window_->exportGraph(folder_.filePath("graph.json")));
    const QString defaultPath =
        QCoreApplication::applicationDirPath() + "/../lib/liblowtide_plugin.so";
    const QString module = qEnvironmentVariable("LOWTIDE_PLUGIN_PATH", defaultPath);
    QProcess command;
    command.start(QFileInfo(module).absolutePath() + "/../bin/lowtide",
                  {"run", folder_.filePath("graph.json"), "--out", folder_.filePath("command")});
    QVERIFY(command.waitForFinished(120000));
    QVERIFY2(command.exitCode() == 0, command.readAllStandardError().constData());

    const QString name = QFileInfo(images()[0]).fileName();
    const QByteArray bytes = contentsOf(images()[0]);
    QVERIFY(!bytes.isEmpty());
    QVERIFY(bytes == contentsOf(folder_.filePath("command/" + name)));
}

void QtNodesDrivenTest::cancels() {
    user_->choose(denoise_);
    user_->type("param steps", "150");
    user_->press("Run");
    QTRY_COMPARE_WITH_TIMEOUT(user_->status(denoise_), Shown::Processing, 60000);
    takeScreenshot("running");
    user_->press("Cancel");
    std::set<Shown> seen;
    finishRun(seen);

    QVERIFY2(user_->log().contains("run: cancelled"), qPrintable(user_->log()));
    QCOMPARE(user_->status(denoise_), Shown::NoStatus);
    QCOMPARE(user_->status(save_), Shown::NoStatus);
    QCOMPARE(images().size(), 1);
}

void QtNodesDrivenTest::savesAndLoads() {
    QVERIFY(window_->saveScene(folder_.filePath("scene.flow")));
    QVERIFY(window_->exportGraph(folder_.filePath("before.json")));
    MainWindow other(*plugin_, folder_.filePath("out"));

    QVERIFY(other.openScene(folder_.filePath("scene.flow")));

    QVERIFY(other.exportGraph(folder_.filePath("after.json")));
    QCOMPARE(contentsOf(folder_.filePath("after.json")),
             contentsOf(folder_.filePath("before.json")));
    QVERIFY(other.saveScene(folder_.filePath("again.flow")));
    QVERIFY(window_->openScene(folder_.filePath("again.flow")));
    QVERIFY(window_->exportGraph(folder_.filePath("after.json")));
    QCOMPARE(contentsOf(folder_.filePath("after.json")),
             contentsOf(folder_.filePath("before.json")));
}

void QtNodesDrivenTest::keepsTheCanvas_whenAFileIsBroken() {
    QByteArray scene = contentsOf(folder_.filePath("scene.flow"));
    QFile broken(folder_.filePath("broken.flow"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write(scene.replace("decode.image", "of.tomorrow"));
    broken.close();

    QVERIFY(!window_->openScene(broken.fileName()));

    QVERIFY2(user_->log().contains("of.tomorrow"), qPrintable(user_->log()));
    QVERIFY(window_->exportGraph(folder_.filePath("kept.json")));
    QCOMPARE(contentsOf(folder_.filePath("kept.json")),
             contentsOf(folder_.filePath("before.json")));
}

void QtNodesDrivenTest::cleanupTestCase() {
    user_.reset();
    window_.reset();
    plugin_->runner()->stop();
}

QByteArray QtNodesDrivenTest::contentsOf(const QString& path) const {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList QtNodesDrivenTest::images() const {
    const QDir out(folder_.filePath("out"));
    QStringList paths;
    for (const QString& name : out.entryList({"*.png"}, QDir::Files, QDir::Name)) {
        paths << out.filePath(name);
    }
    return paths;
}

/// For a user to look at, where LOWTIDE_SHOTS names a folder.
void QtNodesDrivenTest::takeScreenshot(const char* name) {
    const QString folder = qEnvironmentVariable("LOWTIDE_SHOTS");
    if (!folder.isEmpty()) {
        QVERIFY(window_->grab().save(QDir(folder).filePath(QString(name) + ".png")));
    }
}

/// Collects what the denoising node shows until one more run has ended.
void QtNodesDrivenTest::finishRun(std::set<Shown>& seen) {
    ++finished_;
    const auto seeing =
        connect(&user_->model(), &QtNodes::AbstractGraphModel::nodeUpdated, this, [&] {
            seen.insert(user_->status(denoise_));
        });
    QTRY_VERIFY_WITH_TIMEOUT(user_->log().count("run: ") == finished_, 120000);
    disconnect(seeing);
}

LOWTIDE_WINDOW_TEST(QtNodesDrivenTest)

}  // namespace qtnodes_driven_test

#include "qtnodes_driven_test.moc"
