#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/ended_program.hpp"
#include "ui/document/saved_file.hpp"

#include <QtTest/QtTest>

#include <unistd.h>

namespace document_lock_test {

using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// A child that has the lock; it ends when its `go` is closed.
class Holder {
public:
    explicit Holder(const QString& path) {
        int ready[2];
        int go[2];
        if (::pipe(ready) != 0 || ::pipe(go) != 0) {
            return;
        }
        child_ = startChild([&] {
            ::close(go[1]);
            DocumentLock lock(path);
            const char held = lock.tryLock().isEmpty() ? 'y' : 'n';
            char end = 0;
            if (::write(ready[1], &held, 1) == 1) {
                [[maybe_unused]] const auto count = ::read(go[0], &end, 1);
            }
        });
        ::close(go[0]);
        ::close(ready[1]);
        go_ = go[1];
        char held = 0;
        hasLock_ = ::read(ready[0], &held, 1) == 1 && held == 'y';
        ::close(ready[0]);
    }

    ~Holder() { kill(); }

    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    bool hasLock() const { return hasLock_; }

    pid_t number() const { return child_; }

    void kill() {
        if (child_ > 0) {
            killChild(child_);
            ::close(go_);
            child_ = 0;
        }
    }

private:
    pid_t child_ = 0;
    int go_ = -1;
    bool hasLock_ = false;
};

}  // namespace

/// Two studios on one document.
class DocumentLockTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    QString path_;

    QStringList hidden() const {
        return QDir(folder_->path()).entryList(QDir::Files | QDir::Hidden).filter(".lock");
    }

private Q_SLOTS:

    void init() {
        lowtide::test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
        path_ = folder_->filePath("graph.json");
        QFile file(path_);
        QVERIFY(file.open(QIODevice::WriteOnly));
    }

    void theFirstHasItAndLeavesNothing() {
        {
            DocumentLock lock(path_);
            QCOMPARE(lock.tryLock(), QString());
            QCOMPARE(lock.tryLock(), QString());
            QCOMPARE(hidden().size(), 1);
        }
        QVERIFY(hidden().isEmpty());
    }

    void anotherProgramIsNamed() {
        const Holder holder(path_);
        QVERIFY(holder.hasLock());
        DocumentLock lock(path_);
        const QString sentence = lock.tryLock();
        QVERIFY2(sentence.startsWith("“graph.json” is being edited by "), qPrintable(sentence));
        QVERIFY2(sentence.contains(QString("process %1").arg(holder.number())),
                 qPrintable(sentence));
        QVERIFY2(sentence.contains(QSysInfo::machineHostName()), qPrintable(sentence));
    }

    void aKilledProgramsLockIsTakenOver() {
        Holder holder(path_);
        QVERIFY(holder.hasLock());
        holder.kill();
        QCOMPARE(hidden().size(), 1);
        DocumentLock lock(path_);
        QCOMPARE(lock.tryLock(), QString());
        const Holder other(path_);
        QVERIFY(!other.hasLock());
    }

    void whenTheOtherOneEndsItIsFree() {
        Holder holder(path_);
        DocumentLock lock(path_);
        QVERIFY(!lock.tryLock().isEmpty());
        holder.kill();
        QCOMPARE(lock.tryLock(), QString());
    }

    void twoWindowsOfOneProgramAreReported() {
        DocumentLock first(path_);
        DocumentLock second(path_);
        QCOMPARE(first.tryLock(), QString());
        QCOMPARE(second.tryLock(),
                 QString("“graph.json” is open in another window of this program."));
    }

    void aLinkToTheDocumentIsTheDocument() {
        const QString link = folder_->filePath("link.json");
        QVERIFY(QFile::link(path_, link));
        const Holder holder(path_);
        DocumentLock lock(link);
        QVERIFY(!lock.tryLock().isEmpty());
    }

    void otherDocumentsAreFree() {
        const Holder holder(path_);
        DocumentLock lock(folder_->filePath("other.json"));
        QCOMPARE(lock.tryLock(), QString());
    }

    void whoCannotBeReadIsReportedAllTheSame() {
        const Holder holder(path_);
        writeFile(folder_->filePath(hidden().front()), "\xff\xff");
        DocumentLock lock(path_);
        QCOMPARE(lock.tryLock(), QString("“graph.json” is being edited by another program."));
    }

    void whereNoLockCanBeMadeNobodyHasOne() {
        DocumentLock lock(folder_->filePath("nowhere/graph.json"));
        QCOMPARE(lock.tryLock(), QString());
    }

    void aNameOfFullLengthIsLocked() {
        const QString path = folder_->filePath(QString(250, 'n') + ".json");
        DocumentLock lock(path);
        QCOMPARE(lock.tryLock(), QString());
        QCOMPARE(hidden().size(), 1);
    }
};

LOWTIDE_TEST(DocumentLockTest)

}  // namespace document_lock_test

#include "document_lock_test.moc"
