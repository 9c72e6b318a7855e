// What the module reports of published files and folders, whose headers are true.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_rows.hpp"

#include <QtTest/QtTest>

namespace recognised_test {

using namespace lowtide;

class RecognisedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Names, shapes and lengths of the key lists, and every small file, by the hashes of the
    /// published ones.
    void theDataIsThePublished() const {
        testing::runReference(
            {testing::sourcePath("tests/published/make_published.py"), "--verify"});
    }

    void reportsWhatRuns_data() const {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("expected");
        for (const testing::PublishedRow& row : testing::publishedRows("check")) {
            QTest::newRow(qPrintable(row.what)) << row.what << row.expected;
        }
    }

    /// "runs", "not", or "runs=KIND".
    void reportsWhatRuns() const {
        QFETCH(QString, what);
        QFETCH(QString, expected);
        const Json request = {{"path", (testing::publishedFolder() + "/" + what).toStdString()}};
        std::string result;
        testing::publishedModule().call("recognise", request.dump(), nullptr, result);
        const Json known = Json::parse(result);
        const QString kind = expected.section('=', 1);
        QVERIFY2(known.value("runs", false) == expected.startsWith("runs"), result.c_str());
        QVERIFY2(kind.isEmpty() || known.value("kind", "") == kind.toStdString(), result.c_str());
    }
};

LOWTIDE_TEST(RecognisedTest)

}  // namespace recognised_test

#include "recognised_test.moc"
