#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/vary/variation.hpp"

#include <QtTest/QtTest>

namespace variation_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

std::vector<std::string> namesOf(const std::vector<Variant>& variants) {
    std::vector<std::string> names;
    for (const Variant& variant : variants) {
        names.push_back(variant.name());
    }
    return names;
}

}  // namespace

/// What --vary states, and the runs that follow.
class VariationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void valuesAreSplitAtCommas() {
        const Variation variation = parseVariation(" denoise.sampler = ddim,euler_a, heun");
        QCOMPARE(variation.param, std::string("denoise.sampler"));
        QCOMPARE(variation.values, (std::vector<std::string>{" ddim", "euler_a", " heun"}));
    }

    void aBackslashKeepsACommaInAValue() {
        QCOMPARE(parseVariation(R"(encode.prompt=a cat\, red,a dog,\\\n)").values,
                 (std::vector<std::string>{"a cat, red", "a dog", R"(\\n)"}));
        QCOMPARE(parseVariation("encode.negative=,blurry,").values,
                 (std::vector<std::string>{"", "blurry", ""}));
        QCOMPARE(parseVariation("encode.prompt=1=1").values, (std::vector<std::string>{"1=1"}));
    }

    void precisionsAreAppliedAsSuch() {
        const AppliedSettings applied = appliedSettings({"denoise.steps=4",
                                                         "denoise.precision=speed,compute=f16",
                                                         "a.precision.x=1",
                                                         "encode.prompt=x.precision=1"});
        QCOMPARE(applied.params,
                 (std::vector<std::string>{
                     "denoise.steps=4", "a.precision.x=1", "encode.prompt=x.precision=1"}));
        QCOMPARE(applied.precisions, std::vector<std::string>{"denoise=speed,compute=f16"});
        QVERIFY(applied.policies.empty());
        QCOMPARE(appliedSettings({"denoise.memory=leaf+stream,budget=1GiB"}).policies,
                 std::vector<std::string>{"denoise=leaf+stream,budget=1GiB"});
    }

    void whatNamesNoParameterIsRefused() {
        for (const char* text : {"denoise.steps", "", "=1,2", " =1,2"}) {
            const auto error = testing::errorOf([&] { (void)parseVariation(text); });
            QVERIFY2(error && error->kind() == ErrorKind::InvalidInput, text);
        }
    }

    void everyCombinationIsRun_theLastParameterFastest() {
        const std::vector<Variant> variants =
            combinationsOf({{"a.x", {"1", "2"}}, {"b.y", {"p", "q", "r"}}});
        QCOMPARE(namesOf(variants),
                 (std::vector<std::string>{"a.x=1 b.y=p",
                                           "a.x=1 b.y=q",
                                           "a.x=1 b.y=r",
                                           "a.x=2 b.y=p",
                                           "a.x=2 b.y=q",
                                           "a.x=2 b.y=r"}));
    }

    void tooFewAndTooManyAreRefused() {
        const std::vector<std::string> ten(10, "1");
        QCOMPARE(combinationsOf({{"a.x", ten}, {"b.x", ten}}).size(), kMostVariants);
        const auto refused = [](const std::vector<Variation>& variations) {
            const auto error = testing::errorOf([&] { (void)combinationsOf(variations); });
            return error && error->kind() == ErrorKind::InvalidInput;
        };
        QVERIFY(refused({{"a.x", {"1"}}, {"b.x", {"2"}}}));
        QVERIFY(refused({{"a.x", ten}, {"b.x", ten}, {"c.x", {"1", "2"}}}));
        QVERIFY(refused({{"a.x", std::vector<std::string>(101, "1")}}));
        QVERIFY(refused({{"a.x", {"1", "2"}}, {"a.x", {"3", "4"}}}));
    }
};

LOWTIDE_TEST(VariationTest)

}  // namespace variation_test

#include "variation_test.moc"
