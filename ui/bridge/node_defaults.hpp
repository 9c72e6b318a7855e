#pragma once

#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"
#include "ui/bridge/settings.hpp"

#include <string>

namespace lowtide::ui {

/// Values with which a person's new nodes begin, where they are not those of the description. They
/// live in the settings; graphs that exist are never changed by them.
class NodeDefaults {
public:
    /// `settings` must outlive it.
    explicit NodeDefaults(Settings& settings) : settings_(settings) {}

    /// Null: the description's.
    [[nodiscard]] Json of(const std::string& type, const std::string& param) const;
    void set(const std::string& type, const std::string& param, const Json& value);
    void forget(const std::string& type, const std::string& param);
    /// Puts them into a new node; those that its description refuses are left out.
    void applyTo(graph::DocumentNode& node, const NodeDesc& desc) const;

private:
    Settings& settings_;
};

}  // namespace lowtide::ui
