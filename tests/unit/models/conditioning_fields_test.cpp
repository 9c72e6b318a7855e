// Joining prompts of a family that states two sequences, a vector and an image.

#include "nodes/denoise/regional_entries.hpp"
#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/sampling/noise_schedule.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <cmath>

namespace conditioning_fields_test {

using namespace lowtide;
using memory::WireRef;
using models::ConditioningSpec;
using tensor::Conditioning;
using tensor::ConditioningEntry;
using tensor::FieldKind;
using testing::ConditioningEdit;

namespace {

constexpr int64_t kLayers = 3;

const tensor::ConditioningFields& fields() {
    static const tensor::ConditioningFields stated = {{"t5", FieldKind::Sequence, 4},
                                                      {"pooled", FieldKind::Vector, 6},
                                                      {"llama", FieldKind::Sequence, 8},
                                                      {"image", FieldKind::Image, 5}};
    return stated;
}

ConditioningEntry entryOf(int64_t t5, int64_t llama) {
    return {.tensors = {{"t5", at::randn({1, t5, 4})},
                        {"pooled", at::randn({1, 6})},
                        {"llama", at::randn({1, kLayers, llama, 8})},
                        {"image", at::randn({1, 2, 5})}}};
}

WireRef promptOf(int64_t t5, int64_t llama) {
    return std::make_shared<const Conditioning>(
        fields(), std::vector{entryOf(t5, llama)}, "a cat", -1);
}

const Conditioning& in(const WireRef& value) {
    return dynamic_cast<const Conditioning&>(*value);
}

struct Edited {
    const char* name;
    decltype(ConditioningEdit::edit) edit;
};

std::vector<Edited> edits() {
    return {{"combine", testing::CombineEdit{}},
            {"concat", testing::ConcatEdit{}},
            {"average", testing::AverageEdit{.fraction = 0.25}},
            {"area", testing::AreaEdit{.area = {.widthPixels = 8, .heightPixels = 8}}},
            {"time", testing::TimeEdit{.start = 0.5, .end = 1}}};
}

bool areAlike(const ConditioningSpec& a, const ConditioningSpec& b) {
    const auto same = [](const models::EntrySpec& first, const models::EntrySpec& second) {
        return first.tensors == second.tensors && first.scope == second.scope;
    };
    return a.fields() == b.fields() && std::equal(a.entries().begin(),
                                                  a.entries().end(),
                                                  b.entries().begin(),
                                                  b.entries().end(),
                                                  same);
}

}  // namespace

/// By the definitions in nodes/conditioning, with ATen's own operators.
class ConditioningFieldsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void concatLengthensEverySequenceAndNothingElse() {
        const WireRef first = promptOf(7, 9);
        const WireRef second = promptOf(2, 5);
        const Conditioning& joined = in(value({testing::ConcatEdit{}, first, second}));
        QVERIFY(at::equal(joined.tensor("t5"),
                          at::cat({in(first).tensor("t5"), in(second).tensor("t5")}, 1)));
        QVERIFY(at::equal(joined.tensor("llama"),
                          at::cat({in(first).tensor("llama"), in(second).tensor("llama")}, 2)));
        QVERIFY(at::equal(joined.tensor("pooled"), in(first).tensor("pooled")));
        QVERIFY(at::equal(joined.tensor("image"), in(first).tensor("image")));
    }

    void averageTakesSequencesAndVectors() {
        const WireRef first = promptOf(7, 4);
        const WireRef second = promptOf(2, 6);
        const Conditioning& joined =
            in(value({testing::AverageEdit{.fraction = 0.25}, first, second}));
        const auto half = [](const at::Tensor& own, const at::Tensor& other) {
            return own * 0.25 + other * 0.75;
        };
        const at::Tensor filled =
            at::cat({in(second).tensor("t5"), at::zeros({1, 5, 4})}, 1);  // 2 tokens of 7
        QVERIFY(at::equal(joined.tensor("t5"), half(in(first).tensor("t5"), filled)));
        QVERIFY(
            at::equal(joined.tensor("llama"),
                      half(in(first).tensor("llama"), in(second).tensor("llama").narrow(2, 0, 4))));
        QVERIFY(at::equal(joined.tensor("pooled"),
                          half(in(first).tensor("pooled"), in(second).tensor("pooled"))));
        QVERIFY(at::equal(joined.tensor("image"), in(first).tensor("image")));
    }

    void theSpecAgreesWithTheResult_data() { testing::addEach(edits(), &Edited::name); }

