// Every cell of (step cache x sampler x denoiser x precision x policy), and the page that shows it.
#include "plugin/memory/combinations.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QtTest/QtTest>

#include <array>

namespace combinations_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

template <class T>
struct Named {
    const char* name;
    T value;
};

constexpr const char* kCaches[] = {"none",
                                   "DeepCache",
                                   "DeepCache, interval 1",
                                   "Block cache",
                                   "Block cache, threshold 0",
                                   "Step forecast",
                                   "Step forecast, window 1"};
constexpr size_t kCacheCount = std::size(kCaches);

ChosenCache cacheAt(size_t index) {
    constexpr std::array needs = {CacheNeed::Cut, CacheNeed::FirstBlock, CacheNeed::Nothing};
    if (index == 0) {
        return {};
    }
    return {.label = kCaches[index],
            .need = needs.at((index - 1) / 2),
            .sparesNothing = index % 2 == 0};
}

const std::vector<Named<ChosenSampler>>& samplers() {
    static const std::vector<Named<ChosenSampler>> kSamplers = {
        {"one call a step", {.label = "Euler", .calls = 20}},
        {"fresh noise", {.label = "Euler a", .drawsNoise = true, .calls = 20}},
        {"several calls a step", {.label = "Heun", .hasStages = true, .calls = 39}},
        {"both", {.label = "DPM2 a", .drawsNoise = true, .hasStages = true, .calls = 39}},
        {"few calls", {.label = "Euler", .calls = kFewCalls}},
        {"for distilled models",
         {.label = "LCM", .isDistilled = true, .drawsNoise = true, .calls = 4}}};
    return kSamplers;
}

const std::vector<Named<DenoiserTraits>>& denoisers() {
    static const std::vector<Named<DenoiserTraits>> kDenoisers = {
        {"UNet", {.canBeCut = true, .hasFirstBlock = true}},
        {"stack of blocks", {.hasFirstBlock = true}},
        {"closed", {}},
        {"guidance is an input",
         {.canBeCut = true, .hasFirstBlock = true, .embedsGuidance = true}}};
    return kDenoisers;
}

/// What is refused ("R"), lossy ("L") or ok ("."), by hand: a row for each cache, in the order of
/// denoisers().
constexpr const char* kOnDenoisers[kCacheCount] = {
    "....", "LRRL", ".RR.", "LLRL", "..R.", "LLLL", "...."};
/// The same in the order of samplers(), on a UNet.
constexpr const char* kUnderSamplers[kCacheCount] = {
    "......", "LLLLLR", "......", "LLLLLR", "......", "LLLLLR", "......"};

struct Stored {
    std::vector<Message> lossy;
};

const std::vector<Named<Stored>>& precisions() {
    static const std::vector<Named<Stored>> kPrecisions = {
        {"f32, or as in the file", {}},
        {"computes in bf16", {.lossy = {Message("the denoiser computes in bf16")}}},
        {"stored as f8", {.lossy = {Message("the weights are stored as f8")}}}};
    return kPrecisions;
}

constexpr const char* kOfPrecisions = ".LL";

Policy streaming(const char* name) {
    Policy policy = parsePolicy(name);
    policy.stream = true;  // the text form refuses some of these by itself
    return policy;
}

const std::vector<Named<Policy>>& policies() {
    static const std::vector<Named<Policy>> kPolicies = {
        {"none", parsePolicy("none")},
        {"model", parsePolicy("model")},
        {"model+stream", parsePolicy("model+stream")},
        {"sequential", parsePolicy("sequential")},
        {"block:2", parsePolicy("block:2")},
        {"block:2+stream", parsePolicy("block:2+stream")},
        {"leaf", parsePolicy("leaf")},
        {"leaf+stream,budget=1GiB", parsePolicy("leaf+stream,budget=1GiB")},
        {"auto,after=keep", parsePolicy("auto,after=keep")},
        {"none+stream", streaming("none")},
        {"sequential+stream", streaming("sequential")},
        {"auto+stream", streaming("auto")},
        {"model,budget=1GiB", parsePolicy("model,budget=1GiB")},
        {"leaf,after=keep", parsePolicy("leaf,after=keep")}};
    return kPolicies;
}

constexpr const char* kOfPolicies = ".........RRRRR";

Combination with(size_t cache, size_t sampler, size_t denoiser) {
    return {.cache = cacheAt(cache),
            .sampler = samplers()[sampler].value,
            .denoiser = denoisers()[denoiser].value};
}

void store(Combination& combination, const Stored& stored) {
    combination.precision.lossy = stored.lossy;
}

