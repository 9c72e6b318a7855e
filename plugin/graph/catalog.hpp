#pragma once
// The node types that exist, and a description as JSON and back.

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::graph {

/// The node types that exist, by id and alias. Immutable but for texts; snapshots point into it, so
/// it outlives them.
class Catalog {
public:
    /// Defaults are turned into the type of their parameter's kind (a whole number becomes a seed);
    /// a parameter without one must be given by the graph. Error{Internal} names the node type when
    /// an id or alias is taken twice or a parameter refuses its own default.
    explicit Catalog(std::vector<NodeDesc> nodes);
    Catalog(const Catalog&) = delete;
    Catalog& operator=(const Catalog&) = delete;

    /// nullptr when there is no such id or alias.
    [[nodiscard]] const NodeDesc* find(std::string_view idOrAlias) const;

    [[nodiscard]] const std::vector<NodeDesc>& nodes() const { return nodes_; }

    /// Replaces texts for users (labels, tooltips, categories, units) by those of another language,
    /// in place; `words` leaves everything else as it is. Not while another thread reads.
    void reword(const std::function<void(NodeDesc&)>& words);

    /// Sorted, without aliases.
    [[nodiscard]] std::vector<std::string> ids() const;
    /// The id or alias nearest to `name`, empty when none is near; for "did you mean".
    [[nodiscard]] std::string nearest(std::string_view name) const;

private:
    void publish(const std::string& name, size_t index);

    std::vector<NodeDesc> nodes_;
    std::map<std::string, size_t, std::less<>> byName_;
};

/// The parameter, input or output of that id; nullptr when there is none.
[[nodiscard]] const ParamDesc* findParam(const NodeDesc& desc, std::string_view id);
[[nodiscard]] const PortDesc* findInput(const NodeDesc& desc, std::string_view id);
[[nodiscard]] const PortDesc* findOutput(const NodeDesc& desc, std::string_view id);

/// The input whose value leaves `output` when the node does nothing itself (bypassed, or a control
/// node): of equal type, at the output's own position first, then the first one. nullptr: there is
/// none.
[[nodiscard]] const PortDesc* passedInput(const NodeDesc& desc, std::string_view output);

/// A description as `lowtide nodes --json` prints it. Limits, unit and choices are
/// there only where the parameter has them, flags (multiline, advanced, cosmetic, side_effect,
/// control) only where they are set.
[[nodiscard]] Json toJson(const ParamDesc& param);
[[nodiscard]] Json toJson(const NodeDesc& node);

/// What toJson() wrote. Throws Json::exception when a key is missing or of another kind, and
/// std::invalid_argument for an unknown kind or a default that its parameter refuses.
[[nodiscard]] ParamDesc paramFromJson(const Json& json);
[[nodiscard]] NodeDesc nodeFromJson(const Json& json);

}  // namespace lowtide::graph
