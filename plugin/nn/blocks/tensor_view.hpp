#pragma once

#include "plugin/nn/blocks/network_builder.hpp"

#include <functional>
#include <string>

namespace lowtide::models {

/// The shapes of a file's tensors, looked up by names that are put into the file's own.
class TensorView {
public:
    /// `map` must outlive it. `nameInFile` as WeightMap::nameInFile.
    TensorView(const WeightMap& map, std::function<std::string(std::string_view)> nameInFile)
        : map_(map), nameInFile_(std::move(nameInFile)) {}

    [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }

    /// One size of a tensor that must be there. Error{Corrupt} names file and tensor.
    [[nodiscard]] int64_t size(const std::string& name, size_t axis) const;

    /// The number of axes of a tensor that must be there.
    [[nodiscard]] size_t rank(const std::string& name) const { return need(name).size(); }

    /// How many of name(0), name(1), ... are there without a gap.
    [[nodiscard]] int64_t count(const std::function<std::string(const std::string&)>& name) const;

    [[nodiscard]] const std::string& what() const { return map_.what; }

private:
    [[nodiscard]] const Shape* find(const std::string& name) const;
    [[nodiscard]] const Shape& need(const std::string& name) const;

    const WeightMap& map_;
    std::function<std::string(std::string_view)> nameInFile_;
};

}  // namespace lowtide::models
