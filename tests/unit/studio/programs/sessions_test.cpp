// Which programs use a folder, also where it has no locks, as some of the network have none.
#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/programs/program_record.hpp"
#include "ui/programs/sessions.hpp"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <memory>
#include <string>
#include <vector>

namespace sessions_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

using Names = std::vector<std::string>;

QString textOf(const os::Program& program) {
    return QString::fromStdString(toJson(program).dump());
}

os::Program ended() {
    os::Program program = os::thisProgram();
    program.startedAt = "1";
    return program;
}

os::Program onAnotherMachine() {
    os::Program program = os::thisProgram();
    program.machineStart = "another";
    program.machineId = "another";
    return program;
}

}  // namespace

class SessionsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<QTemporaryDir> elsewhere_;

    std::string folder() const { return folder_->path().toStdString(); }

    QString at(const QString& name) const { return folder_->filePath(name); }

    /// A link cannot be locked.
    void writeWithoutLock(const QString& name, const QString& text) const {
        const QString target = elsewhere_->filePath(name);
        testing::writeFile(target, text.toUtf8());
        QVERIFY(QFile::link(target, at(name)));
    }

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        elsewhere_ = std::make_unique<QTemporaryDir>();
    }

    void aLockedFileIsOfALivingStudio() {
        testing::writeFile(at("gone.lock"), textOf(os::thisProgram()).toUtf8());
        {
            SessionFile file(folder(), "here");
            file.make();
            const Sessions found = sessionsIn(folder());
            QCOMPARE(found.living, Names{"here"});
            QVERIFY(found.hasDead);
            QVERIFY(!QFileInfo::exists(at("gone.lock")));
            QFile written(at("here.lock"));
            QVERIFY(written.open(QIODevice::ReadOnly));
            const os::Program program =
                programFrom(parseJson(written.readAll().toStdString(), "x"), "x");
            QCOMPARE(os::lifeOf(program), os::Life::Running);
        }
        QVERIFY(!QFileInfo::exists(at("here.lock")));
    }

    void whereNothingIsLockedTheProgramIsAsked_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isLiving");
        QTest::newRow("runs") << textOf(os::thisProgram()) << true;
        QTest::newRow("ended") << textOf(ended()) << false;
        QTest::newRow("another machine") << textOf(onAnotherMachine()) << true;
        QTest::newRow("of an older version") << "" << true;
        QTest::newRow("half written") << textOf(ended()).left(20) << true;
    }

    void whereNothingIsLockedTheProgramIsAsked() {
        QFETCH(QString, text);
        QFETCH(bool, isLiving);
        writeWithoutLock("other.lock", text);
        const Sessions found = sessionsIn(folder());
        QCOMPARE(found.living, isLiving ? Names{"other"} : Names());
        QCOMPARE(found.hasDead, !isLiving);
        QCOMPARE(QFileInfo(at("other.lock")).isSymLink(), isLiving);
    }

    void aFileWithoutLockStatesItsProgram() {
        writeWithoutLock("here.lock", textOf(ended()));
        {
            SessionFile file(folder(), "here");
            file.make();
            const Sessions found = sessionsIn(folder());
            QCOMPARE(found.living, Names{"here"});
            QVERIFY(!found.hasDead);
        }
        QVERIFY(!QFileInfo(at("here.lock")).isSymLink());
    }
};

LOWTIDE_TEST(SessionsTest)

}  // namespace sessions_test

#include "sessions_test.moc"
