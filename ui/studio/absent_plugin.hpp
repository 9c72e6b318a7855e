#pragma once

#include "plugin/host_api/runner.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// Answers every question with the one thing that is known: there is no engine.
class AbsentRunner final : public Runner {
public:
    Status check(std::string_view, std::string_view, std::string& result) noexcept override;
    Status plan(std::string_view, std::string_view, std::string& result) noexcept override;
    Status start(std::string_view,
                 std::string_view,
                 Observer&,
                 RunId&,
                 std::string& result) noexcept override;

    Status cancel(RunId, CancelMode) noexcept override { return Status::Ok; }

    Status wait(RunId, std::string& result) noexcept override;
    Status memory(std::string& result) noexcept override;

    Status release(std::string_view) noexcept override { return Status::Ok; }

    Status devices(std::string& result) noexcept override;

    Status stop() noexcept override { return Status::Ok; }
};

/// Stands where the module would, when that did not start: graphs can be edited, with the nodes
/// that an earlier start kept, but not run.
class AbsentPlugin final : public Plugin {
public:
    explicit AbsentPlugin(std::vector<NodeDesc> nodes) : nodes_(std::move(nodes)) {}

    std::string_view info() const noexcept override { return "{}"; }

    std::span<const NodeDesc> nodes() const noexcept override { return nodes_; }

    Status start(std::string_view, std::string&) noexcept override { return Status::Ok; }

    Runner* runner() noexcept override { return &runner_; }

    Status call(std::string_view, std::string_view, Watch*, std::string&) noexcept override {
        return Status::Invalid;
    }

    LogSource* log() noexcept override { return nullptr; }

private:
    std::vector<NodeDesc> nodes_;
    AbsentRunner runner_;
};

}  // namespace lowtide::ui
