#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan.hpp"

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::testing {

/// The plan of a request that has one.
[[nodiscard]] std::shared_ptr<const memory::Plan> planOf(const memory::PlanRequest& request);

/// How the weights lie in the file.
struct FileLayout {
    Bytes alignment = 64;  ///< of each tensor's offset
    Bytes shift = 0;       ///< added to every offset: 1 makes them odd
    int64_t scale = 1;     ///< multiplies the sizes of the weights
    uint64_t seed = 7;     ///< of their values
};

/// A file as a tree names it.
[[nodiscard]] memory::WeightFile fileOf(const std::string& path);

/// Three small components in one weight file: a text encoder (F16 for F32, a gathered table, a tied
/// weight, a matrix stored transposed), a denoiser (F32, used as it is) and an autoencoder (BF16,
/// F16 and F8 for F32). Values are fixed by a seed.
class SyntheticModel {
public:
    explicit SyntheticModel(const std::string& path, FileLayout layout = {});

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& textEncoder() const {
        return trees_[0];
    }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& denoiser() const {
        return trees_[1];
    }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& autoencoder() const {
        return trees_[2];
    }

    [[nodiscard]] const std::vector<std::shared_ptr<const memory::ComponentTree>>& trees() const {
        return trees_;
    }

    /// A weight as a network must see it: ATen's conversion of the master.
    [[nodiscard]] at::Tensor expected(const memory::ComponentTree& tree,
                                      const memory::Weight& weight) const;

    /// Nodes "encode", "denoise", "decode", a component each, all under `policy`, on `device`.
    [[nodiscard]] memory::PlanRequest request(const std::string& policy,
                                              const memory::DeviceSpec& device,
                                              const memory::DeviceTraits& traits) const;

private:
    std::string path_;
    std::map<std::string, at::Tensor> hostWeights_;  ///< "role.key"
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees_;
};

}  // namespace lowtide::testing
