#pragma once
// What a parameter accepts, reading it from JSON or text, and the facts of a refusal.

#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "plugin/host_api/host.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace lowtide::graph {

struct DocumentNode;

/// What a host needs to explain in any language why checkParam() refused a value: `value`, `kind`
/// ("int", "choice"), and of the parameter `min`, `max`, `unit` and `choices` where it has them.
[[nodiscard]] Json paramFacts(const ParamDesc& param, const Json& value);

/// Why a value does not fit its parameter. `reason` continues "the value of ... ": `is 7.5, a whole
/// number is needed`.
struct ParamRefusal {
    std::string code;  ///< "invalid_input_type", "value_smaller_than_min", "value_bigger_than_max",
                       ///< "value_not_in_list"
    Message reason;
    Message hint;  ///< what is accepted
};

using ParamCheck = std::variant<Scalar, ParamRefusal>;

/// The value as the type of the parameter's kind: Int int64_t, Seed uint64_t, Float double (whole
/// numbers are taken), Bool bool, the others text. Never converts between kinds otherwise; NaN and
/// infinity are refused.
[[nodiscard]] ParamCheck checkParam(const ParamDesc& param, const Json& value);

/// Reads a value that was typed as text ("20", "7.5", "true") for this parameter. What cannot be
/// read as its kind is returned as the text itself, which checkParam then refuses with the reason.
[[nodiscard]] Json paramFromText(const ParamDesc& param, std::string_view text);

/// What the parameter accepts, for hints: "a whole number from 1 to 150", "one of: euler, ddim".
[[nodiscard]] Message acceptedBy(const ParamDesc& param);

[[nodiscard]] Json toJson(const Scalar& value);
/// The value that a node has for the parameter: its own, or the default.
[[nodiscard]] Json valueOf(const DocumentNode& node, const ParamDesc& param);
/// One text per value and type, for keys: "i20", "u7", "f7.5", "b1", "sa prompt".
[[nodiscard]] std::string canonicalText(const Scalar& value);

}  // namespace lowtide::graph
