// What a module converts, brought to the GUI thread.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_plugin.hpp"
#include "ui/bridge/conversion.hpp"

#include <QtTest/QtTest>

#include <optional>

namespace conversion_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

struct Bench {
    ScriptedPlugin plugin{{}};
    Engine engine{plugin};
    std::optional<Conversion> conversion{std::in_place, engine};
    QTemporaryDir folder;
    std::optional<Convertible> known;
    std::optional<Converted> ended;

    Bench() {
        QObject::connect(&*conversion, &Conversion::known, &*conversion, [this](const auto& what) {
            known = what;
        });
        QObject::connect(&*conversion, &Conversion::ended, &*conversion, [this](const auto& what) {
            ended = what;
        });
    }

    [[nodiscard]] QString out() const { return folder.filePath("new.safetensors"); }

    void begin() {
        conversion->begin({.checkpoint = "dream.safetensors",
                           .graphFolder = "/graphs",
                           .storage = "f8",
                           .out = out()});
    }
};

}  // namespace

class ConversionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsWhatAModelCanBecome() {
        Bench bench;
        bench.plugin.converter.setChoices(Status::Ok, ScriptedConverter::choicesOf("/m/dream"));

        bench.conversion->ask("dream", "/graphs");

        QTRY_VERIFY_WITH_TIMEOUT(bench.known, kPatience);
        QCOMPARE(bench.known->path, QString("/m/dream"));
        QCOMPARE(bench.known->problem, QString());
        QCOMPARE(bench.known->choices.size(), size_t{5});
        QCOMPARE(bench.known->choices[4].storage, std::string("q4_k"));
        QCOMPARE(bench.known->choices[4].ending, QString(".gguf"));
        QCOMPARE(bench.known->choices[4].bytes, Bytes{1'500'000'000});
        QVERIFY(bench.known->choices[4].isSmaller());
        QVERIFY(!bench.known->choices[0].isSmaller());
        QCOMPARE(bench.plugin.converter.requests().at(0),
                 (Json{{"checkpoint", "dream"}, {"graphFolder", "/graphs"}}));
    }

    void explainsWhyAModelCannotBeConverted() {
        Bench bench;
        bench.plugin.converter.setChoices(
            Status::Invalid, ScriptedConverter::refusal("it holds no denoiser", "choose another"));
        bench.conversion->ask("dream", {});
        QTRY_VERIFY_WITH_TIMEOUT(bench.known, kPatience);
        QCOMPARE(bench.known->problem, QString("it holds no denoiser; choose another"));
    }

    void ofTwoQuestionsTheLastIsAnswered() {
        Bench bench;
        QSignalSpy known(&*bench.conversion, &Conversion::known);
        bench.plugin.converter.setChoices(Status::Ok, ScriptedConverter::choicesOf("/m/dream"));
        bench.conversion->ask("one", {});
        bench.conversion->ask("two", {});
        QTRY_COMPARE_WITH_TIMEOUT(bench.plugin.converter.requests().size(), size_t{2}, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(known.count(), 1, kPatience);
        QTest::qWait(50);
        QCOMPARE(known.count(), 1);
    }

    void neverWaitsForTheModule_andReportsHowFarItIs() {
        Bench bench;
        bench.plugin.converter.setGate(false);
        QSignalSpy progressed(&*bench.conversion, &Conversion::progressed);

        bench.begin();  // or it would wait for the gate without end

        QVERIFY(bench.conversion->isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(
            !progressed.isEmpty() && progressed.last()[0].toLongLong() == 1'000'000'000, kPatience);
        QCOMPARE(progressed.last()[1].toLongLong(), 3'000'000'000);
        bench.plugin.converter.setGate(true);
        QTRY_VERIFY_WITH_TIMEOUT(bench.ended, kPatience);
        QVERIFY(!bench.conversion->isBusy());
        QCOMPARE(bench.ended->out, bench.out());
        QCOMPARE(bench.ended->bytes, Bytes{3'000'000'000});
        QCOMPARE(bench.ended->rounded, int64_t{81});
        QCOMPARE(bench.ended->problem, QString());
        QCOMPARE(bench.plugin.converter.requests().at(0).at("storage"), Json("f8"));
        const auto reported = progressed.count();
        QTest::qWait(250);
        QCOMPARE(progressed.count(), reported);
    }

    void isCancelled() {
        Bench bench;
        bench.plugin.converter.setGate(false);
        bench.begin();
        bench.conversion->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(bench.ended, kPatience);
        QVERIFY(bench.ended->isCancelled);
        QVERIFY(!QFile::exists(bench.out()));
    }

    void explainsWhyNothingWasWritten() {
        Bench bench;
        bench.plugin.converter.refuse(Status::Failed,
                                      ScriptedConverter::refusal("the disk is full", "free some"));
        bench.begin();
        QTRY_VERIFY_WITH_TIMEOUT(bench.ended, kPatience);
        QVERIFY(!bench.ended->isCancelled);
        QCOMPARE(bench.ended->problem, QString("the disk is full; free some"));
    }

    void itsEndCancels() {
        Bench bench;
        bench.plugin.converter.setGate(false);
        bench.begin();
        bench.conversion.reset();  // waits
        QVERIFY(!QFile::exists(bench.out()));
        QVERIFY(!bench.ended);
    }
};

LOWTIDE_WINDOW_TEST(ConversionTest)

}  // namespace conversion_test

#include "conversion_test.moc"
