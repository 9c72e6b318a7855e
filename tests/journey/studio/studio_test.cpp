#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/studio_session.hpp"
#include "ui/panels/inspector_row.hpp"
#include "ui/panels/presets_browser.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/studio/keys_sheet.hpp"
#include "ui/studio/settings_dialog.hpp"

#include <QProcess>
#include <QSignalSpy>
#include <QtTest/QtTest>
#include <QtWidgets>

#include <csignal>

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 120000;
/// A person sees a pause from some 50 ms on; ten times the goal is refused.
constexpr int kMostBusyMilliseconds = 500;
/// Edges are lost in one pixel for eight; a picture of another prompt differs by 60 and more.
constexpr double kLikePreview = 25;
constexpr const char* kRole =
    "LOWTIDE_STUDIO_CHILD";  ///< "run": is killed in a run; "hold": a file

void setParam(GraphModel& model, const char* node, const char* param, const Json& value) {
    model.apply("Change",
                [&](graph::Document& document) { document.nodes.at(node).params[param] = value; });
}

/// Of two pictures of one size, in levels of 255.
double meanDifference(const QImage& left, const QImage& right) {
    double sum = 0;
    for (int y = 0; y < left.height(); ++y) {
        for (int x = 0; x < left.width(); ++x) {
            const QColor a = left.pixelColor(x, y);
            const QColor b = right.pixelColor(x, y);
            sum += std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
                   std::abs(a.blue() - b.blue());
        }
    }
    return sum / (3.0 * left.width() * left.height());
}

/// Another studio: this program once more, with a role.
std::unique_ptr<QProcess> startChild(const QString& folder, const QString& role) {
    auto child = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(kRole, role);
    child->setProcessEnvironment(environment);
    child->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child->start(QCoreApplication::applicationFilePath(), {folder});
    return child;
}

/// Reads until the child says the word.
bool waitForWord(QProcess& child, const QByteArray& word) {
    QByteArray said;
    while (!said.contains(word)) {
        if (!child.waitForReadyRead(kPatience)) {
            return false;
        }
        said += child.readAllStandardOutput();
    }
    return true;
}

void say(const char* word) {
    std::puts(word);
    std::fflush(stdout);
}

/// Opens a graph, changes it, and says when a long run is at work and the journal is written.
void runUntilKilled(StudioSession& studio) {
    setParam(studio.model(), "denoise", "steps", 999);
    const QDir journals(placesIn(QCoreApplication::arguments().value(1)).journals);
    studio.window().actions().at("run.start").trigger();
    const bool isAtWork = QTest::qWaitFor(
        [&] {
            return studio.workspace().statuses.of("denoise").done > 2 &&
                   !journals.entryList(QDir::Files).isEmpty();
        },
        kPatience);
    say(isAtWork ? "at work" : "no run");
}

}  // namespace

class StudioTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void init() { test::failOnQtWarnings(); }

    void whatAKilledStudioHadIsOfferedAgain();
    void aPresetBecomesTheCommandsPicture();
    void everyNodeIsTakenFromTheRunBefore();
    void aGraphSavedAsAPresetComesBack();
    void anotherStudioHasTheFile();
    void thePictureIsSeenWhileItIsMade();
    void everyTextFits();

    void cleanupTestCase() { studio_.reset(); }

private:
    void keepLive();

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
};

void StudioTest::initTestCase() {
    const QString artefacts = qEnvironmentVariable("LOWTIDE_ARTEFACTS");
    if (qEnvironmentVariable("LOWTIDE_SCREENSHOTS").isEmpty()) {
        qputenv("LOWTIDE_SCREENSHOTS",
                (artefacts.isEmpty() ? buildPath("screenshots") : artefacts).toUtf8());
    }
    const auto child = startChild(folder_.path(), "run");
    QVERIFY(waitForWord(*child, "at work"));
    QCOMPARE(::kill(static_cast<pid_t>(child->processId()), SIGKILL), 0);
    QVERIFY(child->waitForFinished(kPatience));
    answerDialog("recovery", [this](QDialog& dialog) {
        QCOMPARE(test::textProblems(dialog), QStringList());
        test::keepScreenshot(dialog, "recovery");
        dialog.findChild<QPushButton*>("recover")->click();
    });
    studio_ = std::make_unique<StudioSession>(folder_.path());
    QVERIFY(studio_->isReady());
}

void StudioTest::whatAKilledStudioHadIsOfferedAgain() {
    QCOMPARE(studio_->model().node("denoise")->params.at("steps"), Json(999));
    QVERIFY(studio_->window().isWindowModified());
    QVERIFY(studio_->workspace().file.name().contains("recovered"));
    studio_->model().setSaved();  // the next document asks nothing
}

