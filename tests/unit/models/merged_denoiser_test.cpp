// Several prompts over a network that is asked for cond and uncond one by one.

#include "nodes/denoise/merged_denoiser.hpp"
#include "plugin/base/error.hpp"
#include "plugin/memory/precision.hpp"
#include "plugin/nn/model.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace merged_denoiser_test {

using namespace lowtide;
using nodes::RegionalEntry;
using sampling::Guidance;
using sampling::StepInfo;
using sampling::StepWork;

namespace {

constexpr nodes::Canvas kCanvas{.height = 4, .width = 4};

struct Asked {
    double prompt = 0;
    bool isGuidedAlone = false;  ///< the network has one prompt and is asked for it
    StepWork next = StepWork::Full;

    bool operator==(const Asked&) const = default;
};

/// Predicts the number that its prompt consists of.
class NumberDenoiser final : public sampling::Denoiser {
public:
    NumberDenoiser(const models::DenoiserRequest& request, std::vector<Asked>& asked)
        : number_(numberOf(request)), isAlone_(!request.negative), asked_(asked) {
        LOWTIDE_ASSERT(!request.positive.entries().front().tensors.contains(tensor::kPromptMask));
    }

    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor&,
                       const StepInfo& step) override {
        asked_.push_back({.prompt = number_,
                          .isGuidedAlone = isAlone_ && !step.slot.isUncond,
                          .next = step.decision.next});
        return at::full_like(latents, number_);
    }

private:
    static double numberOf(const models::DenoiserRequest& request) {
        return request.positive.entries().front().tensors.at(tensor::kEmbeds).mean().item<double>();
    }

    double number_;
    bool isAlone_;
    std::vector<Asked>& asked_;
};

/// A model of which nothing is asked but a denoiser.
class NumberModel final : public models::FamilyModel {
public:
    NumberModel() {
        info_.guidance = Guidance::Sequential;
        info_.latent.channels = 2;
        info_.schedulerConfig = {
            {"beta_schedule", "scaled_linear"}, {"beta_start", 0.00085}, {"beta_end", 0.012}};
    }

    [[nodiscard]] const models::ModelInfo& info() const override { return info_; }

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override { refuse(); }

    [[nodiscard]] models::PromptsSpec promptsSpec(const models::PromptRequest&) const override {
        refuse();
    }

    [[nodiscard]] models::EncodedPrompts encodePrompts(
        models::StageContext&, const models::PromptRequest&) const override {
        refuse();
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        models::StageContext&, const models::DenoiserRequest& request) const override {
        return std::make_unique<NumberDenoiser>(request, asked);
    }

    [[nodiscard]] at::Tensor decode(models::StageContext&, const at::Tensor&) const override {
        refuse();
    }

    [[nodiscard]] at::Tensor encode(models::StageContext&, const at::Tensor&) const override {
        refuse();
    }

    mutable std::vector<Asked> asked;

private:
    [[noreturn]] static void refuse() {
        throw Error(ErrorKind::Internal, Message("the test asks for a denoiser alone"), {});
    }

    models::ModelInfo info_;
};

struct Prompt {
    double number = 0;
    int64_t tokens = 3;
    double strength = 1;
    std::optional<tensor::ImageArea> area{};
    at::Tensor mask{};
};

tensor::Conditioning promptsOf(const std::vector<Prompt>& prompts) {
    std::vector<tensor::ConditioningEntry> entries;
    for (const Prompt& prompt : prompts) {
        tensor::ConditioningEntry& entry = entries.emplace_back();
        entry.tensors.emplace(tensor::kEmbeds, at::full({1, prompt.tokens, 4}, prompt.number));
        entry.scope = {.area = prompt.area, .strength = prompt.strength};
        if (prompt.mask.defined()) {
            entry.tensors.emplace(tensor::kPromptMask, prompt.mask);
        }
    }
    return {{{.name = tensor::kEmbeds, .width = 4}}, std::move(entries), "", -1};
}

}  // namespace

class MergedDenoiserTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// A negative prompt of the length of one positive prompt, which batched guidance would join.
    void eachSideIsAskedForByItself() {
        testing::ModelBench bench;
        models::StageContext context{bench.residency(), tensor::Record(nullptr)};
        const NumberModel model;
        const tensor::Conditioning positive =
            promptsOf({{.number = 2, .tokens = 3}, {.number = 6, .tokens = 5, .strength = 3}});
        const tensor::Conditioning negative = promptsOf({{.number = 10, .tokens = 5}});
        nodes::MergedDenoiser denoiser(context,
                                       model,
                                       {.positive = positive, .negative = &negative, .cfg = 4},
                                       nodes::regionalPrompts(positive, &negative, kCanvas));
        const at::Tensor latents = at::zeros({1, 2, 4, 4});
        const auto asked = [&](bool isUncond, StepWork next) {
            model.asked.clear();
            return denoiser.predict(
                latents,
                at::scalar_tensor(500),
                {.isGuided = true,
                 .slot = {.isUncond = isUncond},
                 .decision = {.work = StepWork::Partial, .next = next, .isOpen = true}});
        };

        QVERIFY(at::equal(asked(false, StepWork::Partial), at::full_like(latents, 5.0)));
        QVERIFY(model.asked ==
                (std::vector<Asked>{{6, true, StepWork::Full}, {2, true, StepWork::Partial}}));

        QVERIFY(at::equal(asked(true, StepWork::Full), at::full_like(latents, 10.0)));
        QVERIFY(model.asked == (std::vector<Asked>{{10, true, StepWork::Full}}));
    }

    /// [1, 1, 8, 8], twice as many pixels as the latent image.
    void aMaskWeighsItsPrompt() {
        at::Tensor mask = at::zeros({1, 1, 8, 8});
        mask.narrow(3, 0, 4).fill_(3);
        const tensor::Conditioning positive =
            promptsOf({{.number = 2}, {.number = 6, .mask = mask}});

        const at::Tensor made = predicted(positive, kCanvas);

        QVERIFY(at::equal(made.narrow(3, 0, 2), at::full({1, 2, 4, 2}, 5.0)));  // (2 + 3 x 6) / 4
        QVERIFY(at::equal(made.narrow(3, 2, 2), at::full({1, 2, 4, 2}, 2.0)));
    }

    /// An area alone is soft along its edge inside the image: 1/2, then 1.
    void theEdgeOfAnAreaIsThatOfItsMask() {
        constexpr nodes::Canvas kWide{.height = 16, .width = 16};
        const tensor::ImageArea left{.widthPixels = 64, .heightPixels = 128};
        const auto atEdge = [&](const at::Tensor& mask) {
            const tensor::Conditioning positive =
                promptsOf({{.number = 2}, {.number = 5, .area = left, .mask = mask}});
            return predicted(positive, kWide).narrow(3, 7, 2)[0][0][8];
        };

        QVERIFY(at::equal(atEdge({}), at::tensor({3.0f, 2.0f})));  // (2 + 5 / 2) / 1.5
        QVERIFY(at::equal(atEdge(at::ones({1, 1, 16, 16})), at::tensor({3.5f, 2.0f})));
    }

    void theNetworkAloneFollowsOnePromptASide_data() {
        const testing::Rows<bool, int, int, bool> row(
            "isSequential", "tokens", "prompts", "isPlain");
        row("one call, one length", false, 3, 1, true);
        row("one call, two lengths", false, 5, 1, false);
        row("two calls, two lengths", true, 5, 1, true);
        row("two calls, two prompts", true, 5, 2, false);
    }

    void theNetworkAloneFollowsOnePromptASide() {
        QFETCH(bool, isSequential);
        QFETCH(int, tokens);
        QFETCH(int, prompts);
        QFETCH(bool, isPlain);
        const tensor::Conditioning positive = promptsOf({{.tokens = 3}});
        const tensor::Conditioning negative =
            promptsOf(std::vector<Prompt>(static_cast<size_t>(prompts), {.tokens = tokens}));
        const nodes::RegionalPrompts positioned =
            nodes::regionalPrompts(positive, &negative, kCanvas);
        QCOMPARE(positioned.isPlain(isSequential ? Guidance::Sequential : Guidance::Batched),
                 isPlain);
    }

    void aPromptWithAMaskIsMerged() {
        const tensor::Conditioning positive = promptsOf({{.mask = at::ones({1, 1, 4, 4})}});
        QVERIFY(!nodes::regionalPrompts(positive, nullptr, kCanvas).isPlain(Guidance::Batched));
    }

private:
    /// Without guidance.
    static at::Tensor predicted(const tensor::Conditioning& positive, const nodes::Canvas& canvas) {
        testing::ModelBench bench;
        models::StageContext context{bench.residency(), tensor::Record(nullptr)};
        const NumberModel model;
        nodes::MergedDenoiser denoiser(context,
                                       model,
                                       {.positive = positive, .negative = nullptr, .cfg = 1},
                                       nodes::regionalPrompts(positive, nullptr, canvas));
        return denoiser.predict(
            at::zeros({1, 2, canvas.height, canvas.width}), at::scalar_tensor(500), {});
    }
};

LOWTIDE_TEST(MergedDenoiserTest)

}  // namespace merged_denoiser_test

#include "merged_denoiser_test.moc"