/// The page's tables: verdicts, and behind them the sentences under their numbers.
class Page {
public:
    template <class Axis, class Choose>
    void add(const std::string& corner, const Axis& columns, Choose&& choose) {
        text_ += "| " + corner + " |";
        for (const auto& column : columns) {
            text_ += std::string(" ") + column.name + " |";
        }
        text_ += "\n|---|";
        for (size_t i = 0; i < columns.size(); ++i) {
            text_ += "---|";
        }
        text_ += "\n";
        for (size_t row = 0; row < kCacheCount; ++row) {
            text_ += std::string("| ") + kCaches[row] + " |";
            for (size_t column = 0; column < columns.size(); ++column) {
                text_ += " " + cell(choose(row, column)) + " |";
            }
            text_ += "\n";
        }
        text_ += "\n";
    }

    template <class Axis, class Choose>
    void addList(const std::string& head, const Axis& rows, Choose&& choose) {
        text_ += "| " + head + " | |\n|---|---|\n";
        for (const auto& row : rows) {
            text_ += std::string("| ") + row.name + " | " + cell(choose(row.value)) + " |\n";
        }
        text_ += "\n";
    }

    [[nodiscard]] std::string withSentences() const {
        std::string text = text_;
        for (size_t i = 0; i < sentences_.size(); ++i) {
            text += std::to_string(i + 1) + ". " + sentences_[i] + "\n";
        }
        return text;
    }

private:
    std::string numberOf(const std::string& sentence) {
        auto found = std::find(sentences_.begin(), sentences_.end(), sentence);
        if (found == sentences_.end()) {
            found = sentences_.insert(found, sentence);
        }
        return std::to_string(found - sentences_.begin() + 1);
    }

    /// One sentence for all caches and samplers.
    static std::string general(const Message& message, const Combination& combination) {
        std::string sentence = message.str();
        const auto replace = [&](const std::string& name, const char* word) {
            const size_t at = name.empty() ? sentence.npos : sentence.find(name);
            if (at != sentence.npos) {
                sentence.replace(at, name.size(), word);
            }
        };
        replace(combination.cache.label, "CACHE");
        replace(combination.sampler.label, "SAMPLER");
        return sentence;
    }

    std::string numbersOf(const std::vector<Message>& sentences, const Combination& combination) {
        std::string numbers;
        for (const Message& sentence : sentences) {
            numbers += (numbers.empty() ? " " : ", ") + numberOf(general(sentence, combination));
        }
        return numbers;
    }

    std::string cell(const Combination& combination) {
        const Judgement judgement = judge(combination);
        const char* verdict = judgement.verdict == Verdict::Ok      ? "ok"
                              : judgement.verdict == Verdict::Lossy ? "lossy"
                                                                    : "refused";
        const std::string text = verdict + numbersOf(judgement.reasons, combination);
        return judgement.warnings.empty()
                   ? text
                   : text + ", warns" + numbersOf(judgement.warnings, combination);
    }

    std::string text_;
    std::vector<std::string> sentences_;
};

std::string renderedTables() {
    Page page;
    page.add("step cache, on a", denoisers(), [](size_t cache, size_t denoiser) {
        return with(cache, 0, denoiser);
    });
    page.add("step cache, sampler with", samplers(), [](size_t cache, size_t sampler) {
        return with(cache, sampler, 0);
    });
    page.addList("precision", precisions(), [](const Stored& stored) {
        Combination combination;
        store(combination, stored);
        return combination;
    });
    page.addList(
        "policy", policies(), [](const Policy& policy) { return Combination{.policy = policy}; });
    return page.withSentences();
}

}  // namespace

class CombinationsTest : public QObject {
    Q_OBJECT

    static char worst(std::initializer_list<char> verdicts) {
        const std::string_view order = ".LR";
        return *std::max_element(verdicts.begin(), verdicts.end(), [&](char one, char other) {
            return order.find(one) < order.find(other);
        });
    }

    static char markOf(Verdict verdict) { return ".LR"[static_cast<size_t>(verdict)]; }

private Q_SLOTS:

    void everyCellIsJudged_data() {
        QTest::addColumn<size_t>("cache");
        QTest::addColumn<size_t>("sampler");
        QTest::addColumn<size_t>("denoiser");
        for (size_t cache = 0; cache < kCacheCount; ++cache) {
            for (size_t sampler = 0; sampler < samplers().size(); ++sampler) {
                for (size_t denoiser = 0; denoiser < denoisers().size(); ++denoiser) {
                    QTest::addRow("%s, %s, %s",
                                  kCaches[cache],
                                  samplers()[sampler].name,
                                  denoisers()[denoiser].name)
                        << cache << sampler << denoiser;
                }
            }
        }
    }

