#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

namespace calibrate_test {

using namespace lowtide;

namespace {

constexpr const char* kFile = "device_profiles.json";
constexpr const char* kClassFile = "cpu_class.json";

testing::CommandResult withCache(const QString& folder, const QStringList& arguments) {
    return testing::runLowtide(arguments, {"LOWTIDE_CACHE=" + folder});
}

testing::CommandResult plan(const QString& folder,
                            const QString& device,
                            const QStringList& more = {}) {
    return withCache(
        folder,
        QStringList{"plan", testing::exampleGraph("text_to_image"), "--device", device} + more);
}

Json stageOf(const testing::CommandResult& result, const std::string& node) {
    const Json json = Json::parse(result.output.toStdString());
    for (const Json& stage : json.at("stages")) {
        if (stage.at("node") == node) {
            return stage;
        }
    }
    return {};
}

}  // namespace

/// `lowtide calibrate` and what plans make of it.
class CalibrateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Measured once, where a damaged file lies; the tests get copies of the file.
    void initTestCase() {
        testing::writeFile(measured_.filePath(kFile), "{\"profiles\": [");
        const testing::CommandResult result = withCache(measured_.path(), {"calibrate", "--json"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        json_ = Json::parse(result.output.toStdString());
        qInfo("lowtide calibrate took %.1f s", result.seconds);
    }

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(QFile::copy(measured_.filePath(kFile), path()));
        QVERIFY(QFile::copy(measured_.filePath(kClassFile), folder_->filePath(kClassFile)));
    }

    void reportsWhatWasMeasured() {
        QCOMPARE(json_.at("device").get<std::string>(), std::string("cpu"));
        QVERIFY(json_.at("stored").get<bool>());
        QCOMPARE(json_.at("measured").size(), json_.at("estimated").size());
        QCOMPARE(
            QDir(measured_.path()).entryList(QDir::Files | QDir::Hidden),
            (QStringList{".cpu_class.json.lock", ".device_profiles.json.lock", kClassFile, kFile}));
    }

    void plansStateWhetherTheirTimesAreMeasured() {
        const QTemporaryDir empty;
        const testing::CommandResult before = plan(empty.path(), "cpu");
        const testing::CommandResult after = plan(folder_->path(), "cpu");

        QVERIFY2(before.output.contains("times are estimates"), qPrintable(before.output));
        const QString day = QString::fromStdString(json_.at("measured_on"));
        QVERIFY2(after.output.contains("times measured on " + day), qPrintable(after.output));
        QVERIFY2(!after.errors.contains("calibrate"), qPrintable(after.errors));
    }

    void keepsItsFilesWhereTheEnvironmentStates_data() {
        testing::addTable<QStringList, QString>(
            {"environment", "folder"},
            {{"XDG's folder", {"XDG_CACHE_HOME=%1/xdg"}, "xdg/lowtide"},
             {"one that is relative counts as none", {"XDG_CACHE_HOME=xdg"}, "home/.cache/lowtide"},
             {"its own", {"XDG_CACHE_HOME=%1/xdg", "LOWTIDE_CACHE=%1/own"}, "own"}});
    }

    /// Measured speeds that lie there are found. Source: XDG Base Directory Specification.
    void keepsItsFilesWhereTheEnvironmentStates() {
        QFETCH(QStringList, environment);
        QFETCH(QString, folder);
        const QTemporaryDir base;
        testing::copyFolder(folder_->path(), base.filePath(folder));
        environment.replaceInStrings("%1", base.path());

        const testing::CommandResult planned = testing::runLowtide(
            {"plan", testing::exampleGraph("text_to_image"), "--device", "cpu"},
            QStringList{"LOWTIDE_CACHE=", "HOME=" + base.filePath("home")} + environment);

        QVERIFY2(planned.output.contains("times measured on"), qPrintable(planned.output));
    }

    /// Speeds that leave nothing but the link: the seconds are the bytes that it carries.
    void plansFollowTheMeasuredLink() {
        const QStringList policy = {
            "--json", "--policy", "denoise=leaf", "--memory-budget", "2GiB"};
        setSpeed("flops_per_second", 1e20);
        setSpeed("leaf_overhead_seconds", 0);
        setSpeed("copy_overhead_seconds", 0);
        const auto withSpeed = [&](double bytesPerSecond) {
            for (const char* key : {"copy_bytes_per_second",
                                    "converted_bytes_per_second",
                                    "mapped_bytes_per_second"}) {
                setSpeed(key, bytesPerSecond);
            }
            return stageOf(plan(folder_->path(), "cpu", policy), "denoise");
        };
        const Json fast = withSpeed(1e9);
        const Json slow = withSpeed(1e8);

        const double bytes = fast.at("moved").get<double>();
        QVERIFY(bytes > 0);
        QVERIFY(std::abs(fast.at("seconds").get<double>() / (bytes / 1e9) - 1) < 0.01);
        QVERIFY(std::abs(slow.at("seconds").get<double>() / (bytes / 1e8) - 1) < 0.01);
        QCOMPARE(slow.at("moved").get<int64_t>(), fast.at("moved").get<int64_t>());
        QVERIFY(slow.at("devices") == fast.at("devices"));
    }

    void doesNotUseOtherMeasurements_data() {
        QTest::addColumn<QString>("key");
        QTest::newRow("another machine") << "processor";
        QTest::newRow("another device") << "name";
        QTest::newRow("other threads") << "numerics";
        QTest::newRow("another version") << "version";
    }

    void doesNotUseOtherMeasurements() {
        QFETCH(QString, key);
        edit([&](Json& profile) { profile[key.toStdString()] = "another"; });

        const testing::CommandResult result = plan(folder_->path(), "cpu");

        QCOMPARE(result.exitCode, 0);
        QVERIFY2(result.output.contains("times are estimates"), qPrintable(result.output));
        QCOMPARE(result.errors.count("lowtide calibrate --device cpu"), 1);
    }

    void aDamagedFileIsNotUsed() {
        QFile file(path());
        QVERIFY(file.resize(file.size() / 2));

        const testing::CommandResult damaged = plan(folder_->path(), "cpu");

        QCOMPARE(damaged.exitCode, 0);
        QVERIFY2(damaged.output.contains("times are estimates"), qPrintable(damaged.output));
        QCOMPARE(damaged.errors.count("lowtide calibrate --device cpu"), 1);
    }

    void threadsAreThoseThatOpenMpHas_data() {
        testing::addTable<QString, QStringList, QString>(
            {"environment", "arguments", "expected"},
            {{"of the environment", "3", {}, ", 3 threads"},
             {"of nested levels", "3,1", {}, ", 3 threads"},
             {"the option wins", "3", {"--threads", "2"}, ", 2 threads"}});
    }

    void threadsAreThoseThatOpenMpHas() {
        QFETCH(QString, environment);
        QFETCH(QStringList, arguments);
        QFETCH(QString, expected);
        const QTemporaryDir out;
        const QString report = out.filePath("report.json");
        const testing::CommandResult run =
            testing::runLowtide(QStringList{"run",
                                            testing::exampleGraph("text_to_image"),
                                            "--set",
                                            "denoise.steps=1",
                                            "--out",
                                            out.path(),
                                            "--report",
                                            report} +
                                    arguments,
                                {"OMP_NUM_THREADS=" + environment});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json json = Json::parse(testing::contentsOf(report).toStdString());
        const auto numerics = QString::fromStdString(json.at("numerics").get<std::string>());
        QVERIFY2(numerics.contains(expected), qPrintable(numerics));
    }

    /// What the CPU's operators are is read when the process starts, and is part of its numerics.
    void takesTheStoredOperators() {
        const QString plain = "convolution plain, attention plain, norm plain, product plain";
        QVERIFY(!numericsWith(folder_->path()).endsWith(plain));
        setOperators(plain);
        QVERIFY2(numericsWith(folder_->path()).endsWith(plain),
                 qPrintable(numericsWith(folder_->path())));
        const testing::CommandResult planned = plan(folder_->path(), "cpu");
        QVERIFY2(planned.output.contains("times are estimates"), qPrintable(planned.output));
        setOperators("convolution magic");
        const testing::CommandResult damaged = withCache(folder_->path(), {"devices", "--json"});
        QCOMPARE(damaged.exitCode, 0);
        QVERIFY2(damaged.errors.contains("lowtide calibrate"), qPrintable(damaged.errors));
        QVERIFY(!numericsWith(folder_->path()).endsWith(plain));
    }

    /// A rehearsal's plans are the same on every machine.
    void aRehearsalIsMeasuredAndNotStored() {
        const QTemporaryDir empty;
        const testing::CommandResult result =
            withCache(empty.path(), {"calibrate", "--device", "fake"});

        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY2(result.output.contains("rehearses a GPU"), qPrintable(result.output));
        QVERIFY2(result.output.contains("times the estimate"), qPrintable(result.output));
        QVERIFY(QDir(empty.path()).isEmpty());
        QVERIFY(plan(folder_->path(), "fake").output.contains("times are those of such a card"));
    }

    void refusesAFolderThatCannotBeWritten() {
        const testing::CommandResult result = withCache("/proc/1/lowtide", {"calibrate"});

        QCOMPARE(result.exitCode, 2);
        QVERIFY(result.output.isEmpty());
        QVERIFY(!result.errors.isEmpty());
    }

    void refusesADeviceThatIsNone() {
        QCOMPARE(withCache(folder_->path(), {"calibrate", "--device", "toaster"}).exitCode, 2);
    }

private:
    QString path() const { return folder_->filePath(kFile); }

    /// Changes the one profile of the file.
    template <class Change>
    void edit(const Change& change) {
        QFile file(path());
        QVERIFY(file.open(QIODevice::ReadWrite));
        Json json = Json::parse(file.readAll().toStdString());
        QCOMPARE(json.at("profiles").size(), size_t{1});
        change(json["profiles"][0]);
        file.resize(0);
        file.seek(0);
        file.write(QByteArray::fromStdString(json.dump()));
    }

    /// Changes what is stored for this machine.
    void setOperators(const QString& text) {
        QFile file(folder_->filePath(kClassFile));
        QVERIFY(file.open(QIODevice::ReadWrite));
        Json json = Json::parse(file.readAll().toStdString());
        QCOMPARE(json.at("machines").size(), size_t{1});
        json["machines"].front() = text.toStdString();
        file.resize(0);
        file.seek(0);
        file.write(QByteArray::fromStdString(json.dump()));
    }

    static QString numericsWith(const QString& folder) {
        const QTemporaryDir out;
        const QString report = out.filePath("report.json");
        static_cast<void>(withCache(folder,
                                    {"run",
                                     testing::exampleGraph("text_to_image"),
                                     "--set",
                                     "denoise.steps=1",
                                     "--out",
                                     out.path(),
                                     "--report",
                                     report}));
        const Json json = Json::parse(testing::contentsOf(report).toStdString());
        return QString::fromStdString(json.at("numerics").get<std::string>());
    }

    void setSpeed(const char* key, double value) {
        edit([&](Json& profile) { profile["speeds"][key] = value; });
    }

    QTemporaryDir measured_;
    std::unique_ptr<QTemporaryDir> folder_;
    Json json_;
};

LOWTIDE_TEST(CalibrateTest)

}  // namespace calibrate_test

#include "calibrate_test.moc"
