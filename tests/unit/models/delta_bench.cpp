#include "tests/unit/models/delta_bench.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"

#include <ATen/ATen.h>

namespace lowtide::testing {

namespace {

at::Tensor randomOn(c10::Device device, const Shape& shape) {
    return at::randn(shape, at::TensorOptions(device)) * 0.3;
}

Shape withAxes(Shape head, const Shape& weight) {
    head.insert(head.end(), weight.begin() + 2, weight.end());
    return head;
}

}  // namespace

models::AdapterLayer settledLayer(const std::string& kind,
                                  const FactorShapes& factors,
                                  std::optional<double> alpha) {
    models::AdapterLayer layer;
    layer.kind = kind;
    for (const auto& [name, shape] : factors) {
        layer.factors[name] = {.key = name, .location = {.type = DType::F32, .shape = shape}};
    }
    layer.rank = models::rankOf(layer);
    if (layer.rank) {
        layer.alpha = alpha;
        layer.divisor = static_cast<double>(*layer.rank);
    }
    return layer;
}

bool adaptsWeight(const models::AdapterLayer& layer, const Shape& weight) {
    if (layer.factors.empty() || !models::missingFactors(layer).empty()) {
        return false;
    }
    try {
        const Shape delta = models::deltaShapeOf(layer, "a file");
        return models::fitsWeight(layer, delta, weight) && models::doraFits(layer, weight);
    } catch (const Error&) {
        return false;
    }
}

Deltas& Deltas::add(const std::string& kind,
                    const Shape& weight,
                    const Factors& factors,
                    double strength,
                    std::optional<double> alpha) {
    FactorShapes shapes;
    Entry entry{.delta = std::make_shared<memory::WeightDelta>(), .factors = {}};
    for (const auto& [name, values] : factors) {
        shapes[name] = values.sizes().vec();
        entry.delta->factors.push_back({.name = name});
        entry.factors.push_back(values);
    }
    const models::AdapterLayer layer = settledLayer(kind, shapes, alpha);
    LOWTIDE_ASSERT(adaptsWeight(layer, weight));
    entry.delta->kind = kind;
    entry.delta->scale = layer.scale();
    entry.delta->strength = strength;
    entries_.push_back(std::move(entry));
    return *this;
}

std::vector<residency::FactoredDelta> Deltas::list() const {
    std::vector<residency::FactoredDelta> deltas;
    for (const Entry& entry : entries_) {
        deltas.push_back({.delta = entry.delta.get(), .factors = entry.factors});
    }
    return deltas;
}

at::Tensor Deltas::appliedTo(const at::Tensor& weight) const {
    at::Tensor changed = weight.clone(at::MemoryFormat::Contiguous);
    models::AdapterMath().apply(changed, list());
    return changed;
}

Deltas Deltas::with(const std::function<at::Tensor(const at::Tensor&)>& make) const {
    Deltas made = *this;
    for (Entry& entry : made.entries_) {
        for (at::Tensor& factor : entry.factors) {
            factor = make(factor);
        }
    }
    return made;
}

Deltas::Factors lowRankFactors(const Shape& weight, int64_t rank, c10::Device device) {
    const auto randomOf = [&](const Shape& shape) { return randomOn(device, shape); };
    return {{"up", randomOf({weight[0], rank})},
            {"down", randomOf(withAxes({rank, weight[1]}, weight))}};
}

std::map<std::string, Deltas> oneOfEach(const Shape& weight, c10::Device device) {
    const auto randomOf = [&](const Shape& shape) { return randomOn(device, shape); };
    const int64_t outputs = weight[0];
    const int64_t inputs = weight[1];
    constexpr int64_t kRank = 4;
    const Deltas::Factors lowRank = lowRankFactors(weight, kRank, device);
    const Deltas::Factors core = {{"up", randomOf({outputs, kRank})},
                                  {"mid", randomOf(withAxes({kRank, kRank}, weight))},
                                  {"down", randomOf({kRank, inputs})}};
    const Deltas::Factors hadamard = {{"w1_a", randomOf({outputs, kRank})},
                                      {"w1_b", randomOf(withAxes({kRank, inputs}, weight))},
                                      {"w2_a", randomOf({outputs, kRank})},
                                      {"w2_b", randomOf(withAxes({kRank, inputs}, weight))}};
    const Deltas::Factors kronecker = {{"w1", randomOf({2, 2})},
                                       {"w2_a", randomOf({outputs / 2, kRank})},
                                       {"w2_b", randomOf(withAxes({kRank, inputs / 2}, weight))}};
    const Deltas::Factors whole = {{"w1_a", randomOf({2, 1})},
                                   {"w1_b", randomOf({1, 2})},
                                   {"w2", randomOf(withAxes({outputs / 2, inputs / 2}, weight))}};
    const auto decomposed = [&](Deltas::Factors factors, const Shape& shape) {
        factors["dora_scale"] = at::rand(shape, at::TensorOptions(device)) + 0.5;
        return factors;
    };
    const auto one = [&](const char* kind, const Deltas::Factors& factors) {
        return Deltas().add(kind, weight, factors, 0.7, 2.0);
    };
    return {
        {"low_rank", one("low_rank", lowRank)},
        {"low_rank, core", one("low_rank", core)},
        {"low_rank, DoRA of outputs", one("low_rank", decomposed(lowRank, {outputs, 1}))},
        {"low_rank, DoRA of inputs", one("low_rank", decomposed(core, {1, inputs}))},
        {"hadamard", one("hadamard", hadamard)},
        {"hadamard, DoRA of inputs", one("hadamard", decomposed(hadamard, {1, inputs}))},
        {"kronecker", one("kronecker", kronecker)},
        {"kronecker, whole", one("kronecker", whole)},
        {"kronecker, DoRA of outputs", one("kronecker", decomposed(kronecker, {outputs, 1}))},
        {"scale on inputs", one("scale", {{"on_input", randomOf({inputs})}})},
        {"scale on outputs", one("scale", {{"on_output", randomOf({outputs})}})},
        {"difference", one("difference", {{"difference", randomOf(weight)}})},
        {"difference, f16", one("difference", {{"difference", randomOf(weight).to(at::kHalf)}})}};
}

}  // namespace lowtide::testing
