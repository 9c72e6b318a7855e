#pragma once
// A conditioning before the run. Torch-free.

#include "plugin/base/shape.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/tensor/conditioning_fields.hpp"
#include "plugin/tensor/conditioning_scope.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What is known of one encoded prompt.
struct EntryOutline {
    std::map<std::string, Shape, std::less<>> tensors;  ///< by the names of the fields
    tensor::ConditioningScope scope{};
};

/// What is known of a conditioning; goes along wires in its place.
class ConditioningOutline final : public memory::WireValue {
public:
    ConditioningOutline(tensor::ConditioningFields fields, std::vector<EntryOutline> entries)
        : fields_(std::move(fields)), entries_(std::move(entries)) {}

    [[nodiscard]] std::string_view type() const override { return "CONDITIONING"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override {
        return std::make_shared<ConditioningOutline>(*this);
    }

    [[nodiscard]] std::optional<std::string> outlineKey() const override;

    /// As tensor::Conditioning has them.
    [[nodiscard]] const tensor::ConditioningFields& fields() const { return fields_; }

    [[nodiscard]] const std::vector<EntryOutline>& entries() const { return entries_; }

    /// Tokens of an entry in each sequence, in the order of the fields; 0: it does not have it.
    [[nodiscard]] std::vector<int64_t> tokensOf(const EntryOutline& entry) const;
    /// [1, T, D] of the first sequence, with the tokens of all entries together.
    [[nodiscard]] Shape shape() const;
    /// Of every tensor of every entry.
    [[nodiscard]] std::vector<Bytes> tensors() const;

private:
    tensor::ConditioningFields fields_;
    std::vector<EntryOutline> entries_;
};

}  // namespace lowtide::models