    void theSpecAgreesWithTheResult() {
        QFETCH(int, index);
        const auto edit = edits()[static_cast<size_t>(index)].edit;
        const WireRef first = promptOf(7, 9);
        const WireRef second = promptOf(2, 5);
        const bool joins = index < 3;
        const WireRef result = value({edit, first, joins ? second : nullptr});

        const ConditioningSpec known =
            joins ? specOfEdit({first, second}, edit) : specOfEdit({first}, edit);

        QVERIFY(areAlike(known, nodes::specOf(in(result))));
        Bytes bytes = 0;
        for (const Bytes tensor : known.tensors()) {
            bytes += tensor;
        }
        QCOMPARE(bytes, result->bytesOn("cpu"));
    }

    /// What lies on a wire is its own: a tensor of two wires would be counted twice, and would die
    /// with neither.
    void tensorsOfTheResultAreItsOwn_data() { theSpecAgreesWithTheResult_data(); }

    void tensorsOfTheResultAreItsOwn() {
        QFETCH(int, index);
        const auto edit = edits()[static_cast<size_t>(index)].edit;
        const WireRef first = promptOf(7, 9);
        const WireRef second = promptOf(2, 5);
        const bool joins = index < 3;
        const WireRef result = value({edit, first, joins ? second : nullptr});
        for (const WireRef& given : {first, second}) {
            for (const ConditioningEntry& theirs : in(given).entries()) {
                for (const ConditioningEntry& ours : in(result).entries()) {
                    for (const auto& [name, tensor] : ours.tensors) {
                        QVERIFY2(!tensor.is_alias_of(theirs.tensors.at(name)), name.c_str());
                    }
                }
            }
        }
    }

    void areaAndTimeAreThoseOfTheEdit() {
        const testing::AreaEdit area{.area = {.xPixels = 8, .widthPixels = 16, .heightPixels = 8},
                                     .strength = 0.5};
        const WireRef positioned = value({area, promptOf(7, 9), nullptr});
        const WireRef timed =
            value({testing::TimeEdit{.start = 0.25, .end = 0.75}, positioned, nullptr});
        const tensor::ConditioningScope& scope = in(timed).entries().front().scope;
        QVERIFY(scope.area == area.area);
        QCOMPARE(scope.strength, 0.5);
        QCOMPARE(scope.start, 0.25);
        QCOMPARE(scope.end, 0.75);
    }

    /// The mask goes along wires with the prompt, weighed, and is known before the run.
    void aMaskGoesWithItsPrompts() {
        const at::Tensor values = at::rand({1, 1, 6, 8});
        const WireRef given = value({testing::CombineEdit{}, promptOf(7, 9), promptOf(2, 5)});
        const WireRef mask = std::make_shared<const tensor::Masks>(values);

        const WireRef masked =
            testing::runNode(bench_.stages(), maskedBy(given, mask), bench_.call("mask")).front();

        for (const ConditioningEntry& entry : in(masked).entries()) {
            QVERIFY(at::equal(entry.tensors.at(tensor::kPromptMask), values * 0.5));
        }
        const auto before = std::make_shared<const ConditioningSpec>(nodes::specOf(in(given)));
        const testing::StageSpec known = testing::specOfNode(
            bench_.stages(),
            maskedBy(
                placeholder({.type = "CONDITIONING", .shape = before->shape(), .value = before}),
                placeholder({.type = "MASK", .shape = {1, 1, 6, 8}})));
        QVERIFY(areAlike(dynamic_cast<const ConditioningSpec&>(*known.output().value),
                         nodes::specOf(in(masked))));
    }

