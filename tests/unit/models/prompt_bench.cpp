#include "tests/unit/models/prompt_bench.hpp"

#include "plugin/base/json.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/tensor/transfer.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lowtide::testing {

PromptBench::PromptBench(const std::string& checkpoint, memory::DeviceSpec device)
    : bench_(std::move(device)),
      model_(bench_.load(goldenFolder().toStdString() + "/checkpoints/" + checkpoint)) {}

std::string PromptBench::withEmbeddings(const Json& test, const std::string& folder) {
    const auto& model = dynamic_cast<const models::Model&>(*model_);
    const int64_t width = model.info().conditioning.fields.front().width;
    std::filesystem::create_directories(folder + "/embeddings");
    const Json counts = test.value("embeddings", Json::object());
    for (const auto& [name, count] : counts.items()) {
        std::vector<float> values;
        for (int64_t i = 0; i < count.get<int64_t>() * width; ++i) {
            values.push_back(static_cast<float>(
                0.05 * std::sin(0.7 * static_cast<double>(i) + count.get<double>())));
        }
        const auto* bytes = reinterpret_cast<const char*>(values.data());
        writeTensorFile(folder + "/embeddings/" + name + ".safetensors",
                        {{"emb_params",
                          {.type = DType::F32,
                           .shape = {count, width},
                           .bytes = std::string(bytes, values.size() * sizeof(float))}}});
    }
    return folder;
}

EncodeResult PromptBench::encode(const EncodeRequest& request) {
    EncodeResult result;
    bench_.runWith(model_, models::kTextEncoder, [&] {
        result = testing::encodePrompt(bench_.stages(), request, bench_.call("encode"));
    });
    return result;
}

nodes::WireRef PromptBench::prompt(const std::string& text) {
    return encode({.model = model_, .prompt = text}).positive;
}

nodes::WireRef PromptBench::edited(const ConditioningEdit& edit) {
    nodes::WireRef result;
    bench_.runWith(model_, models::kTextEncoder, [&] {
        result = testing::run(bench_.stages(), edit, bench_.call("edit")).front();
    });
    return result;
}

nodes::WireRef PromptBench::built(const Json& graph) {
    if (graph.contains("prompt")) {
        return prompt(graph.at("prompt"));
    }
    ConditioningEdit edit = editIn(graph);
    edit.first = built(graph.at(graph.contains("of") ? "of" : "first"));
    edit.second = graph.contains("second") ? built(graph.at("second")) : nullptr;
    return edited(edit);
}

nodes::WireRef PromptBench::emptyLatent(int64_t width, int64_t height, int64_t batch) {
    return testing::run(
               bench_.stages(),
               EmptyLatentRequest{.widthPixels = width, .heightPixels = height, .batch = batch},
               {})
        .front();
}

at::Tensor PromptBench::denoise(const DenoiseRequest& request) {
    at::Tensor samples;
    bench_.runWith(model_, models::kDenoiser, [&] {
        const nodes::WireRef result =
            testing::run(bench_.stages(), request, bench_.call("denoise")).front();
        samples = tensor::spill(dynamic_cast<const tensor::Latents&>(*result).samples());
    });
    return samples;
}

const tensor::Conditioning& PromptBench::conditioningOf(const nodes::WireRef& value) {
    return dynamic_cast<const tensor::Conditioning&>(*value);
}

PromptBench& PromptBenches::of(const std::string& checkpoint, const std::string& device) {
    std::unique_ptr<PromptBench>& bench = benches_[device + " " + checkpoint];
    if (!bench) {
        bench = std::make_unique<PromptBench>(checkpoint, memory::DeviceSpec{.kind = device});
    }
    return *bench;
}

ConditioningEdit editIn(const Json& graph) {
    const std::string name = graph.at("op");
    if (name == "combine") {
        return {.edit = CombineEdit{}};
    }
    if (name == "concat") {
        return {.edit = ConcatEdit{}};
    }
    if (name == "average") {
        return {.edit = AverageEdit{.fraction = graph.at("share")}};
    }
    if (name == "time") {
        return {.edit = TimeEdit{.start = graph.at("start"), .end = graph.at("end")}};
    }
    if (name == "area") {
        return {.edit = AreaEdit{.area = {.xPixels = graph.at("x"),
                                          .yPixels = graph.at("y"),
                                          .widthPixels = graph.at("width"),
                                          .heightPixels = graph.at("height")},
                                 .strength = graph.at("strength")}};
    }
    throw std::runtime_error("prompt_cases.json has an unknown operation " + name);
}

}  // namespace lowtide::testing
