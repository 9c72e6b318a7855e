#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/finished_run.hpp"

#include <QtTest/QtTest>

#include <array>
#include <filesystem>
#include <sys/inotify.h>
#include <thread>
#include <unistd.h>

namespace kept_results_test {

using namespace lowtide;
using testing::contentsOf;
using testing::copyFolder;
using testing::executed;
using testing::Finished;
using testing::isGood;
using testing::kShort;
using testing::reported;
using testing::runExample;
using testing::runGraph;

namespace {

namespace fs = std::filesystem;

/// The text-to-image example with a result cache on disk behind one output.
bool writeKeeping(const QString& path, const std::string& node, const std::string& port) {
    Json graph =
        parseJson(contentsOf(testing::exampleGraph("text_to_image")).toStdString(), "example");
    graph["nodes"]["keep"] = {{"type", "control.result_cache"}, {"params", {{"where", "disk"}}}};
    for (Json& link : graph["links"]) {
        if (link["from"] == Json({node, port})) {
            link["from"] = {"keep", "value"};
        }
    }
    graph["links"].push_back({{"from", {node, port}}, {"to", {"keep", "value"}}});
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(graph.dump().c_str()) > 0;
}

QStringList resultsIn(const QString& cache) {
    return QDir(cache + "/results").entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

/// Overwrites the weights of a safetensors file in place; name, size, time and header are kept.
bool spoilWeights(const QString& path) {
    const auto time = fs::last_write_time(path.toStdString());
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite)) {
        return false;
    }
    quint64 header = 0;
    file.read(reinterpret_cast<char*>(&header), sizeof(header));  // little-endian, as this machine
    file.seek(static_cast<qint64>(sizeof(header) + header));
    file.write(QByteArray(file.size() - file.pos(), '\x11'));
    file.close();
    fs::last_write_time(path.toStdString(), time);
    return true;
}

/// Hears of every opening of a file, by any process.
class OpenWatch {
public:
    explicit OpenWatch(const QString& path) : handle_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        const int watch = ::inotify_add_watch(handle_, path.toStdString().c_str(), IN_OPEN);
        isWatching_ = watch >= 0;
    }

    ~OpenWatch() { ::close(handle_); }

    OpenWatch(const OpenWatch&) = delete;
    OpenWatch& operator=(const OpenWatch&) = delete;

    [[nodiscard]] bool isWatching() const { return isWatching_; }

    /// Since the last call.
    [[nodiscard]] bool wasOpened() const {
        alignas(inotify_event) std::array<char, 4096> events;
        bool found = false;
        while (::read(handle_, events.data(), events.size()) > 0) {
            found = true;
        }
        return found;
    }

private:
    int handle_;
    bool isWatching_ = false;
};

}  // namespace

