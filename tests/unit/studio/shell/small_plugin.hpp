#pragma once

#include "tests/unit/studio/bridge/scripted_plugin.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/model_library.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A module of a test: nodes like those of the default graph, with fewer parameters, and runs that
/// are scripts.
class SmallPlugin final : public Plugin {
public:
    SmallPlugin();

    [[nodiscard]] ScriptedRunner& script() { return runner_; }

    ScriptedConverter converter;
    bool canConvert = false;  ///< for windows that are made afterwards

    /// Answers "importGraph"; empty: it cannot. For windows that are made afterwards.
    std::function<Status(const Json& request, std::string& result)> importGraph;

    /// Recognises files; the test's own, empty: nobody does.
    Recognise recognise;

    std::string_view info() const noexcept override;

    std::span<const NodeDesc> nodes() const noexcept override { return nodes_; }

    Status start(std::string_view, std::string&) noexcept override { return Status::Ok; }

    Runner* runner() noexcept override { return &runner_; }

    Status call(std::string_view name,
                std::string_view request,
                Watch* watch,
                std::string& result) noexcept override;

    LogSource* log() noexcept override { return nullptr; }

private:
    std::vector<NodeDesc> nodes_;
    mutable std::string info_;
    ScriptedRunner runner_;
};

/// Its nodes.
[[nodiscard]] std::vector<NodeDesc> smallNodes();

}  // namespace lowtide::ui