    /// Under every precision and policy: the worst of what each states alone.
    void everyCellIsJudged() {
        QFETCH(size_t, cache);
        QFETCH(size_t, sampler);
        QFETCH(size_t, denoiser);
        for (size_t precision = 0; precision < precisions().size(); ++precision) {
            for (size_t policy = 0; policy < policies().size(); ++policy) {
                Combination combination = with(cache, sampler, denoiser);
                store(combination, precisions()[precision].value);
                combination.policy = policies()[policy].value;

                const Judgement judgement = judge(combination);

                const std::string where = std::string(precisions()[precision].name) + ", " +
                                          policies()[policy].name + ": " +
                                          markOf(judgement.verdict);
                const char expected = worst({kOnDenoisers[cache][denoiser],
                                             kUnderSamplers[cache][sampler],
                                             kOfPrecisions[precision],
                                             kOfPolicies[policy]});
                QVERIFY2(markOf(judgement.verdict) == expected, where.c_str());
                QVERIFY2((judgement.verdict == Verdict::Ok) == judgement.reasons.empty(),
                         where.c_str());
                const bool isRefused = judgement.verdict == Verdict::Refused;
                QVERIFY2(isRefused == !judgement.hint.empty(), where.c_str());
                QVERIFY2(isRefused == !judgement.item.empty(), where.c_str());
                QVERIFY2(!isRefused || judgement.reasons.size() == 1, where.c_str());
            }
        }
    }

    /// Losses of types and of a step cache are both listed.
    void everyLossIsReported() {
        Combination combination = with(1, 3, 0);
        store(combination, precisions()[1].value);
        const Judgement judgement = judge(combination);
        QCOMPARE(judgement.reasons.size(), size_t{4});
        QCOMPARE(judgement.reasons[0].str(), precisions()[1].value.lossy.front().str());
        QCOMPARE(judgement.reasons[1].str(),
                 std::string("a step cache leaves work out: DeepCache"));
        QVERIFY(judgement.reasons[2].str().starts_with("DPM2 a adds fresh noise"));
        QVERIFY(judgement.reasons[3].str().starts_with("DPM2 a calls the network several times"));
        QVERIFY(judgement.warnings.empty());
    }

    void whatIsDistilledIsWarnedOf_data() {
        const testing::Rows<size_t, size_t, size_t, QString> row(
            "cache", "sampler", "denoiser", "expected");
        row("an ordinary sampler, guidance as input", 0, 0, 3, "distilled for LCM");
        row("LCM, guidance as input, a cache that spares nothing", 2, 5, 3, "");
        row("LCM, guidance as input", 0, 5, 3, "");
        row("few calls, cached", 1, 4, 0, "in 8 calls of the network");
        row("few calls, a cache that spares nothing", 2, 4, 0, "");
        row("few calls, no cache", 0, 4, 0, "");
        row("many calls, cached", 1, 0, 0, "");
    }

    /// Which changes no verdict: `exact` takes what is only unwise.
    void whatIsDistilledIsWarnedOf() {
        QFETCH(size_t, cache);
        QFETCH(size_t, sampler);
        QFETCH(size_t, denoiser);
        QFETCH(QString, expected);
        const Judgement judgement = judge(with(cache, sampler, denoiser));
        QCOMPARE(judgement.warnings.size(), expected.isEmpty() ? size_t{0} : size_t{1});
        QVERIFY(expected.isEmpty() ||
                judgement.warnings.front().str().find(expected.toStdString()) != std::string::npos);
        QVERIFY((judgement.verdict == Verdict::Lossy) == (cache == 1));
    }

    void aRefusalIsAnErrorOnItsItem() {
        const auto error = testing::errorOf([] { (void)requireAllowed(with(1, 0, 2), "a"); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
        QCOMPARE(error->item(), std::string("step_cache"));
        QVERIFY(error->message().str().starts_with("node a: DeepCache needs a UNet"));
        QVERIFY(requireAllowed(with(1, 0, 0)).verdict == Verdict::Lossy);
    }

    /// docs/combinations.md states what the code does.
    void thePageIsTheTable() {
        const QByteArray page = testing::contentsOf(testing::sourcePath("docs/combinations.md"));
        const QByteArray begin = "<!-- tables -->\n";
        const auto at = page.indexOf(begin);
        const auto end = page.indexOf("<!-- end of tables -->");
        QVERIFY(at >= 0 && end > at);
        const std::string written =
            page.mid(at + begin.size(), end - at - begin.size()).toStdString();
        const std::string expected = renderedTables();
        if (written != expected) {
            QFile file("combinations_tables.md");
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(expected));
        }
        QVERIFY2(written == expected, "combinations_tables.md has what the page should have");
    }
};

LOWTIDE_TEST(CombinationsTest)

}  // namespace combinations_test

#include "combinations_test.moc"
