#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <QDir>
#include <QtTest/QtTest>

#include <random>

namespace replay_test {

using namespace lowtide;

namespace {

constexpr int kMutations = 3000;

using Random = std::mt19937_64;

const fuzz::Target& target() {
    return fuzz::targetNamed(qEnvironmentVariable("LOWTIDE_FUZZ_TARGET").toStdString());
}

size_t below(Random& random, size_t limit) {
    return random() % limit;
}

/// One change of a byte, a bit or a piece.
std::string mutated(std::string bytes, Random& random) {
    if (bytes.empty()) {
        return std::string(1, static_cast<char>(random()));
    }
    const size_t at = below(random, bytes.size());
    switch (below(random, 4)) {
        case 0:
            bytes[at] = static_cast<char>(random());
            break;
        case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
            break;
        case 2:
            bytes.erase(at, 1 + below(random, 8));
            break;
        default:
            bytes.insert(at, bytes.substr(below(random, bytes.size()), 1 + below(random, 16)));
            break;
    }
    return bytes;
}

/// The guarantee that an input breaks; empty when all hold.
std::string brokenBy(const std::string& input, bool& isTaken) {
    try {
        isTaken = target().run(std::as_bytes(std::span(input)));
        return {};
    } catch (const fuzz::Broken& broken) {
        return broken.guarantee;
    } catch (const std::exception& other) {
        return std::string("threw what is no lowtide::Error: ") + other.what();
    }
}

}  // namespace

/// Inputs that libFuzzer found, and those that were made by hand, through the functions that it
/// calls (docs/recipes/fuzz_a_reader.md). Sanitizer builds make it a search for memory errors.
class ReplayTest : public QObject {
    Q_OBJECT

    using Input = std::pair<QString, std::string>;

    std::vector<Input> inputs_;
    std::vector<Input> taken_;  ///< those that the reader did not refuse

private Q_SLOTS:

    void initTestCase() {
        for (const char* kind : {"seeds", "corpus"}) {
            const QString name = QString::fromStdString(target().name);
            const QDir folder(
                testing::buildPath(QStringLiteral("tests/fuzz/inputs/%1/%2").arg(name, kind)));
            const QStringList names = folder.entryList(QDir::Files, QDir::Name);
            QVERIFY2(names.size() >= 3, qPrintable(folder.path() + " has too few inputs"));
            for (const QString& file : names) {
                inputs_.emplace_back(name + "/" + kind + "/" + file,
                                     testing::contentsOf(folder.filePath(file)).toStdString());
            }
        }
    }

    void everyGuaranteeHolds() {
        for (const auto& [name, input] : inputs_) {
            bool isTaken = false;
            const std::string broken = brokenBy(input, isTaken);
            QVERIFY2(broken.empty(), qPrintable(name + ": " + QString::fromStdString(broken)));
            if (isTaken) {
                taken_.emplace_back(name, input);
            }
        }
        // Both outcomes must be among them, or the reader is not seen at work.
        QVERIFY2(!taken_.empty() && taken_.size() < inputs_.size(),
                 qPrintable(QString::number(taken_.size())));
    }

    void mutationsBreakNone() {
        constexpr uint64_t kSeed = 20260301;
        Random random(kSeed);
        int taken = 0;
        for (int i = 0; i < kMutations; ++i) {
            // Most inputs are refused: half of the changed ones are of those that were taken.
            const std::vector<Input>& of = i % 2 == 0 ? taken_ : inputs_;
            QVERIFY(!of.empty());
            const auto& [name, original] = of[below(random, of.size())];
            std::string input = original;
            for (size_t edits = 1 + below(random, 2); edits-- > 0;) {
                input = mutated(std::move(input), random);
            }
            bool isTaken = false;
            const std::string broken = brokenBy(input, isTaken);
            QVERIFY2(broken.empty(),
                     qPrintable(QStringLiteral("mutation %1 of %2: %3; input in hexadecimal: %4")
                                    .arg(i)
                                    .arg(name,
                                         QString::fromStdString(broken),
                                         QByteArray::fromStdString(input).toHex())));
            taken += isTaken ? 1 : 0;
        }
        // Neither too tame nor too wild.
        QVERIFY2(taken > kMutations / 100 && taken < kMutations,
                 qPrintable(QString::number(taken)));
    }
};

LOWTIDE_TEST(ReplayTest)

}  // namespace replay_test

#include "replay_test.moc"
