// What published checkpoints are planned to take, against the bytes that their headers state.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_rows.hpp"

#include <QtTest/QtTest>

namespace planned_test {

using namespace lowtide;

namespace {

/// A graph of the sources, or a preset by its name.
QString graphPath(const QString& named) {
    return testing::sourcePath(named.endsWith(".json") ? named
                                                       : "resources/presets/" + named + ".json");
}

/// "load.checkpoint=FOLDERS/sd-turbo latent.width=512" with the folders of now.
Json settingsOf(QString text) {
    const QString root = testing::publishedFolder();
    text.replace("FOLDERS", root + "/folders");
    text.replace("MODELS", root + "/models");
    text.replace("PICTURE", root + "/pictures/plain.png");
    Json settings = Json::array();
    for (const QString& each : text.split(' ')) {
        settings.push_back(each.toStdString());
    }
    return settings;
}

}  // namespace

class PlannedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesWhatItsHeaderStates_data() const {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("expected");
        for (const testing::PublishedRow& row : testing::publishedRows("plan")) {
            QTest::newRow(qPrintable(row.what)) << row.what << row.expected;
        }
    }

    /// The row says "refused", "refused=WORDS" of what is said, or how many times the bytes in the
    /// files the weights of a component may take at most: "1.05" of each, "denoiser:0.6" of one.
    void takesWhatItsHeaderStates() const {
        QFETCH(QString, what);
        QFETCH(QString, expected);
        const QString path = graphPath(what.section(' ', 0, 0));
        const Json options = {{"graphFolder", QFileInfo(path).path().toStdString()},
                              {"as", "RTX 4090"},
                              {"set", settingsOf(what.section(' ', 1))}};
        std::string text;
        const Status status = testing::publishedModule().runner()->plan(
            testing::contentsOf(path).toStdString(), options.dump(), text);
        if (expected.startsWith("refused")) {
            const std::string words = expected.section('=', 1).toStdString();
            QVERIFY2(status == Status::Invalid, text.substr(0, 2000).c_str());
            QVERIFY2(text.find(words) != std::string::npos, text.c_str());
            return;
        }
        QVERIFY2(status == Status::Ok, text.substr(0, 2000).c_str());
        const std::string role =
            expected.contains(':') ? expected.section(':', 0, 0).toStdString() : "";
        const double most = expected.section(':', -1).toDouble();
        const Json components = Json::parse(text).at("plan").at("components");
        QVERIFY(!components.empty());
        for (const Json& part : components) {
            const auto planned = part.at("weights").get<double>();
            const auto inFiles = part.at("file_bytes").get<double>();
            if (role.empty() || part.at("role") == role) {
                QVERIFY2(planned <= most * inFiles, part.dump(2).c_str());
            }
        }
    }
};

LOWTIDE_TEST(PlannedTest)

}  // namespace planned_test

#include "planned_test.moc"