    /// A list of masks is for a list of images; a prompt is one for all.
    void severalMasksOfAPromptAreRefused() {
        const WireRef masks = std::make_shared<const tensor::Masks>(at::rand({2, 1, 6, 8}));
        const auto error = testing::errorOf([&] {
            (void)testing::runNode(
                bench_.stages(), maskedBy(promptOf(7, 9), masks), bench_.call("mask"));
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("mask"));
    }

    void aStrengthThatIsNoNumberIsRefused() {
        const testing::AreaEdit area{.area = {.widthPixels = 16, .heightPixels = 8},
                                     .strength = NAN};
        const WireRef prompt = promptOf(7, 9);
        const auto refused = [](const auto& work) {
            const auto error = testing::errorOf(work);
            return error && error->kind() == ErrorKind::InvalidInput && error->item() == "strength";
        };
        QVERIFY(refused([&] { (void)value({area, prompt, nullptr}); }));
        QVERIFY(refused([&] { (void)specOfEdit({prompt}, area); }));
    }

    /// The prompt that came in is to blame, not the node that copies it.
    void aPromptThatIsNotFiniteIsRefused_data() {
        QTest::addColumn<QString>("field");
        for (const tensor::ConditioningField& field : fields()) {
            QTest::newRow(field.name.c_str()) << QString::fromStdString(field.name);
        }
    }

    void aPromptThatIsNotFiniteIsRefused() {
        QFETCH(QString, field);
        ConditioningEntry entry = entryOf(7, 9);
        entry.tensors.at(field.toStdString()).view({-1})[3].fill_(NAN);
        const WireRef prompt =
            std::make_shared<const Conditioning>(fields(), std::vector{entry}, "a cat", -1);
        const testing::AreaEdit area{.area = {.widthPixels = 16, .heightPixels = 8}};

        const auto error = testing::errorOf([&] { (void)value({area, prompt, nullptr}); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("conditioning"));
        QVERIFY2(error->message().str().find("is not finite") != std::string::npos, error->what());
    }

    void severalPromptsAreNotJoinedToOne_data() {
        QTest::addColumn<int>("index");
        QTest::newRow("concat") << 1;
        QTest::newRow("average") << 2;
    }

    void severalPromptsAreNotJoinedToOne() {
        QFETCH(int, index);
        const auto edit = edits()[static_cast<size_t>(index)].edit;
        const WireRef one = promptOf(7, 9);
        const WireRef several = value({testing::CombineEdit{}, promptOf(7, 9), promptOf(2, 5)});
        const auto refused = [](const auto& work) {
            const auto error = testing::errorOf(work);
            return error && error->item() == "second" &&
                   error->message().str().find("holds 2 prompts") != std::string::npos;
        };
        QVERIFY(refused([&] { (void)value({edit, one, several}); }));
        QVERIFY(refused([&] { (void)specOfEdit({one, several}, edit); }));
    }

    void anotherFamilysPromptIsRefused_data() {
        const testing::Rows<QString, QString> row("which", "expected");
        row("other fields", "fields", "hold t5, pooled, llama, image and embeds");
        row("another width", "width", "t5 of the conditionings are 4 and 3 wide");
    }

    void anotherFamilysPromptIsRefused() {
        QFETCH(QString, which);
        QFETCH(QString, expected);
        tensor::ConditioningFields narrower = fields();
        narrower.front().width = 3;
        ConditioningEntry entry = entryOf(7, 9);
        entry.tensors["t5"] = at::randn({1, 7, 3});
        const WireRef other =
            which == "fields"
                ? std::make_shared<const Conditioning>(at::zeros({1, 7, 4}), at::Tensor(), "", -1)
                : std::make_shared<const Conditioning>(narrower, std::vector{entry}, "", -1);
        const WireRef first = promptOf(7, 9);
        const auto refused = [&](const auto& work) {
            const auto error = testing::errorOf(work);
            return error && error->item() == "second" &&
                   QString::fromStdString(error->message().str()).contains(expected);
        };
        QVERIFY(refused([&] { (void)value({testing::CombineEdit{}, first, other}); }));
        QVERIFY(refused([&] { (void)specOfEdit({first, other}, testing::CombineEdit{}); }));
    }

    /// Both sides go to the network as one batch, whose rows have one length in each sequence.
    void promptsOfOtherLengthsAreCalledApart() {
        const auto callsWith = [](int64_t llama) {
            const auto sideOf = [](int64_t tokens) {
                return nodes::regionalEntries(
                    nodes::specOf(in(promptOf(7, tokens))), {.height = 8, .width = 8}, "");
            };
            return nodes::callsAt(sideOf(9), sideOf(llama), 500, sampling::trainingTimes(1000))
                .size();
        };
        QCOMPARE(callsWith(9), size_t{1});
        QCOMPARE(callsWith(10), size_t{2});
    }

private:
    static testing::Given maskedBy(const WireRef& conditioning, const WireRef& mask) {
        return {.node = "conditioning.mask",
                .params = {{"strength", 0.5}},
                .wires = {{"conditioning", conditioning}, {"mask", mask}}};
    }

    static WireRef placeholder(const executor::ValueSpec& known) {
        return std::make_shared<const nodes::Placeholder>(known);
    }

    /// Kept until the next one is made.
    const WireRef& value(const ConditioningEdit& edit) {
        return kept_ = testing::run(bench_.stages(), edit, bench_.call("edit")).front();
    }

    /// What the node knows before the run, where it knows `inputs`.
    ConditioningSpec specOfEdit(const std::vector<WireRef>& inputs,
                                const decltype(ConditioningEdit::edit)& edit) {
        std::vector<executor::ValueSpec> known;
        for (const WireRef& input : inputs) {
            const auto spec = std::make_shared<const ConditioningSpec>(nodes::specOf(in(input)));
            known.push_back({.shape = spec->shape(), .value = spec});
        }
        const testing::StageSpec spec =
            testing::spec(bench_.stages(), testing::known(known, ConditioningEdit{.edit = edit}));
        return dynamic_cast<const ConditioningSpec&>(*spec.output().value);
    }

    testing::ModelBench bench_;

    WireRef kept_;
};

LOWTIDE_TEST(ConditioningFieldsTest)

}  // namespace conditioning_fields_test

#include "conditioning_fields_test.moc"
