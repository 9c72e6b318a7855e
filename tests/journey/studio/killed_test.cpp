// Studios that are killed while a user works with images: what they showed as done is there,
// and nothing that is half done is shown.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/history/run_store.hpp"
#include "ui/panels/gallery.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <csignal>
#include <map>

namespace killed_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 120000;
constexpr int kMostSteps = 12;  ///< that a studio reports before it is killed: three rounds of work
constexpr int kStride = 5;  ///< from one studio's steps to the next one's: each number comes once
constexpr int kMostMilliseconds = 150;
constexpr int kDeaths = 5;
constexpr int kDeathsOfTheWholeTest = 40;
constexpr const char* kChild = "LOWTIDE_KILLED_CHILD";

void showMessage(const QString& line) {
    std::puts(qPrintable(line));
    std::fflush(stdout);
}

/// False: it did not come.
bool comes(const std::function<bool()>& what) {
    return QTest::qWaitFor(what, kPatience);
}

void pressIn(QWidget& list, Qt::Key key) {
    static_cast<void>(test::isMadeActive(*list.window()));
    list.setFocus();
    QTest::keyClick(&list, key);
}

/// A user at work: makes an image, stars it, renames it, throws every other one away; each is
/// reported once the window shows it.
void workForEver(StudioSession& studio, quint32 child) {
    studio.model().apply("A small image", [](graph::Document& document) {
        document.nodes.at("latent").params.update({{"width", 64}, {"height", 64}});
        document.nodes.at("denoise").params["steps"] = 1;
    });
    Gallery& gallery = *studio.controller().widgets().gallery;
    Hands hands(studio);
    hands.press("view.gallery");
    auto& list = *gallery.findChild<QListView*>("pictures");
    for (int round = 0;; ++round) {
        studio.model().apply("Another seed", [&](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = child + static_cast<quint32>(round);
        });
        const QueuedRun run = studio.runToEnd();
        if (run.state != RunState::Finished) {
            showMessage("failed");
            return;
        }
        const QString made = run.files.front();
        showMessage("made " + made);
        if (!comes([&] { return gallery.files().contains(made); })) {
            return;
        }
        gallery.select(made);
        pressIn(list, Qt::Key_S);
        if (!comes([&] { return gallery.selected().front().isStarred; })) {
            return;
        }
        showMessage("starred " + made);
        const QString name = QString("image %1 %2").arg(child).arg(round);
        answerDialog("", [name](QDialog& dialog) {
            dialog.findChild<QLineEdit*>()->setText(name);
            dialog.accept();
        });
        pressIn(list, Qt::Key_F2);
        const QString renamed = QFileInfo(made).dir().filePath(name + ".png");
        if (!comes([&] { return gallery.files().contains(renamed); })) {
            return;
        }
        showMessage("renamed " + made + "\t" + renamed);
        if (round % 2 == 0) {
            gallery.select(renamed);
            pressIn(list, Qt::Key_Delete);
            if (!comes([&] { return !gallery.files().contains(renamed); })) {
                return;
            }
            showMessage("removed " + renamed);
        }
    }
}

/// What all studios so far have reported.
struct Reported {
    std::map<QString, bool> isStarred;  ///< by path, of what must be there
    QSet<QString> removed;
    QSet<QString> leaving;  ///< may have been on their way to the wastebasket: shown as missing

    void take(const QString& line) {
        const QString word = line.section(' ', 0, 0);
        const QString path = line.section(' ', 1).section('\t', 0, 0);
        if (word == "made") {
            isStarred[path] = false;
        } else if (word == "starred") {
            isStarred[path] = true;
        } else if (word == "renamed") {
            isStarred[line.section('\t', 1)] = isStarred[path];
            isStarred.erase(path);
        } else if (word == "removed") {
            isStarred.erase(path);
            removed.insert(path);
        }
    }
};

}  // namespace

class KilledTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasShownIsThere();

