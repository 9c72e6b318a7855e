#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/host_api/runner.hpp"

#include <QStringList>

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace lowtide::ui {

/// What becomes of the module when its Engine is destroyed.
enum class AtEnd {
    StopsModule,  ///< the program ends: Runner::stop
    LeavesModule  ///< others in the program still use it
};

/// The module behind everything that canvas and panels run.
class Engine {
public:
    /// `plugin` was started. Its nodes become the catalog.
    explicit Engine(Plugin& plugin, AtEnd atEnd = AtEnd::StopsModule);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] const graph::Catalog& catalog() const { return catalog_; }

    /// The catalog speaks the language of the program from now on.
    void reword();

    [[nodiscard]] Plugin& plugin() const { return plugin_; }

    [[nodiscard]] Runner& runner() const;

    /// Whether the module has this call (Plugin::call).
    [[nodiscard]] bool canCall(std::string_view name) const { return calls_.contains(name); }

    /// Plugin::call. Any thread.
    [[nodiscard]] Status call(const char* name,
                              const Json& request,
                              std::string& result,
                              Watch* watch = nullptr) const;

private:
    Plugin& plugin_;
    AtEnd atEnd_;
    graph::Catalog catalog_;
    std::set<std::string, std::less<>> calls_;  ///< that the module has
};

}  // namespace lowtide::ui
