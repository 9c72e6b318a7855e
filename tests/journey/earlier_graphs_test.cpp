// Graphs and reports of an earlier version, opened by the command (tests/unit/studio/earlier).
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace earlier_graphs_test {

using namespace lowtide;
using namespace lowtide::testing;

namespace {

QString earlier(const QString& name) {
    return sourcePath("tests/unit/studio/earlier/" + name);
}

QString bytesOf(const Json& bytes) {
    return QString::fromStdString(formatBytes(bytes.get<Bytes>()));
}

QString milliseconds(double value) {
    return QString::number(value, 'f', 1) + " ms";
}

/// The lines that begin with the word.
QStringList linesOf(const CommandResult& result, const std::string& word) {
    return result.output.split('\n').filter(
        QRegularExpression("^ *" + QRegularExpression::escape(QString::fromStdString(word)) + " "));
}

}  // namespace

class EarlierGraphsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void haveNoIssue_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("graph") << "graph.json";
        QTest::newRow("image") << "image.png";
        QTest::newRow("preset") << "presets/picture_to_picture.json";
    }

    void haveNoIssue() {
        QFETCH(QString, name);

        const CommandResult checked = runInProcess({"check", earlier(name)});

        QCOMPARE(checked.errors, QString());
        QVERIFY2(checked.output.endsWith(": valid\n"), qPrintable(checked.output));
        QCOMPARE(checked.exitCode, 0);
    }

    void aReportIsPrintedWithEveryNode() {
        const Json report = Json::parse(contentsOf(earlier("report.json")).toStdString());
        const Json& repetition = report.at("repetitions").at(0);

        const CommandResult printed = runInProcess({"report", earlier("report.json")});

        QCOMPARE(printed.errors, QString());
        QCOMPARE(printed.exitCode, 0);
        QVERIFY(printed.output.startsWith("run ok, " + milliseconds(report.at("ms").get<double>()) +
                                          "\n"));
        for (const Json& node : repetition.at("nodes")) {
            const QString line = linesOf(printed, node.at("node").get<std::string>()).value(0);
            for (const QString& part : {QString::fromStdString(node.at("type").get<std::string>()),
                                        milliseconds(node.at("ms").get<double>()),
                                        bytesOf(node.at("peakBytes"))}) {
                QVERIFY2(line.contains(" " + part), qPrintable(line + ": " + part));
            }
        }
        for (const Json& stage : repetition.at("traffic").at("stages")) {
            for (const auto& [device, times] : stage.at("lanes").items()) {
                const QString line = linesOf(printed, stage.at("node").get<std::string>()).last();
                for (const QString& part : {milliseconds(1000 * times.at("copy").get<double>()),
                                            milliseconds(1000 * times.at("wait").get<double>()),
                                            bytesOf(stage.at("moved"))}) {
                    QVERIFY2(line.contains(" " + part), qPrintable(line + ": " + part));
                }
                QVERIFY(line.endsWith(QString::fromStdString(device)));
            }
        }
        const Json& memory = repetition.at("ledger").at("fake");
        QVERIFY(printed.output.contains("fake: " + bytesOf(memory.at("total")) + " held now, " +
                                        bytesOf(memory.at("peak")) + " at most\n"));
        QVERIFY(printed.output.contains("\ncollections: 3 at 3 points, 0 skipped, "));
    }
};

LOWTIDE_TEST(EarlierGraphsTest)

}  // namespace earlier_graphs_test

#include "earlier_graphs_test.moc"
