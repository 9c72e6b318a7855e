// The dialog that looks for a missing model by its hash.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/hash_search_dialog.hpp"

#include <QCryptographicHash>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <optional>

namespace hash_search_dialog_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 60000;
constexpr const char* kNobodys = "0123456789";

struct Searching {
    QTemporaryDir folder;
    ModelShelf shelf{{}};
    std::vector<FoundModel> models;
    std::optional<HashSearchDialog> dialog;

    /// The digest of a file of so many bytes, which is among the candidates.
    std::string have(const QString& name, qsizetype size) {
        QByteArray bytes(size, '\0');
        bytes.replace(0, name.size(), name.toUtf8());
        testing::writeFile(folder.filePath(name), bytes);
        FoundModel model;
        model.file.path = folder.filePath(name).toStdString();
        model.file.name = name.toStdString();
        model.value = "as_named/" + model.file.name;
        model.identity = files::stampOfFile(model.file.path).identity;
        models.push_back(model);
        return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString();
    }

    void open(const std::string& digits) {
        dialog.emplace(
            shelf,
            WantedModel{.value = "sd15\\lost.safetensors", .digits = digits, .unread = models});
        dialog->show();
        test::bringToFront(*dialog);
    }

    [[nodiscard]] QPushButton& button(const char* name) const {
        return *dialog->findChild<QPushButton*>(name);
    }

    [[nodiscard]] QString message() const { return dialog->findChild<QLabel*>("message")->text(); }

    void search() const {
        QSignalSpy ended(dialog->findChild<ModelSearch*>(), &ModelSearch::ended);
        test::click(button("search"), button("search").rect().center());
        QVERIFY(ended.count() > 0 || ended.wait(kPatience));
        QCoreApplication::sendPostedEvents();
    }
};

}  // namespace

class HashSearchDialogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Light); }

    void init() { test::failOnQtWarnings(); }

    /// It states how much is to be read, and reads nothing.
    void nothingIsReadUnasked() {
        Searching searching;
        searching.have("a.safetensors", 1000);
        searching.have("b.safetensors", 3000);
        searching.open("6ce0161689aaaa");
        QVERIFY2(searching.message().contains("6ce0161689."), qPrintable(searching.message()));
        QVERIFY2(searching.message().contains("2 models"), qPrintable(searching.message()));
        QVERIFY2(searching.message().contains("3.9 KiB"), qPrintable(searching.message()));
        QVERIFY(searching.dialog->windowTitle().contains("lost.safetensors"));
        QVERIFY(searching.shelf.hashing().empty());
        QTest::keyClick(&*searching.dialog, Qt::Key_Escape);
        QVERIFY(!searching.dialog->isVisible());
        QVERIFY(searching.shelf.hashOf(searching.models.front()).empty());
    }

    /// By keys alone: Return searches, Return uses it.
    void whatIsFoundIsUsed() {
        Searching searching;
        searching.have("a.safetensors", 1000);
        const std::string digits = searching.have("b.safetensors", 3000).substr(0, 10);
        searching.open(digits);
        QSignalSpy used(&*searching.dialog, &HashSearchDialog::useAsked);
        QTest::keyClick(&*searching.dialog, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(
            searching.message().contains("b.safetensors") && !searching.dialog->isAtWork(),
            kPatience);
        QVERIFY(used.isEmpty());
        QTest::keyClick(&*searching.dialog, Qt::Key_Return);
        QCOMPARE(used.count(), 1);
        QCOMPARE(used.front().at(0).toString(), "sd15\\lost.safetensors");
        QCOMPARE(used.front().at(1).toString(), "as_named/b.safetensors");
        QVERIFY(!searching.dialog->isVisible());
    }

    void whereNoneHasItTheUserChooses() {
        Searching searching;
        searching.have("a.safetensors", 1000);
        searching.open(kNobodys);
        QSignalSpy chosen(&*searching.dialog, &HashSearchDialog::chooseAsked);
        searching.search();
        QVERIFY2(searching.message().contains("None of them"), qPrintable(searching.message()));
        QVERIFY(!searching.button("search").isVisible());  // it would read nothing
        test::click(searching.button("chooseOther"),
                    searching.button("chooseOther").rect().center());
        QCOMPARE(chosen.count(), 1);
        QVERIFY(!searching.dialog->isVisible());
    }

    void escapeCancelsTheSearch_andKeepsTheDialog() {
        Searching searching;
        searching.have("large.safetensors", 32'000'000);
        searching.open(kNobodys);
        test::click(searching.button("search"), searching.button("search").rect().center());
        QVERIFY(searching.dialog->isAtWork());
        QVERIFY(searching.dialog->findChild<QProgressBar*>("searchBar")->isVisible());
        QVERIFY(searching.button("close").hasFocus());
        QTest::keyClick(&*searching.dialog, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!searching.dialog->isAtWork(), kPatience);
        QVERIFY(searching.dialog->isVisible());
        QVERIFY2(searching.message().contains("Cancelled"), qPrintable(searching.message()));
        QVERIFY(searching.button("search").isVisible());  // once more
    }

    void aClosedDialogReadsNothingMore() {
        Searching searching;
        searching.have("large.safetensors", 32'000'000);
        searching.open(kNobodys);
        test::click(searching.button("search"), searching.button("search").rect().center());
        QSignalSpy ended(&searching.shelf, &ModelShelf::hashEnded);
        searching.dialog.reset();
        QVERIFY(ended.wait(kPatience));
        QVERIFY(searching.shelf.hashOf(searching.models.front()).empty());
    }

    void everyTextFits_data() { test::addSchemes(); }

    void everyTextFits() {
        QFETCH(const bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        const QString longName =
            QString("a_name_without_a_space_to_break_").repeated(6) + ".safetensors";
        for (const bool isThere : {false, true}) {
            Searching searching;
            searching.have("gone.safetensors", 1000);
            QVERIFY(QFile::remove(searching.folder.filePath("gone.safetensors")));
            const std::string digits = searching.have(longName, 32'000'000).substr(0, 10);
            searching.open(isThere ? digits : kNobodys);
            QCOMPARE(test::lookAt(*searching.dialog, "hash_search"), QString());
            QSignalSpy progressed(searching.dialog->findChild<ModelSearch*>(),
                                  &ModelSearch::progressed);
            test::click(searching.button("search"), searching.button("search").rect().center());
            QTRY_VERIFY_WITH_TIMEOUT(progressed.count() > 2, kPatience);
            QCOMPARE(test::lookAt(*searching.dialog, "hash_search_reads"), QString());
            QTRY_VERIFY_WITH_TIMEOUT(!searching.dialog->isAtWork(), kPatience);
            QCOMPARE(test::lookAt(*searching.dialog,
                                  isThere ? "hash_search_found" : "hash_search_not_found"),
                     QString());
        }
        test::wear(Theme::Scheme::Light);
    }
};

LOWTIDE_WINDOW_TEST(HashSearchDialogTest)

}  // namespace hash_search_dialog_test

#include "hash_search_dialog_test.moc"