private:
    void checkThere(const QString& folder, Reported& reported, const QString& last) const;
};

void KilledTest::whatWasShownIsThere() {
    const QTemporaryDir folder;
    QVERIFY(QDir().mkpath(folder.filePath("data")));
    Reported reported;
    int lines = 0;
    const int deaths = isFullTest() ? kDeathsOfTheWholeTest : kDeaths;
    const int first = QRandomGenerator::global()->bounded(kMostSteps);
    for (int death = 0; death < deaths; ++death) {
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(kChild, QString::number(death * 1000 + 1));
        environment.insert("XDG_DATA_HOME", folder.filePath("data"));
        child.setProcessEnvironment(environment);
        child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        child.start(QCoreApplication::applicationFilePath(), {"killed_test", folder.path()});
        QByteArray message;
        const int steps = 1 + (first + kStride * death) % kMostSteps;
        while (message.count('\n') < steps) {  // "ready" is the first; then any moment
            QVERIFY(child.waitForReadyRead(kPatience));
            message += child.readAllStandardOutput();
        }
        QTest::qSleep(QRandomGenerator::global()->bounded(kMostMilliseconds));
        QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGKILL), 0);
        QVERIFY(child.waitForFinished(kPatience));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        message += child.readAllStandardOutput();
        QString last;
        for (const QByteArray& line : message.trimmed().split('\n')) {
            last = QString::fromUtf8(line);
            reported.take(last);
            ++lines;
        }
        checkThere(folder.path(), reported, last);
    }
    qInfo("%d steps were reported by %d studios that were killed", lines - deaths, deaths);
    QVERIFY(lines > 2 * deaths);
}

/// Of what was at work after the last word, all or nothing.
void KilledTest::checkThere(const QString& folder, Reported& reported, const QString& last) const {
    RunStore store(appFoldersIn(folder).runs + "/runs.sqlite");
    std::map<QString, ImageRecord> kept;
    for (const ImageRecord& image : store.images({})) {
        kept[image.path] = image;
    }
    // The step after the last one may have been done and not reported.
    const QString latest = last.contains('\t') ? last.section('\t', 1) : last.section(' ', 1);
    const bool mayBeRemoved = last.startsWith("renamed");
    const bool mayBeRenamed = last.startsWith("starred");
    if (mayBeRemoved) {
        reported.leaving.insert(latest);
    }
    for (auto entry = reported.isStarred.begin(); entry != reported.isStarred.end();) {
        const QString& path = entry->first;
        const auto found = kept.find(path);
        if (found == kept.end() && path == latest && (mayBeRemoved || mayBeRenamed)) {
            entry = reported.isStarred.erase(entry);
            continue;
        }
        QVERIFY2(found != kept.end(), qPrintable("lost: " + path));
        QVERIFY2(!entry->second || found->second.isStarred, qPrintable("no star: " + path));
        ++entry;
    }
    for (const QString& path : reported.removed) {
        QVERIFY2(!kept.contains(path) && !QFile::exists(path), qPrintable("came back: " + path));
    }
    for (const auto& [path, image] : kept) {
        const bool isWhole =
            QFile::exists(path) ? !QImage(path).isNull() : reported.leaving.contains(path);
        QVERIFY2(isWhole, qPrintable("no complete image: " + path));
    }
}

/// The test, or a studio that it starts.
int runKilled(int count, char** words) {
    WatchedApplication application(count, words);
    const QString child = qEnvironmentVariable(kChild);
    if (child.isEmpty()) {
        KilledTest test;
        return QTest::qExec(&test, count, words);
    }
    StudioSession studio(QApplication::arguments().value(1));
    if (!studio.isReady()) {
        return 1;
    }
    showMessage("ready");
    workForEver(studio, child.toUInt());
    return 1;
}

LOWTIDE_TEST_MAIN(runKilled)

}  // namespace killed_test

#include "killed_test.moc"
