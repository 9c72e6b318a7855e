#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/panels/inspector_parts.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace prompts_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 60000;

}  // namespace

/// Prompts with the tokenizer of a real checkpoint, from the keys to the image.
class PromptsJourneyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
        studio_->window().resize(1500, 950);
    }

    void init() {
        test::failOnQtWarnings();
        beginWatch();
        Hands(*studio_).clickNode("encode");
    }

    void cleanup() { endWatch(); }

    /// The mini model reads 30 tokens in a chunk, one for each of these words at least.
    void tokensFollowTheKeys() {
        const QRegularExpression one("^\\d+ / 30$");
        const QRegularExpression several(
            QString::fromUtf8("^(30 \\+ .*\\d / 30|\\d+ in \\d+ × 30)$"));
        setParam("weights", "a1111");
        write("cat");
        QTRY_VERIFY2_WITH_TIMEOUT(
            one.match(tokens().text()).hasMatch(), qPrintable(tokens().text()), kPatience);

        write(QString("cat ").repeated(40));

        QTRY_VERIFY2_WITH_TIMEOUT(
            several.match(tokens().text()).hasMatch(), qPrintable(tokens().text()), kPatience);
        setParam("weights", "none");
        QTRY_VERIFY_WITH_TIMEOUT(tokens().text().contains("cut"), kPatience);
        test::keepScreenshot(studio_->window(), "prompt_cut");
        setParam("weights", "a1111");
    }

    /// The first graph reads no weights; a click below the prompt has them read, as one step.
    void weightsAreReadByOneClick() {
        setParam("weights", "none");
        write("a cat");
        auto& button = *row().editor().findChild<QToolButton*>("readWeights");
        QVERIFY(!button.isVisible());
        write("a (cat:1.2)");
        QTRY_VERIFY_WITH_TIMEOUT(button.isVisible(), kPatience);
        test::keepScreenshot(studio_->window(), "prompt_read_weights");
        const int steps = studio_->model().undoStack().count();

        test::click(button, button.rect().center());

        QCOMPARE(studio_->model().node("encode")->params.at("weights"), Json("a1111"));
        QVERIFY(!button.isVisible());
        QVERIFY(studio_->model().undoStack().count() <= steps + 1);
        studio_->model().undoStack().undo();
        QCOMPARE(studio_->model().node("encode")->params.at("weights"), Json("none"));
        QCOMPARE(studio_->model().node("encode")->params.at("prompt"), Json("a (cat:1.2)"));
    }

    /// The image has the drawn text, and gives back the graph that made it.
    void anImageHasTheDrawnText() {
        writeWildcard("colour", "red\nblue\n");
        write("a {small|large} __colour__ boat");
        QTRY_VERIFY_WITH_TIMEOUT(tokens().text().startsWith("drawn: "), kPatience);

        const QueuedRun run = Hands(*studio_).run();

        QCOMPARE(run.state, RunState::Finished);
        const graph::Document made = loadGraph(run.files.front());
        const auto text =
            QString::fromStdString(made.nodes.at("encode").params.at("prompt").get<std::string>());
        QVERIFY2(QRegularExpression("^a (small|large) (red|blue) boat$").match(text).hasMatch(),
                 qPrintable(text));
        QCOMPARE(studio_->model().node("encode")->params.at("prompt"),
                 Json("a {small|large} __colour__ boat"));
        QImageReader image(run.files.front());
        QVERIFY(image.text("parameters").startsWith(text));
    }

    /// Seed after seed, byte for byte, with the graph that is in them.
    void theCommandMakesTheSameImage_data() {
        QTest::addColumn<qulonglong>("seed");
        for (const qulonglong seed : {1, 2, 3}) {
            QTest::addRow("seed %llu", seed) << seed;
        }
    }

    void theCommandMakesTheSameImage() {
        QFETCH(const qulonglong, seed);
        writeWildcard("place", "harbour\n{2::lake|sea} at dusk\n");
        write("a {small|3::large|{old|new} wooden} boat, __place__");
        studio_->model().apply("Set", [&](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = static_cast<uint64_t>(seed);
            document.nodes.at("denoise").extra.erase("seed_modes");
        });
        const QString graph = folder_.filePath("drawn.json");
        saveGraph(graph, studio_->model().document(), folder_.filePath("backups"));

        const QueuedRun run = Hands(*studio_).run();
        const CommandResult command =
            runLowtide({"run", graph, "--out", folder_.filePath("command")},
                       {"LOWTIDE_STUDIO_DATA=" + folder_.path()});

        QCOMPARE(run.state, RunState::Finished);
        QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
        const QByteArray own = contentsOf(run.files.front());
        QVERIFY(!own.isEmpty());
        QCOMPARE(contentsOf(command.output.trimmed()), own);
    }

    void cleanupTestCase() {
        studio_->model().setSaved();
        studio_.reset();
    }

private:
    InspectorRow& row() {
        return *studio_->controller()
                    .widgets()
                    .inspector.findChild<QWidget*>("inspectorParams")
                    ->findChild<InspectorRow*>("prompt");
    }

    QLabel& tokens() { return *row().editor().findChild<QLabel*>("tokens"); }

    void writeWildcard(const char* name, const char* lines) {
        QFile file(folder_.filePath(QStringLiteral("wildcards/%1.txt").arg(name)));
        QVERIFY(QDir().mkpath(folder_.filePath("wildcards")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(lines);
        file.close();
        studio_->workspace().prompts.readWildcards();
        QTRY_VERIFY_WITH_TIMEOUT(studio_->workspace().prompts.wildcards()->lists.contains(name),
                                 kPatience);
    }

    void write(const QString& text) {
        auto* field = row().editor().findChild<QPlainTextEdit*>("prompt");
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }

    void setParam(const char* param, const char* value) {
        studio_->model().apply("Set", [&](graph::Document& document) {
            document.nodes.at("encode").params[param] = value;
        });
    }

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
};

LOWTIDE_JOURNEY(PromptsJourneyTest)

}  // namespace prompts_test

#include "prompts_test.moc"
