// A model that is looked for by its hash: files are read one after the other, and each once.
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/model_shelf.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <ctime>
#include <utility>

namespace model_search_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 60000;

/// The most that the GUI thread computed between two ticks: how long it did not answer, whatever
/// else the machine does.
class Pulse : public QObject {
public:
    Pulse() {
        last_ = spent();
        startTimer(1, Qt::PreciseTimer);
    }

    [[nodiscard]] double longestMilliseconds() const { return longest_; }

protected:
    void timerEvent(QTimerEvent*) override {
        const double now = spent();
        longest_ = std::max(longest_, now - std::exchange(last_, now));
    }

private:
    static double spent() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }

    double last_ = 0;
    double longest_ = 0;
};

}  // namespace

class ModelSearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        shelf_ = std::make_unique<ModelShelf>(at("shelf"));
    }

    void cleanup() { shelf_.reset(); }

    /// The smallest first, until one has the hash; what was read has its hash from then on.
    void findsAModelByItsFirstDigits() {
        put("a", 3000);
        put("b", 1000);
        const std::string digits = put("c", 2000).substr(0, 10);
        const auto models = modelsWithoutHash(
            {model("a"), model("b"), model("c")}, *shelf_, {ModelKind::Checkpoint});
        QCOMPARE(namesOf(models), "b c a");
        QSignalSpy progressed(shelf_.get(), &ModelShelf::hashProgressed);

        const SearchedModel found = search(digits, models);

        QCOMPARE(found.model.file.name, std::string("c"));
        QCOMPARE(found.unreadable, 0);
        QVERIFY(!shelf_->hashOf(model("b")).empty());
        QVERIFY(shelf_->hashOf(model("a")).empty());  // nothing is read beyond it
        openAgain();
        QCOMPARE(namesOf(modelsWithoutHash(models, *shelf_, {ModelKind::Checkpoint})), "a");
    }

    void kindsAndFoldersAreLeftOut() {
        put("a", 10);
        FoundModel lora = model("a");
        lora.file.kind = ModelKind::Lora;
        FoundModel folder = model("a");
        folder.identity = {};
        QVERIFY(modelsWithoutHash({lora, folder}, *shelf_, {ModelKind::Checkpoint}).empty());
        QVERIFY(modelsWithoutHash({model("a")}, *shelf_, {}).empty());
    }

    void nobodyHasTheHash() {
        put("a", 1000);
        put("b", 2000);
        const SearchedModel found = search("0123456789", {model("a"), model("b")});
        QVERIFY(!found.isFound());
        QVERIFY(!found.isCancelled);
    }

    void ofTwoEqualFilesTheFirstIsFound() {
        const std::string digits = put("a", 1000).substr(0, 10);
        QVERIFY(QFile::copy(at("a"), at("b")));
        const SearchedModel found = search(digits, {model("a"), model("b")});
        QCOMPARE(found.model.file.name, std::string("a"));
        QVERIFY(shelf_->hashOf(model("b")).empty());
        QCOMPARE(search(digits, {model("b")}).model.file.name, std::string("b"));
    }

    /// A hash that somebody else asked for meanwhile is not computed again.
    void whatIsKnownMeanwhileIsNotReadAgain() {
        put("a", 1000);
        const std::string digits = put("b", 2000).substr(0, 10);
        const std::vector<FoundModel> models = {model("a"), model("b")};
        QCOMPARE(search(digits, {model("b")}).model.file.name, std::string("b"));
        QSignalSpy ended(shelf_.get(), &ModelShelf::hashEnded);
        QCOMPARE(search(digits, models).model.file.name, std::string("b"));
        QCOMPARE(ended.count(), 1);
    }

    void whoCancels_data() {
        QTest::addColumn<bool>("isSearch");
        QTest::newRow("the search") << true;
        QTest::newRow("who stops all hashing") << false;
    }

    /// It ends soon, keeps what it has, and another search works.
    void whoCancels() {
        QFETCH(const bool, isSearch);
        put("small", 1000);
        const std::string digits = put("large", 16'000'000).substr(0, 10);
        ModelSearch searching(*shelf_);
        QSignalSpy ended(&searching, &ModelSearch::ended);
        connect(shelf_.get(), &ModelShelf::hashEnded, &searching, [&](const std::string& path) {
            if (path == model("small").file.path) {
                isSearch ? searching.cancel() : shelf_->cancelHashing();
            }
        });

        searching.begin(digits, {model("small"), model("large")});

        QVERIFY(ended.wait(kPatience));
        const auto found = ended.front().front().value<SearchedModel>();
        QVERIFY(found.isCancelled && !found.isFound() && found.unreadable == 0);
        QVERIFY(!searching.isAtWork());
        QVERIFY(shelf_->hashing().empty());
        QVERIFY(!shelf_->hashOf(model("small")).empty());
        QCOMPARE(search(digits, {model("large")}).model.file.name, std::string("large"));
    }

    /// A file that waits behind another one.
    void aSearchThatWaitsCanBeCancelled() {
        put("other", 16'000'000);
        put("mine", 1000);
        shelf_->hash(model("other"));
        ModelSearch searching(*shelf_);
        QSignalSpy ended(&searching, &ModelSearch::ended);
        searching.begin("0123456789", {model("mine")});
        searching.cancel();
        QCOMPARE(ended.count(), 1);
        QVERIFY(ended.front().front().value<SearchedModel>().isCancelled);
        QTRY_VERIFY_WITH_TIMEOUT(!shelf_->hashOf(model("other")).empty(), kPatience);
    }

    void aSearchThatIsGoneReadsNothingMore() {
        put("a", 16'000'000);
        put("b", 1000);
        QSignalSpy ended(shelf_.get(), &ModelShelf::hashEnded);
        {
            ModelSearch searching(*shelf_);
            searching.begin("0123456789", {model("a"), model("b")});
        }
        QVERIFY(ended.wait(kPatience));
        QVERIFY(shelf_->hashing().empty());
        QVERIFY(shelf_->hashOf(model("a")).empty());
        QVERIFY(shelf_->hashOf(model("b")).empty());
    }

    void whatCannotBeReadIsReported_andTheSearchGoesOn() {
        put("gone", 10);
        put("other", 20);
        const std::string digits = put("c", 3000).substr(0, 10);
        const std::vector<FoundModel> models = {model("gone"), model("other"), model("c")};
        QVERIFY(QFile::remove(at("gone")));
        QVERIFY(QFile::remove(at("other")));
        QVERIFY(QDir().mkpath(at("other")));

        const SearchedModel found = search(digits, models);

        QCOMPARE(found.model.file.name, std::string("c"));
        QCOMPARE(found.unreadable, 2);
        QVERIFY2(found.problems.at(0).contains("gone"), qPrintable(found.problems.at(0)));
    }

    /// Its hash is that of the new content, and is not taken for the one that was found.
    void aFileThatChangedSinceItWasFoundIsNone() {
        put("a", 1000);
        const FoundModel before = model("a");
        const std::string now = put("a", 1001);
        const SearchedModel found = search(now.substr(0, 10), {before});
        QVERIFY(!found.isFound());
        QVERIFY2(found.problems.value(0).contains("changed"), qPrintable(found.problems.value(0)));
        QVERIFY(shelf_->hashOf(before).empty());
        QCOMPARE(shelf_->hashOf(model("a")), now);
    }

    void aFileThatChangesWhileItIsReadHasNoHash() {
        put("a", 9'000'000);
        bool isChanged = false;
        const HashedModel hashed =
            hashModel(at("a").toStdString(), StopToken(), [&](double fraction) {
                if (fraction < 1 && !isChanged) {
                    QFile file(at("a"));
                    isChanged = file.open(QIODevice::Append) && file.write("more") == 4;
                }
            });
        QVERIFY(isChanged);
        QVERIFY(hashed.sha256.empty());
        QVERIFY2(hashed.problem.str().find("changed") != std::string::npos,
                 hashed.problem.str().c_str());
    }

    void manyProblemsTakeAFewLines() {
        std::vector<FoundModel> models;
        for (int i = 0; i < 40; ++i) {
            put(QString::number(i), 10);
            models.push_back(model(QString::number(i)));
            QVERIFY(QFile::remove(at(QString::number(i))));
        }
        const SearchedModel found = search("0123456789", models);
        QCOMPARE(found.unreadable, 40);
        QCOMPARE(found.problems.size(), ModelSearch::kMostProblems);
    }

    void bytesAreCountedOverAllFiles() {
        put("a", 5'000'000);
        put("b", 9'000'000);
        ModelSearch searching(*shelf_);
        QSignalSpy progressed(&searching, &ModelSearch::progressed);
        QSignalSpy ended(&searching, &ModelSearch::ended);
        searching.begin("0123456789", {model("a"), model("b")});
        QVERIFY(ended.wait(kPatience));
        qint64 before = 0;
        for (const QList<QVariant>& reported : progressed) {
            QCOMPARE(reported.at(2).toLongLong(), 14'000'000);
            QVERIFY(reported.at(1).toLongLong() >= before);
            before = reported.at(1).toLongLong();
        }
        QCOMPARE(before, 14'000'000);
    }

    /// Hundreds of files, on a shelf that knows thousands: the window answers, memory remains flat.
    void theGuiThreadIsNotBlocked() {
        std::vector<FoundModel> models;
        Json known;
        for (int i = 0; i < 2000; ++i) {
            known[at(QString("known/%1").arg(i)).toStdString()] = {
                {"note", "a note of some length for the model " + std::to_string(i)}};
        }
        testing::writeFile(at("shelf/models.json"),
                           QByteArray::fromStdString(Json{{"models", known}}.dump()));
        openAgain();
        for (int i = 0; i < 300; ++i) {
            put(QString::number(i), 200 + i);
            models.push_back(model(QString::number(i)));
        }
        QFile sparse(at("sparse"));
        QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(qint64{128} << 20));
        sparse.close();
        models.push_back(model("sparse"));
        shelf_->finish();
        QCoreApplication::processEvents();
        const Bytes before = testing::residentMemory();
        Pulse pulse;

        const SearchedModel found = search("0123456789", models);

        QVERIFY(!found.isFound() && !found.isCancelled && found.unreadable == 0);
        const Bytes grown = testing::residentMemory() - before;
        qInfo("longest pause %.1f ms (goal 50), grown by %lld KiB",
              pulse.longestMilliseconds(),
              static_cast<long long>(grown / kKiB));
        QVERIFY(pulse.longestMilliseconds() < 500);
        QVERIFY(grown < 40 * kMiB);
        openAgain();
        QVERIFY(modelsWithoutHash(models, *shelf_, {ModelKind::Checkpoint}).empty());
    }

