#pragma once

#include "plugin/checkpoints/adapters/adapter_file.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace lowtide::models {

/// Puts the tensors of a file together, layer by layer.
class LayerGroups {
public:
    explicit LayerGroups(const WeightMap& map);

    /// The layers, and the keys that belong to none. Error{Corrupt} names what is incomplete, there
    /// twice or of a type that no change has.
    [[nodiscard]] std::vector<AdapterLayer> takeLayers(std::vector<std::string>& unread);

private:
    void add(const std::string& key, const TensorPlace& place, AdapterKey&& parsed);
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
    std::vector<std::string> incomplete_;
};

}  // namespace lowtide::models
