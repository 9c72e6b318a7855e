#pragma once

#include "plugin/host_api/recogniser.hpp"
#include "tests/unit/studio/bridge/scripted_converter.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"

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

    /// Says what files are; the test's own, nullptr: nobody does.
    Recogniser* recogniser = nullptr;

    std::string_view info() const noexcept override { return "{}"; }

    std::span<const NodeDesc> nodes() const noexcept override { return nodes_; }

    Status start(std::string_view, std::string&) noexcept override { return Status::Ok; }

    Runner* runner() noexcept override { return &runner_; }

    void* extension(std::string_view id) noexcept override;

private:
    std::vector<NodeDesc> nodes_;
    ScriptedRunner runner_;
};

/// Its nodes.
[[nodiscard]] std::vector<NodeDesc> smallNodes();

}  // namespace lowtide::ui
