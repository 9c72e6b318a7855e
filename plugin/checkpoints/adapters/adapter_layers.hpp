#pragma once
// The layers of an adapter: put together of a file's tensors, their ranks, and the shapes of their
// deltas. Torch-free.

#include "plugin/checkpoints/adapters/adapter_file.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace lowtide::models {

/// The factors that a layer of its kind needs and lacks: "up".
[[nodiscard]] std::vector<std::string> missingFactors(const AdapterLayer& layer);

/// What its alpha is divided by; nothing for kinds without a rank, and for Kronecker products of
/// whole matrices.
[[nodiscard]] std::optional<int64_t> rankOf(const AdapterLayer& layer);

/// The shape of the delta that a layer's factors make: [outputs, inputs, kernel], or, where a
/// factor has them as one, [outputs, columns]. Of kind scale that of its numbers. Error{Corrupt}
/// names file and keys of factors that do not go together.
[[nodiscard]] Shape deltaShapeOf(const AdapterLayer& layer, const std::string& what);

/// Whether a delta of that shape is one of a weight: convolutions of 1x1 and matrices are the
/// same.
[[nodiscard]] bool fitsWeight(const AdapterLayer& layer, const Shape& change, const Shape& weight);

/// Whether DoRA's lengths of that shape are one for each output of a weight ([O, 1, ...]); else
/// they are of inputs ([1, I, 1, ...]).
[[nodiscard]] bool areOutputLengths(const Shape& lengths, const Shape& weight);
/// Whether the lengths of a layer that is a DoRA are those of a weight.
[[nodiscard]] bool doraFits(const AdapterLayer& layer, const Shape& weight);

/// Puts the tensors of a file together, layer by layer.
class LayerGroups {
public:
    explicit LayerGroups(const WeightMap& map);

    /// The layers, and the keys that belong to none. Error{Corrupt} names what is incomplete, there
    /// twice or of a type that no delta has.
    [[nodiscard]] std::vector<AdapterLayer> takeLayers(std::vector<std::string>& unread);

private:
    void add(const std::string& key, const TensorLocation& location, AdapterKey&& parsed);
    void addFactor(AdapterLayer& layer, AdapterFactor factor, const AdapterKey& parsed);
    void checkFactor(const AdapterFactor& factor) const;
    void settle(AdapterLayer& layer);
    void complete(AdapterLayer layer, std::vector<AdapterLayer>& layers);
    void leave(const AdapterLayer& layer);
    void throwIfIncomplete() const;

    const WeightMap& map_;
    /// By component, module and whether it is the bias.
    std::map<std::tuple<std::string, std::string, bool>, AdapterLayer> groups_;
    std::vector<std::string> unread_;
    std::vector<Message> incomplete_;
};

}  // namespace lowtide::models
