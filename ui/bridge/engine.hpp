#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/host_api/runner.hpp"

#include <QStringList>

#include <memory>

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

    [[nodiscard]] Runner& runner() const;
    [[nodiscard]] void* extension(const char* id) const;

private:
    Plugin& plugin_;
    AtEnd atEnd_;
    graph::Catalog catalog_;
};

}  // namespace lowtide::ui