private:
    [[nodiscard]] QString at(const QString& name) const { return folder_->filePath(name); }

    /// As the next start does.
    void openAgain() {
        shelf_.reset();
        shelf_ = std::make_unique<ModelShelf>(at("shelf"));
    }

    /// Writes bytes that differ with name and size; their digest, by Qt.
    std::string put(const QString& name, qsizetype size) const {
        QByteArray bytes(size, '\0');
        bytes.replace(0, std::min(size, name.size()), name.left(size).toUtf8());
        QFile file(at(name));
        [&] { QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == size); }();
        return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString();
    }

    [[nodiscard]] FoundModel model(const QString& name) const {
        FoundModel found;
        found.file.path = at(name).toStdString();
        found.file.name = name.toStdString();
        found.file.kind = ModelKind::Checkpoint;
        found.identity = files::stampOfFile(found.file.path).identity;
        return found;
    }

    [[nodiscard]] static QString namesOf(const std::vector<FoundModel>& models) {
        QStringList names;
        for (const FoundModel& each : models) {
            names << QString::fromStdString(each.file.name);
        }
        return names.join(' ');
    }

    [[nodiscard]] SearchedModel search(const std::string& digits,
                                       const std::vector<FoundModel>& models) const {
        ModelSearch searching(*shelf_);
        QSignalSpy ended(&searching, &ModelSearch::ended);
        searching.begin(digits, models);
        const bool hasEnded = ended.count() > 0 || ended.wait(kPatience);
        return hasEnded ? ended.front().front().value<SearchedModel>() : SearchedModel{};
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<ModelShelf> shelf_;
};

LOWTIDE_TEST(ModelSearchTest)

}  // namespace model_search_test

#include "model_search_test.moc"