/// Result-cache nodes through the built command: what one process keeps, the next one uses.
class KeptResultsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        plain_ = runExample("text_to_image", cacheless_.path()).image;
        QVERIFY(!plain_.isNull());
    }

    void init() { cache_ = std::make_unique<QTemporaryDir>(); }

    /// The text encoder's weights are destroyed between two processes: the second has to do without
    /// them, and does not even open their file.
    void encodesOnce_andNeverOpensTheEncoderAgain() {
        const QTemporaryDir models;
        const QString model = models.filePath("model");
        copyFolder(testing::sourcePath("resources/mini/model"), model);
        const QString encoder = model + "/text_encoder/model.safetensors";
        const QStringList own = {"--set", "load.checkpoint=" + model};
        const OpenWatch watch(encoder);
        QVERIFY(watch.isWatching());
        const Finished first = runExample("control_nodes", cache_->path(), own);
        QVERIFY(isGood(first));
        QCOMPARE(first.image, plain_);
        QCOMPARE(resultsIn(cache_->path()).size(), 2);
        QVERIFY(watch.wasOpened());
        QVERIFY(spoilWeights(encoder));
        QVERIFY(watch.wasOpened());

        const Finished second = runExample("control_nodes", cache_->path(), own);

        QVERIFY(isGood(second));
        QVERIFY(!watch.wasOpened());
        QVERIFY(!executed(second).contains("encode"));
        QVERIFY(executed(second).contains("denoise"));
        QCOMPARE(second.image, plain_);
        for (const Json& component : second.report.at("plan").at("components")) {
            QVERIFY2(component.at("role") != "text_encoder", "the encoder is in the plan");
        }
        QCOMPARE(reported(second, "keep_positive", "found").at("place"), Json("disk"));
        const Finished without = runExample("text_to_image", cache_->path(), own);
        QVERIFY2(without.image != plain_, "the encoder's weights do not matter: no test at all");
    }

    /// The image's file too: who made it with what is kept next to the numbers.
    void whatIsKeptGivesTheSameFile_data() {
        testing::addTable<QString, QString>(
            {"node", "port"}, {{"latent", "denoise", "latent"}, {"image", "decode", "image"}});
    }

    void whatIsKeptGivesTheSameFile() {
        QFETCH(QString, node);
        QFETCH(QString, port);
        const QString graph = cache_->filePath("graph.json");
        QVERIFY(writeKeeping(graph, node.toStdString(), port.toStdString()));
        const Finished first = runGraph(graph, cache_->path());
        QVERIFY(isGood(first));
        QCOMPARE(first.image, plain_);

        const Finished second = runGraph(graph, cache_->path());

        QVERIFY(isGood(second));
        QVERIFY(executed(first).contains(node) && !executed(second).contains(node));
        QVERIFY(second.file == first.file);
        QVERIFY(second.file.contains("Model hash: "));
    }

    void anotherPromptIsAnotherResult() {
        QVERIFY(isGood(runExample("control_nodes", cache_->path())));

        const Finished other =
            runExample("control_nodes", cache_->path(), {"--set", "encode.prompt=a dog face"});

        QVERIFY(isGood(other));
        QVERIFY(executed(other).contains("encode"));
        QVERIFY(other.image != plain_);
        QVERIFY(isGood(runExample("control_nodes", cache_->path(), {"--device", "fake:256MiB"})));
        QCOMPARE(resultsIn(cache_->path()).size(), 6);
    }

    void aDamagedResultIsReportedAndMadeAgain() {
        QVERIFY(isGood(runExample("control_nodes", cache_->path())));
        for (const QString& name : resultsIn(cache_->path())) {
            QFile file(cache_->filePath("results/" + name));
            QVERIFY(file.open(QIODevice::ReadWrite));
            file.seek(file.size() - 4);
            file.write("ruin");
        }

        const Finished run = runExample("control_nodes", cache_->path());

        QVERIFY(isGood(run));
        QVERIFY(executed(run).contains("encode"));
        QCOMPARE(run.image, plain_);
        QVERIFY2(run.command.errors.contains("is not used"), qPrintable(run.command.errors));
        QVERIFY(!executed(runExample("control_nodes", cache_->path())).contains("encode"));
    }

    /// Kept results of a model that is not the same any more remain unused.
    void aModelThatChangedIsAnotherResult() {
        const QTemporaryDir models;
        const QString model = models.filePath("model");
        copyFolder(testing::sourcePath("resources/mini/model"), model);
        const QStringList own = {"--set", "load.checkpoint=" + model};
        QVERIFY(isGood(runExample("control_nodes", cache_->path(), own)));
        const std::string encoder = (model + "/text_encoder/model.safetensors").toStdString();
        fs::last_write_time(encoder, fs::last_write_time(encoder) + std::chrono::seconds(1));

        const Finished run = runExample("control_nodes", cache_->path(), own);

        QVERIFY(isGood(run));
        QVERIFY(executed(run).contains("encode"));
        QCOMPARE(run.image, plain_);
    }

    /// A good file under the name of another graph's result.
    void aResultOfAnotherGraphIsReportedAndMadeAgain() {
        const QTemporaryDir other;
        QVERIFY(isGood(runExample("control_nodes", cache_->path())));
        QVERIFY(isGood(
            runExample("control_nodes", other.path(), {"--set", "encode.prompt=a dog face"})));
        const QStringList names = resultsIn(cache_->path());
        for (const QString& name : names) {
            const QString port = name.section('-', 1);
            for (const QString& stranger : resultsIn(other.path())) {
                if (stranger.section('-', 1) == port) {
                    fs::copy_file(other.filePath("results/" + stranger).toStdString(),
                                  cache_->filePath("results/" + name).toStdString(),
                                  fs::copy_options::overwrite_existing);
                }
            }
        }

        const Finished run = runExample("control_nodes", cache_->path());

        QVERIFY(isGood(run));
        QVERIFY(executed(run).contains("encode"));
        QCOMPARE(run.image, plain_);
        QVERIFY2(run.command.errors.contains("belongs to another graph"),
                 qPrintable(run.command.errors));
    }

    /// Writes beyond a limit fail as on a disk that is full; nothing half-written is left.
    void aFullDiskIsAWarning() {
        const QTemporaryDir folder;
        constexpr int kLargestFileKiB = 4;  // less than a kept conditioning
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LOWTIDE_CACHE", cache_->path());
        process.setProcessEnvironment(environment);
        process.start(
            "bash",
            QStringList{"-c",
                        QString("trap '' XFSZ; ulimit -f %1; exec \"$@\"").arg(kLargestFileKiB),
                        "bash",
                        testing::buildPath("bin/lowtide"),
                        "run",
                        testing::exampleGraph("control_nodes"),
                        "--set",
                        "save.prefix=full",
                        "--out",
                        folder.path()} +
                kShort);
        QVERIFY(process.waitForFinished(60000));
        const QString errors = process.readAllStandardError();

        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QVERIFY2(errors.contains("warning: keep_positive"), qPrintable(errors));
        QVERIFY(resultsIn(cache_->path()).isEmpty());
    }

    void aDiskThatTakesNothingIsAWarning_data() {
        testing::addTable<bool, QStringList>(
            {"isFolder", "arguments"},
            {{"the folder cannot be made", false, {}},
             {"no space",
              true,
              {"--set", "keep_positive.limit=0", "--set", "keep_negative.limit=0"}}});
    }

    void aDiskThatTakesNothingIsAWarning() {
        QFETCH(bool, isFolder);
        QFETCH(QStringList, arguments);
        QFile file(cache_->filePath("taken"));
        QVERIFY(file.open(QIODevice::WriteOnly));

        const Finished run = runExample(
            "control_nodes", isFolder ? cache_->path() : cache_->filePath("taken"), arguments);

        QVERIFY(isGood(run));
        QCOMPARE(run.image, plain_);
        QVERIFY2(run.command.errors.contains("warning: keep_positive"),
                 qPrintable(run.command.errors));
    }

    void twoProcessesAtOnceShareTheFolder() {
        constexpr int kProcesses = 2;
        std::array<Finished, kProcesses> runs;
        std::vector<std::thread> threads;
        for (Finished& run : runs) {
            threads.emplace_back([&] { run = runExample("control_nodes", cache_->path()); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }

        for (const Finished& run : runs) {
            QVERIFY(isGood(run));
            QCOMPARE(run.image, plain_);
        }
        QCOMPARE(resultsIn(cache_->path()).size(), 2);
        const Finished third = runExample("control_nodes", cache_->path());
        QVERIFY(!executed(third).contains("encode"));
        QCOMPARE(third.image, plain_);
    }

private:
    QTemporaryDir cacheless_;
    std::unique_ptr<QTemporaryDir> cache_;
    QImage plain_;
};

LOWTIDE_TEST(KeptResultsTest)

}  // namespace kept_results_test

#include "kept_results_test.moc"