void StudioTest::aPresetBecomesTheCommandsPicture() {
    auto* presets = studio_->window().findChild<PresetsBrowser*>();
    Q_EMIT presets->openAsked("text_to_image_speed");
    QVERIFY(studio_->model().node("encode"));
    setParam(studio_->model(), "load", "checkpoint", "builtin:mini");
    setParam(studio_->model(), "encode", "prompt", "a fox face on a green background");
    studio_->desk().canvas().select({"latent"});
    auto* width = studio_->desk().inspector().findChild<InspectorRow*>("width");
    Q_EMIT width->editor().edited(128, true);
    setParam(studio_->model(), "latent", "height", 128);
    studio_->model().apply("Policy", [](graph::Document& document) {
        document.nodes.at("denoise").memory = "leaf+stream";
    });
    auto& application = dynamic_cast<WatchedApplication&>(*qApp);
    application.forget();
    const Heartbeat heart;
    const QueuedRun run = studio_->runToEnd();
    QVERIFY2(run.state == RunState::Finished,
             run.issues.empty() ? "no issue" : run.issues.front().message.c_str());
    QCOMPARE(run.files.size(), 1);
    qInfo("the GUI thread did not answer for %lld ms at most; it was busiest with",
          heart.longestMilliseconds());
    for (const WatchedApplication::Busy& busy : application.busiest()) {
        qInfo("%.1f ms of its own, %.1f ms in all: %s",
              busy.cpuMilliseconds,
              busy.milliseconds,
              qPrintable(busy.what));
    }
    const WatchedApplication::Busy& worst = application.busiest().front();
    QVERIFY2(worst.cpuMilliseconds < kMostBusyMilliseconds, qPrintable(worst.what));
    QVERIFY2(heart.longestMilliseconds() < 10 * kMostBusyMilliseconds,
             "the GUI thread was held up");
    QTest::qWait(300);
    test::keepScreenshot(studio_->window(), "studio");

    const QString path = folder_.filePath("fox.json");
    QCOMPARE(studio_->workspace().file.saveAs(path), QString());
    const CommandResult command = runLowtide({"run", path, "--out", folder_.filePath("command")});
    QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
    const QDir made(folder_.filePath("command"), "*.png");
    QCOMPARE(made.entryList().size(), 1);
    QCOMPARE(contentsOf(made.filePath(made.entryList().front())), contentsOf(run.files.front()));
    qInfo("the run took %.0f ms, that of the command %.0f ms with its start",
          run.milliseconds,
          command.seconds * 1000);
}

/// What is seen on the way looks like what comes out: more and more so.
void StudioTest::thePictureIsSeenWhileItIsMade() {
    studio_->model().setSaved();
    studio_->desk().files().newGraph();
    studio_->model().apply("A larger picture", [](graph::Document& document) {
        document.nodes.at("latent").params.update({{"width", 256}, {"height", 256}});
        document.nodes.at("denoise").params["steps"] = 25;
    });
    studio_->desk().canvas().zoomToAll();
    QImage last;
    int previews = 0;
    const auto connection = connect(&studio_->workspace().queue,
                                    &RunQueue::picture,
                                    this,
                                    [&](quint64, const std::string& node, const auto& picture) {
                                        if (!picture.step) {
                                            return;
                                        }
                                        QCOMPARE(node, std::string("denoise"));
                                        last = picture.image;
                                        ++previews;
                                        if (picture.step->done * 4 > picture.step->total) {
                                            QTimer::singleShot(0, this, &StudioTest::keepLive);
                                        }
                                    });
    QElapsedTimer clock;
    clock.start();
    const QueuedRun run = studio_->runToEnd();
    disconnect(connection);
    QVERIFY(run.state == RunState::Finished);
    qInfo("%d previews in %lld ms", previews, clock.elapsed());
    QVERIFY(previews >= 2 && previews <= clock.elapsed() / 200 + 1);
    const QImage made(run.files.front());
    QCOMPARE(last.size(), made.size());
    QVERIFY2(meanDifference(last, made) < kLikePreview,
             qPrintable(QString::number(meanDifference(last, made))));
    QCOMPARE(studio_->workspace().statuses.of("denoise").picture.size(), made.size());
    QVERIFY(QTest::qWaitFor([&] { return !studio_->desk().viewer().isLive(); }, kPatience));
    QTest::qWait(100);
    test::keepScreenshot(studio_->window(), "live_replaced");
}

