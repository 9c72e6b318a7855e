#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/host_api/runner.hpp"

#include <QStringList>

#include <memory>

namespace lowtide::ui {

/// The module behind everything that the studio runs. Made once; stopped when it is destroyed.
class Engine {
public:
    /// `plugin` was started. Its nodes become the catalog.
    explicit Engine(Plugin& plugin);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    [[nodiscard]] const graph::Catalog& catalog() const { return catalog_; }

    [[nodiscard]] Runner& runner() const;
    [[nodiscard]] void* extension(const char* id) const;

private:
    Plugin& plugin_;
    graph::Catalog catalog_;
};

}  // namespace lowtide::ui
