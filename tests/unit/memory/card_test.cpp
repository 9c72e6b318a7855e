// Cards that plans may be for: the file that ships, files that are refused, names as users write
// them, and what a plan takes from a card.
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/memory/card.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <set>

namespace card_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

Json shippedJson() {
    return Json::parse(
        testing::contentsOf(testing::sourcePath("resources/cards/cards.json")).toStdString());
}

std::vector<Card> shipped() {
    return readCards(shippedJson(), "cards.json");
}

Json oneCard() {
    return Json::parse(R"({"version": 1, "driver_source": "somebody", "cards": [{
        "name": "RTX 4060", "capability": "8.9", "memory": "8GiB", "driver": "640MiB",
        "memory_gb_per_second": 272, "pcie_gb_per_second": 15.75,
        "tflops": {"f32": 15.1, "f16": 30.2}, "source": "a data sheet"}]})");
}

QString found(const char* text, const std::vector<Card>& cards) {
    return QString::fromStdString(findCard(text, cards).name);
}

}  // namespace

class CardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The architectures' own rates: products in half types are at least twice as fast as those of
    /// f32 where LibTorch gains from them, and no card states one that its capability does not
    /// have.
    void theShippedCardsAreValid() {
        const std::vector<Card> cards = shipped();
        QVERIFY(cards.size() >= 10);
        for (const Card& card : cards) {
            const QByteArray name = QByteArray::fromStdString(card.name);
            const auto traits = NumericTraits::ofCuda(card.capability);
            QVERIFY2(!traits.gainsFromF16 || card.f16FlopsPerSecond >= 1.9 * card.f32FlopsPerSecond,
                     name);
            QVERIFY2(traits.gainsFromF16 || card.f16FlopsPerSecond == 0, name);
            QVERIFY2(traits.gainsFromBf16 == (card.bf16FlopsPerSecond > 0), name);
            QVERIFY2((card.capability >= 89) == (card.f8FlopsPerSecond > 0), name);
            QVERIFY2(
                card.bf16FlopsPerSecond == 0 || card.bf16FlopsPerSecond == card.f16FlopsPerSecond,
                name);
            QVERIFY2(card.driver >= 384 * kMiB && card.driver < card.memory / 6, name);
            QVERIFY2(card.memoryBytesPerSecond > 5 * card.linkBytesPerSecond, name);
            QVERIFY2(card.source.size() > 10, name);
            QVERIFY2(findCard(card.name, cards) == card, name);
        }
    }

    void theSizesOfEverydayAreThere() {
        std::set<Bytes> sizes;
        for (const Card& card : shipped()) {
            sizes.insert(card.memory / kGiB);
        }
        for (const Bytes size : {4, 6, 8, 12, 16, 24, 32, 80}) {
            QVERIFY2(sizes.contains(size), std::to_string(size).c_str());
        }
    }

    void aFileIsReadAsItIsWritten() {
        const Card card = readCards(oneCard(), "file").front();

        QCOMPARE(card.capability, 89);
        QCOMPARE(card.memory, 8 * kGiB);
        QCOMPARE(card.capacity(), 8 * kGiB - 640 * kMiB);
        QCOMPARE(card.linkBytesPerSecond, 15.75e9);
        QCOMPARE(card.f16FlopsPerSecond, 30.2e12);
        QCOMPARE(card.bf16FlopsPerSecond, 0.0);
    }

    void refusesWhatIsNoCard_data() {
        const testing::Rows<QString, QString, QString> add("pointer", "value", "named");
        const auto row = [&](const char* name, const char* pointer, const char* value) {
            add(name, QString(pointer), QString(value), QString(pointer).section('/', -1));
        };
        row("another version", "/version", "2");
        row("nobody stands for what the driver keeps", "/driver_source", "\"\"");
        row("no cards", "/cards", "[]");
        row("no name", "/cards/0/name", "\" \"");
        row("capability as a number", "/cards/0/capability", "8.9");
        row("capability of no card", "/cards/0/capability", "\"89\"");
        row("no memory", "/cards/0/memory", "");
        row("memory of a toy", "/cards/0/memory", "\"8MiB\"");
        row("the driver keeps more than half", "/cards/0/driver", "\"5GiB\"");
        row("no source", "/cards/0/source", "");
        row("a bandwidth of another unit", "/cards/0/memory_gb_per_second", "272e9");
        row("no link", "/cards/0/pcie_gb_per_second", "");
        row("nothing computes", "/cards/0/tflops", "");
        row("no rate in f32", "/cards/0/tflops/f32", "");
        row("a rate of nothing", "/cards/0/tflops/f16", "0");
        row("a rate as text", "/cards/0/tflops/f32", "\"15.1\"");
    }

    void refusesWhatIsNoCard() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, named);
        Json json = oneCard();
        const Json::json_pointer position(pointer.toStdString());
        QVERIFY(json.contains(position));
        if (value.isEmpty()) {
            json.at(position.parent_pointer()).erase(position.back());
        } else {
            json[position] = Json::parse(value.toStdString());
        }

        const auto error = testing::errorOf([&] { (void)readCards(json, "the file"); });

        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY2(error->message().str().find("the file") != std::string::npos, error->what());
        QVERIFY2(error->message().str().find(named.toStdString()) != std::string::npos,
                 error->what());
    }

    void refusesACardThatIsThereTwice() {
        Json json = oneCard();
        json["cards"].push_back(json["cards"][0]);
        json["cards"][1]["name"] = "GeForce RTX-4060";

        const auto error = testing::errorOf([&] { (void)readCards(json, "the file"); });

        QVERIFY(error && error->message().str().find("twice") != std::string::npos);
    }

    void findsACardAsUsersWriteIt() {
        const std::vector<Card> cards = shipped();
        for (const char* text :
             {"RTX 4060", "rtx4060", " NVIDIA GeForce RTX 4060 ", "geforce rtx-4060"}) {
            QCOMPARE(found(text, cards), QString("RTX 4060"));  // and not the Ti
        }
        QCOMPARE(found("RTX 3060", cards), QString("RTX 3060 12GB"));
        QCOMPARE(found("h100", cards), QString("H100 80GB"));
    }

    void aCardThatIsNotKnownHasItsNeighbours_data() {
        const testing::Rows<QString, QString> row("text", "words");
        row("a family", "RTX 40", "RTX 4060");
        row("a card of the same series", "RTX 4065", "RTX 4060");
        row("two of a name", "A100", "A100 40GB, A100 80GB");
        row("another maker's", "Radeon RX 7600", "devices --cards");
        row("nothing", "", "devices --cards");
        row("another alphabet", "карта", "devices --cards");
    }

    void aCardThatIsNotKnownHasItsNeighbours() {
        QFETCH(QString, text);
        QFETCH(QString, words);

        const auto error = testing::errorOf([&] { (void)findCard(text.toStdString(), shipped()); });

        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("as"));
        QVERIFY2(error->hint().str().find(words.toStdString()) != std::string::npos,
                 error->hint().str().c_str());
    }

    void anyCardIsWrittenByItsParts() {
        const Card card = findCard("cuda:8.9,12GiB", {});

        QCOMPARE(card.capability, 89);
        QCOMPARE(card.memory, 12 * kGiB);
        QVERIFY(card.driver > 0 && card.capacity() > 11 * kGiB);
        QCOMPARE(findCard("cuda:7.5,1GiB", {}).capacity(),
                 768 * kMiB);  // a quarter at most
        QCOMPARE(findCard("CUDA:12.0,32GiB", {}).capability, 120);
        QVERIFY(estimatedProfile(card) == estimatedProfile("cuda"));  // nobody states its speeds
    }

    void partsOfNoCardAreRefused_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"cuda:",
                                 "cuda:8.9",
                                 "cuda:89,12GiB",
                                 "cuda:8.9,",
                                 "cuda:8.9,12",
                                 "cuda:8.9,fast",
                                 "cuda:8.-1,12GiB",
                                 "cuda:-8.9,12GiB",
                                 "cuda:8.10,12GiB",
                                 "cuda:3.5,12GiB",
                                 "cuda:99.0,12GiB",
                                 "cuda:8.9,12GiB,8GiB",
                                 "cuda:8.9,2TiB",
                                 "cuda:8.9,9000000TiB"}) {
            QTest::newRow(text) << QString(text);
        }
    }

    void partsOfNoCardAreRefused() {
        QFETCH(QString, text);

        const auto error = testing::errorOf([&] { (void)findCard(text.toStdString(), shipped()); });

        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        QVERIFY(error->hint().str().find("cuda:8.9,12GiB") != std::string::npos);
    }

    void aCardIsAsFastAsASharedOfWhatIsStated() {
        const Card card = readCards(oneCard(), "file").front();

        const DeviceProfile profile = estimatedProfile(card);

        QVERIFY(profile.isEstimated());
        QVERIFY(profile.copyBytesPerSecond < card.linkBytesPerSecond);
        const Seconds f32 = profile.leafSeconds(1e12, DType::F32, 0) - profile.leafOverhead;
        const Seconds f16 = profile.leafSeconds(1e12, DType::F16, 0) - profile.leafOverhead;
        const Seconds bf16 = profile.leafSeconds(1e12, DType::BF16, 0) - profile.leafOverhead;
        QVERIFY(f32 > 1 / 15.1 && f32 < 4 / 15.1);
        QCOMPARE(f32 / f16, 30.2 / 15.1);
        QCOMPARE(bf16, f32);  // no rate is stated
        // Little work on many weights takes as long as reading them.
        const Seconds read = profile.leafSeconds(1e3, DType::F16, kGiB) - profile.leafOverhead;
        QVERIFY(read > kGiB / 272e9 && read < 2 * kGiB / 272e9);
    }

    void aSlowerPaceIsThatOfAllCompute() {
        const DeviceProfile profile = estimatedProfile(readCards(oneCard(), "file").front());
        const DeviceProfile half = profile.paced(2);
        for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
            for (const Bytes weights : {Bytes{0}, kGiB}) {
                QCOMPARE(half.leafSeconds(1e10, type, weights),
                         2 * profile.leafSeconds(1e10, type, weights));
            }
        }
        QCOMPARE(half.copySeconds(kGiB, 0), profile.copySeconds(kGiB, 0));
        QVERIFY(profile.paced(1) == profile);
    }

    /// A plan for a card that is not there yet states what plans on that card state.
    void estimatesACardThatIsThereByItsName() {
        const std::vector<Card> known = shipped();
        const DeviceProfile stated = estimatedProfile(findCard("RTX 4060", known));
        const auto of = [&](const char* kind, const char* name) {
            return estimatedProfile({.kind = kind, .name = name}, known);
        };
        QVERIFY(of("cuda", "NVIDIA GeForce RTX 4060") == stated);
        QVERIFY(!(stated == estimatedProfile("cuda")));
        QVERIFY(of("cuda", "NVIDIA GeForce RTX 4060 Laptop GPU") == estimatedProfile("cuda"));
        QVERIFY(of("cuda", "NVIDIA of tomorrow") == estimatedProfile("cuda"));
        QVERIFY(of("cpu", "RTX 4060") == estimatedProfile("cpu"));
    }

    void holdsComponentsAsACudaDeviceDoes() {
        const DeviceTraits traits = cudaTraits(86, 7 * kGiB, 10 * kGiB);
        QCOMPARE(traits.capacity, 7 * kGiB);
        QCOMPARE(traits.pinnable, 5 * kGiB);
        QVERIFY(traits.replays && !traits.usesWeightsInPlace && !traits.isRehearsal);
        QVERIFY(traits.staging > 0 && traits.slack > 0 && traits.decodesAtOnce);
        QCOMPARE(traits.workspace, 9344 * kKiB);
        QCOMPARE(cudaTraits(90, 7 * kGiB, 10 * kGiB).workspace, 33 * kMiB);
    }
};

LOWTIDE_TEST(CardTest)

}  // namespace card_test

#include "card_test.moc"
