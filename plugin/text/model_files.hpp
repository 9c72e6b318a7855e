#pragma once
// The small files of a model, whatever it lies in. Torch-free.

#include "plugin/base/json_fwd.hpp"

#include <string>
#include <string_view>

namespace lowtide::models {

/// Texts of a model by their place in the diffusers layout ("tokenizer/tokenizer.json").
class ModelFiles {
public:
    virtual ~ModelFiles() = default;

    /// What messages call a file: the path where it lies.
    [[nodiscard]] virtual std::string pathOf(const std::string& relative) const = 0;

    /// The parameter of load.checkpoint that says where the component is: "checkpoint", "vae".
    [[nodiscard]] virtual std::string itemOf(std::string_view /*component*/) const {
        return "checkpoint";
    }

    [[nodiscard]] virtual bool has(const std::string& relative) const = 0;
    /// A small file as text or JSON. Error{NotFound}, Error{Corrupt} name it.
    [[nodiscard]] virtual std::string readText(const std::string& relative) = 0;
    [[nodiscard]] virtual Json readJson(const std::string& relative) = 0;
};

}  // namespace lowtide::models