void StudioTest::keepLive() {
    if (studio_->workspace().statuses.of("denoise").step) {
        test::keepScreenshot(studio_->window(), "live_on_the_node");
        studio_->window().actions().at("view.viewer").trigger();
        QCoreApplication::sendPostedEvents();
        test::keepScreenshot(studio_->window(), "live_in_the_viewer");
        studio_->window().actions().at("view.graph").trigger();
    }
}

void StudioTest::everyNodeIsTakenFromTheRunBefore() {
    const QueuedRun run = studio_->runToEnd();
    QCOMPARE(run.executed, 0);
    NoticeBar& bar = studio_->desk().notices();
    QVERIFY(QTest::qWaitFor([&] { return bar.text().contains("up to date"); }, kPatience));
    test::keepScreenshot(studio_->window(), "up_to_date");
    const QueuedRun anew = studio_->runToEnd("run.anew");
    QVERIFY(anew.executed > 0);
}

void StudioTest::aGraphSavedAsAPresetComesBack() {
    answerDialog("presetDialog", [](QDialog& dialog) {
        QCOMPARE(test::textProblems(dialog), QStringList());
        test::keepScreenshot(dialog, "save_preset");
        dialog.findChild<QLineEdit*>("title")->setText("My fox");
        dialog.accept();
    });
    studio_->window().actions().at("file.save_preset").trigger();
    QString id;
    for (const PresetEntry& entry : studio_->workspace().presets.entries()) {
        id = entry.title == "My fox" ? entry.id : id;
    }
    QVERIFY(!id.isEmpty());
    const std::string saved = graph::toText(studio_->model().document());
    studio_->model().setSaved();
    studio_->desk().files().newGraph();
    QVERIFY(graph::toText(studio_->model().document()) != saved);
    Q_EMIT studio_->window().findChild<PresetsBrowser*>()->openAsked(id);
    QCOMPARE(studio_->model().node("encode")->params.at("prompt"),
             Json("a fox face on a green background"));
    QCOMPARE(studio_->model().node("denoise")->memory, Json("leaf+stream"));
}

void StudioTest::anotherStudioHasTheFile() {
    const QString path = folder_.filePath("shared.json");
    QVERIFY(QFile::copy(folder_.filePath("fox.json"), path));
    const QTemporaryDir other;
    const auto child = startChild(other.path(), "hold:" + path);
    QVERIFY(waitForWord(*child, "open"));
    answerDialog("locked", [](QDialog& dialog) {
        QCOMPARE(test::textProblems(dialog), QStringList());
        test::keepScreenshot(dialog, "locked");
        for (QAbstractButton* button : dialog.findChildren<QPushButton*>()) {
            if (button->text().contains("copy")) {
                button->click();
            }
        }
    });
    QVERIFY(studio_->desk().files().openPath(path));
    QCOMPARE(studio_->workspace().file.path(), QString());
    child->kill();
    QVERIFY(child->waitForFinished(kPatience));
    QVERIFY(studio_->desk().files().openPath(path));
    QCOMPARE(studio_->workspace().file.path(), path);
}

void StudioTest::everyTextFits() {
    for (const char* scheme : {"light", "dark"}) {
        studio_->window().actions().at(std::string("view.") + scheme).trigger();
        for (const char* panel :
             {"presets", "models", "inspector", "generate", "memory", "queue", "issues"}) {
            studio_->desk().panels().show(panel);
            for (const char* node : {"load", "denoise"}) {
                studio_->desk().canvas().select({node});
                QTest::qWait(50);
                const QStringList problems = test::textProblems(studio_->window());
                QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
            }
            test::keepScreenshot(studio_->window(), QString("%1_%2").arg(panel, scheme));
        }
        KeysSheet keys(studio_->window().actions());
        SettingsDialog settings(studio_->workspace().settings(), {"cpu"}, "Pictures");
        for (QWidget* dialog : {static_cast<QWidget*>(&keys), static_cast<QWidget*>(&settings)}) {
            dialog->show();
            QTest::qWait(50);
            const QStringList problems = test::textProblems(*dialog);
            QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
            test::keepScreenshot(*dialog, dialog->objectName() + "_" + scheme);
        }
    }
}

int main(int count, char** words) {
    QApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    WatchedApplication application(count, words);
    const QString role = qEnvironmentVariable(kRole);
    if (role.isEmpty()) {
        StudioTest test;
        return QTest::qExec(&test, count, words);
    }
    StudioSession studio(QApplication::arguments().value(1),
                         role.startsWith("hold:") ? role.mid(5) : QString());
    if (!studio.isReady()) {
        return 1;
    }
    role == "run" ? runUntilKilled(studio) : say("open");
    return application.exec();
}

#include "studio_test.moc"
