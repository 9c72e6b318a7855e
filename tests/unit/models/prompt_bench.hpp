#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "tests/unit/models/known_shapes.hpp"
#include "tests/unit/models/model_bench.hpp"

#include <map>
#include <memory>
#include <string>

namespace lowtide::testing {

/// Prompts, joined and restricted, over one of the golden checkpoints.
class PromptBench {
public:
    explicit PromptBench(const std::string& checkpoint, memory::DeviceSpec device = {});

    [[nodiscard]] nodes::Stages& stages() { return bench_.stages(); }

    [[nodiscard]] ModelBench& bench() { return bench_; }

    [[nodiscard]] const nodes::WireRef& model() const { return model_; }

    /// Puts the "embeddings" of a case into the folder of that name in `folder`, which it gives;
    /// the files are those of make_prompt_goldens.py.
    [[nodiscard]] std::string withEmbeddings(const Json& test, const std::string& folder);
    [[nodiscard]] EncodeResult encode(const EncodeRequest& request);
    /// One prompt without weights.
    [[nodiscard]] nodes::WireRef prompt(const std::string& text);
    [[nodiscard]] nodes::WireRef edited(const ConditioningEdit& edit);
    /// What a "graph" of prompt_cases.json describes.
    [[nodiscard]] nodes::WireRef built(const Json& graph);
    [[nodiscard]] nodes::WireRef emptyLatent(int64_t width, int64_t height, int64_t batch);
    /// The samples of the result, on the host.
    [[nodiscard]] at::Tensor denoise(const DenoiseRequest& request);

    [[nodiscard]] static const tensor::Conditioning& conditioningOf(const nodes::WireRef& value);

private:
    ModelBench bench_;
    nodes::WireRef model_;
};

/// Benches of a test, each opened once: vocabularies are large.
class PromptBenches {
public:
    [[nodiscard]] PromptBench& of(const std::string& checkpoint, const std::string& device = "cpu");

private:
    std::map<std::string, std::unique_ptr<PromptBench>> benches_;
};

/// The edit that `graph` describes, without wires.
[[nodiscard]] ConditioningEdit editIn(const Json& graph);

}  // namespace lowtide::testing
