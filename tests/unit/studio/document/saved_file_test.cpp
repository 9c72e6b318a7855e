#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/saved_file.hpp"

#include <QtTest/QtTest>

namespace saved_file_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

QByteArray imageWith(const std::vector<image::ImageText>& texts) {
    const Image8 image{.widthPixels = 2,
                       .heightPixels = 2,
                       .channels = 3,
                       .pixels = std::make_shared<uint8_t[]>(12)};
    return QByteArray::fromStdString(image::encodePng(image, texts));
}

QString messageOf(const std::optional<Error>& error) {
    return error ? QString::fromStdString(error->message().str()) : QString("no error");
}

}  // namespace

/// Graphs in files: saving, backups, reading, refusing.
class SavedFileTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    QString path_;
    QString backups_;

    void save(int steps) {
        graph::Document document = someGraph();
        document.nodes.at("denoise").params["steps"] = steps;
        saveGraph(path_, document, backups_);
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
        path_ = folder_->filePath("a graph.json");
        backups_ = folder_->filePath("deep/backups");
    }

    void whatIsSavedIsLoadedAndSavedTheSame() {
        saveGraph(path_, someGraph(), backups_);
        QCOMPARE(QString::fromUtf8(contentsOf(path_)), someGraphText());
        QCOMPARE(shown(loadGraph(path_)), someGraphText());
    }

    void whatStoodThereBecomesABackup() {
        save(1);
        QVERIFY(backupsOf(path_, backups_).empty());
        save(2);
        const std::vector<Backup> backups = backupsOf(path_, backups_);
        QCOMPARE(backups.size(), size_t{1});
        QCOMPARE(loadGraph(backups[0].path).nodes.at("denoise").params.at("steps"), Json(1));
        const QDateTime time = QDateTime::fromString(backups[0].savedAt, Qt::ISODateWithMs);
        QVERIFY(std::abs(time.secsTo(QDateTime::currentDateTimeUtc())) < 600);
    }

    void namesMayHoldPlaceholderMarks() {
        path_ = folder_->filePath("50%3 sky %1.json");
        save(1);
        save(2);
        QCOMPARE(backupsOf(path_, backups_).size(), size_t{1});
        QVERIFY(QFile::copy(path_, path_ + ".broken"));
        QVERIFY(QFile::copy(path_, path_ + ".broken-2"));
        QCOMPARE(setBrokenAside(path_), path_ + ".broken-3");
        QVERIFY(!QFile::exists(path_));
        QCOMPARE(setBrokenAside(path_), QString());
    }

    void theNewestTenBackupsRemain() {
        for (int steps = 1; steps <= 14; ++steps) {
            save(steps);
        }
        const std::vector<Backup> backups = backupsOf(path_, backups_);
        QCOMPARE(backups.size(), size_t{10});
        for (size_t index = 0; index < backups.size(); ++index) {
            QCOMPARE(loadGraph(backups[index].path).nodes.at("denoise").params.at("steps"),
                     Json(13 - index));
        }
    }

    void savingTheSameTwiceIsOneBackup() {
        save(1);
        save(2);
        save(1);
        save(1);
        QCOMPARE(backupsOf(path_, backups_).size(), size_t{2});
    }

    void filesOfOneNameInTwoFoldersHaveTheirOwnBackups() {
        save(1);
        save(2);
        QDir(folder_->path()).mkdir("other");
        QVERIFY(backupsOf(folder_->filePath("other/a graph.json"), backups_).empty());
    }

    void aBackupThatCannotBeMadeDoesNotStopSaving() {
        writeFile(folder_->filePath("deep"), "a file where the folder should be");
        save(1);
        save(2);
        QCOMPARE(loadGraph(path_).nodes.at("denoise").params.at("steps"), Json(2));
    }

    void savingThroughALinkKeepsTheLink() {
        save(1);
        const QString link = folder_->filePath("link.json");
        QVERIFY(QFile::link(path_, link));
        saveGraph(link, graph::Document(), backups_);
        QVERIFY(QFileInfo(link).isSymLink());
        QVERIFY(loadGraph(path_).nodes.empty());
    }

    void savingKeepsWhoMayRead() {
        save(1);
        const auto onlyMine = QFile::ReadOwner | QFile::WriteOwner;
        QVERIFY(QFile::setPermissions(path_, onlyMine));
        save(2);
        QCOMPARE(QFile::permissions(path_) & (QFile::ReadGroup | QFile::ReadOther),
                 QFile::Permissions());
    }

    void aFileThatIsMarkedReadOnlyIsNotReplaced() {
        save(1);
        QFile::setPermissions(path_, QFile::ReadOwner);
        const auto error = errorOf([&] { save(2); });
        QCOMPARE(messageOf(error), QString("“a graph.json” is marked as read-only"));
        QCOMPARE(loadGraph(path_).nodes.at("denoise").params.at("steps"), Json(1));
    }

    void aTextThatIsNotUtf8LeavesTheOldFile() {
        save(1);
        graph::Document document = someGraph();
        document.nodes.at("denoise").title = "\xff\xfe";
        const auto error = errorOf([&] { saveGraph(path_, document, backups_); });
        QVERIFY(error);
        QVERIFY(error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(loadGraph(path_).nodes.at("denoise").params.at("steps"), Json(1));
    }

    void whatCannotBeSavedExplainsWhy_data() {
        testing::addTable<QString, QString>(
            {"name", "message"},
            {{"no folder",
              "nowhere/x.json",
              "cannot write \"x.json\": the folder \"nowhere\" does not exist"},
             {"a folder", ".", "cannot write \".\": a folder has that name"}});
    }

    void whatCannotBeSavedExplainsWhy() {
        QFETCH(QString, name);
        QFETCH(QString, message);
        const auto error =
            errorOf([&] { saveGraph(folder_->path() + '/' + name, someGraph(), backups_); });
        QCOMPARE(messageOf(error), message);
        QVERIFY(!QString::fromStdString(error->hint().str()).contains("--out"));
    }

    void whatIsNoGraphIsRefusedWithASentence_data() {
        testing::addTable<QByteArray, QString>(
            {"bytes", "message"},
            {{"empty", QByteArray(), "\"x.json\": graph is not valid JSON at line 1, column 0"},
             {"half",
              someGraphText().toUtf8().left(300),
              "\"x.json\": graph is not valid JSON at line 22, column 7"},
             {"newer",
              QByteArray(R"({"format": 99, "nodes": {}})"),
              "\"x.json\": graph has the format 99, this version reads up to format 2"},
             {"other JSON", QByteArray(R"({"a": 1})"), "\"x.json\": graph has no \"format\""},
             {"a list", "[]", "\"x.json\": graph must be a JSON object, it is a array"},
             {"bytes", QByteArray("\x00\xff\x00\xff", 4), ""}});
    }

    void whatIsNoGraphIsRefusedWithASentence() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        writeFile(folder_->filePath("x.json"), bytes);
        const auto error = errorOf([&] { (void)loadGraph(folder_->filePath("x.json")); });
        QVERIFY(error);
        if (!message.isEmpty()) {
            QCOMPARE(messageOf(error), message);
        }
        QVERIFY(!messageOf(error).contains(folder_->path()));
    }

    /// A file is what its name states until it is seen to be something else.
    void whatIsNoImageIsNoGraphEither_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        const QByteArray whole = imageWith({{"lowtide_graph", someGraphText().toStdString()}});
        QTest::newRow("empty") << "x.png" << QByteArray()
                               << "\"x.png\" cannot be read as an image or video: it is empty";
        QTest::newRow("words")
            << "x.jpg" << QByteArray("hello")
            << "\"x.jpg\" cannot be read as an image or video: it does not begin as one";
        QTest::newRow("six bytes")
            << "x.png" << whole.left(6)
            << "\"x.png\" cannot be read as an image or video: it does not begin as one";
        QTest::newRow("an empty video")
            << "x.mp4" << QByteArray()
            << "\"x.mp4\" cannot be read as an image or video: it is empty";
        QTest::newRow("cut off") << "x.png" << whole.left(whole.size() / 2)
                                 << "\"x.png\" cannot be read as a PNG image: its end is missing";
        QTest::newRow("without a graph")
            << "x.png" << imageWith({}) << "the image \"x.png\" carries no graph";
    }

    void whatIsNoImageIsNoGraphEither() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        writeFile(folder_->filePath(name), bytes);
        const auto error = errorOf([&] { (void)loadGraph(folder_->filePath(name)); });
        QCOMPARE(messageOf(error), message);
        QVERIFY(!error->hint().empty());
    }

    void aGraphMayHaveTheNameOfAnImage() {
        const QString path = folder_->filePath("x.png");
        writeFile(path, "\n " + someGraphText().toUtf8());
        QCOMPARE(shown(loadGraph(path)), someGraphText());
    }

    void aMissingFileIsNotFound() {
        const auto error = errorOf([&] { (void)loadGraph(folder_->filePath("none.json")); });
        QVERIFY(error && error->kind() == ErrorKind::NotFound);
        QVERIFY(messageOf(error).contains("none.json"));
    }

    void fiftyMegabytesAreRefusedAtOnce() {
        const QByteArray bytes = R"({"format": 1, "x": [)" + QByteArray("0,").repeated(25'000'000);
        writeFile(path_, bytes + "0]}");
        CpuTimer timer;
        const auto error = errorOf([&] { (void)loadGraph(path_); });
        qInfo("50 MB refused in %.0f ms", timer.milliseconds());
        QCOMPARE(messageOf(error),
                 QString("the file \"a graph.json\" is 47.7 MiB large, at most 32.0 MiB are read"));
        QVERIFY(timer.milliseconds() < 2000);
    }

    void thirtyMegabytesAreLoadedOrRefusedInSeconds() {
        graph::Document document = someGraph();
        document.extra["long"] = std::string(30'000'000, 'x');
        saveGraph(path_, document, backups_);
        CpuTimer timer;
        QCOMPARE(loadGraph(path_).nodes.size(), size_t{5});
        qInfo("30 MB loaded in %.0f ms", timer.milliseconds());
        QVERIFY(timer.milliseconds() < 30'000);
    }

    void anImageGivesItsGraph() {
        const QString image = folder_->filePath("picture.png");
        writeFile(image,
                  imageWith({{"other", "text"}, {"lowtide_graph", someGraphText().toStdString()}}));
        QCOMPARE(shown(loadGraph(image)), someGraphText());
    }

    void imagesOfOtherFormatsGiveTheirGraphToo_data() {
        QTest::addColumn<int>("format");
        QTest::newRow("JPEG") << static_cast<int>(image::ImageFormat::Jpeg);
        QTest::newRow("WebP") << static_cast<int>(image::ImageFormat::WebP);
    }

    void imagesOfOtherFormatsGiveTheirGraphToo() {
        QFETCH(int, format);
        const Image8 image{.widthPixels = 2,
                           .heightPixels = 2,
                           .channels = 3,
                           .pixels = std::make_shared<uint8_t[]>(12)};
        const std::string bytes =
            image::encodeImage(image,
                               {{"lowtide_graph", someGraphText().toStdString()}},
                               {.format = static_cast<image::ImageFormat>(format)});
        writeFile(path_, QByteArray::fromStdString(bytes));
        QCOMPARE(shown(loadGraph(path_)), someGraphText());
    }

    void theNameOfAnImageDoesNotMatter() {
        writeFile(path_, imageWith({{"lowtide_graph", someGraphText().toStdString()}}));
        QCOMPARE(shown(loadGraph(path_)), someGraphText());
    }

    void anImageWithoutAGraphReportsIt() {
        writeFile(path_, imageWith({{"parameters", "steps: 20"}}));
        const auto error = errorOf([&] { (void)loadGraph(path_); });
        QVERIFY(error && error->kind() == ErrorKind::NotFound);
        QCOMPARE(messageOf(error), QString("the image \"a graph.json\" carries no graph"));
    }

    void hostileImagesAreRefusedWithASentence_data() {
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray good = imageWith({{"lowtide_graph", someGraphText().toStdString()}});
        QByteArray wrongChecksum = good;
        wrongChecksum[60] = char(wrongChecksum[60] ^ 1);
        QByteArray wrongLength = good;
        wrongLength[33] = char(0x7f);
        QByteArray huge = good;
        huge.replace(16, 8, QByteArray::fromHex("7fffffff7fffffff"));
        QTest::newRow("signature only") << good.left(8);
        QTest::newRow("cut off") << good.left(good.size() / 2);
        QTest::newRow("wrong checksum") << wrongChecksum;
        QTest::newRow("a chunk of 2 GiB") << wrongLength;
        QTest::newRow("2^31 a side") << huge;
        QTest::newRow("graph of noise") << imageWith({{"lowtide_graph", "{{{{"}});
        QTest::newRow("deep graph") << imageWith({{"lowtide_graph", std::string(1'000'000, '[')}});
        QTest::newRow("newer graph") << imageWith({{"lowtide_graph", R"({"format": 7})"}});
    }

    void hostileImagesAreRefusedWithASentence() {
        QFETCH(QByteArray, bytes);
        writeFile(path_, bytes);
        const auto error = errorOf([&] { (void)loadGraph(path_); });
        QVERIFY(error);
        QVERIFY2(messageOf(error).contains("a graph.json"), qPrintable(messageOf(error)));
        QVERIFY(messageOf(error).size() < 300);
    }
};

LOWTIDE_TEST(SavedFileTest)

}  // namespace saved_file_test

#include "saved_file_test.moc"
